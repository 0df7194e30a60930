import Forge

/// The sizes that an input of a Core ML model may have besides its default ones
/// (FeatureTypes.proto).
struct CoreMLSizes {
  /// The sizes of an axis.
  struct Axis: Hashable {
    /// The smallest and the largest size; the largest is `nil` if there is none.
    let lowest: Int
    let highest: Int?
    /// The distance of the sizes.
    let step: Int
  }

  /// For each axis of an array its sizes, `nil` for an axis of one size; for an image those of
  /// height and width.
  let axes: [Axis?]

  private enum Field {
    static let enumerated = 21
    static let range = 31
  }

  /// Reads the sizes of an array; `nil` if it has only its default ones.
  init?(array fields: WireFields, sizes: [Int]) throws(ImportError) {
    if let range = try fields.message(Field.range) {
      try self.init(ranges: range.list(1))
      guard axes.count == sizes.count else { return nil }
    } else {
      var shapes = sizes.isEmpty ? [] : [sizes]
      for shape in try fields.message(Field.enumerated)?.list(1) ?? [] {
        shapes.append(try shape.ints(1))
      }
      self.init(shapes: shapes)
    }
    guard axes.contains(where: { $0 != nil }) else { return nil }
  }

  /// Reads the sizes of an image; `nil` if it has only its default ones.
  init?(image fields: WireFields, width: Int, height: Int) throws(ImportError) {
    if let range = try fields.message(Field.range) {
      var ranges: [WireFields] = []
      for side in [2, 1] { if let side = try range.message(side) { ranges.append(side) } }
      try self.init(ranges: ranges)
      guard axes.count == 2 else { return nil }
    } else {
      var shapes = [[height, width]]
      for size in try fields.message(Field.enumerated)?.list(1) ?? [] {
        shapes.append([try size.int(2), try size.int(1)])
      }
      self.init(shapes: shapes)
    }
    guard axes.contains(where: { $0 != nil }) else { return nil }
  }

  private init(ranges: [WireFields]) throws(ImportError) {
    var axes: [Axis?] = []
    for range in ranges {
      let (lowest, highest) = (try range.int(1), try range.int(2))
      // A largest size below 0 means that there is none.
      let axis = Axis(lowest: max(lowest, 1), highest: highest < 0 ? nil : highest, step: 1)
      axes.append(axis.highest.map { $0 > axis.lowest } ?? true ? axis : nil)
    }
    self.axes = axes
  }

  /// The sizes of several shapes, for each axis apart: those of its progression that holds all.
  private init(shapes: [[Int]]) {
    let rank = shapes.first?.count ?? 0
    guard shapes.allSatisfy({ $0.count == rank && $0.allSatisfy { $0 >= 1 } }) else {
      axes = []
      return
    }
    axes = (0..<rank).map { axis in
      let sizes = shapes.map { $0[axis] }
      guard let lowest = sizes.min(), let highest = sizes.max(), lowest < highest else {
        return nil
      }
      let step = sizes.reduce(0) { Self.divisor($0, $1 - lowest) }
      return Axis(lowest: lowest, highest: highest, step: step)
    }
  }

  /// The greatest common divisor of two numbers that are not negative.
  private static func divisor(_ a: Int, _ b: Int) -> Int {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}

extension CoreMLFeature {
  /// The sizes with those of the file open.
  ///
  /// - Parameter largest: the largest size of an axis that has none in the file, or a larger one,
  ///   unless its default is larger.
  /// - Returns: the sizes in the order of the file; `nil` if the file states one size for each.
  func openSizes(largest: Int) -> [InputSize]? {
    guard case .array(let sizes, _) = type, let flexible, flexible.axes.count == sizes.count else {
      return nil
    }
    return zip(sizes, flexible.axes).enumerated().map { axis, pair in
      let (size, open) = pair
      guard let open else { return .exactly(size) }
      let least = max(largest, size, open.lowest)
      return .open(
        OpenInput.sizeName("\(name).\(axis)"), open.lowest...min(open.highest ?? least, least),
        step: open.step)
    }
  }
}
