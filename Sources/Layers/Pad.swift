import ForgeOperations
import ForgeShapes

/// Adds entries before and after those of each axis, or removes some.
///
/// `y(i) = x(i − before)`, and outside of `x` what the mode says.
///
/// - Input shape: any of known sizes.
/// - Output shape: each size plus `before` and `after`; negative amounts remove entries.
/// - Parameters: none.
/// - Errors: `invalidArgument` for a different number of amounts than axes, or more mirrored
///   entries than there are, `emptyOutput` where nothing is left, `unknownSize`, `tooLarge`.
/// - Names elsewhere: NumPy pad, ONNX Pad, Core ML padding and constantPad.
///
/// ```swift
/// Input(shape: [4, 3]) --> Pad(before: [1, 0], after: [0, 2], mode: .edge)  // 5×5
/// ```
public struct Pad: BuiltInLayer {
  package let label: LayerLabel
  /// The entries added before each axis in memory order.
  public let before: [Int]
  /// The entries added after each axis.
  public let after: [Int]
  /// What is added.
  public let mode: PadMode

  /// Creates a padding.
  ///
  /// - Parameters:
  ///   - before: the entries added before each axis in memory order.
  ///   - after: the entries added after each axis.
  ///   - mode: what is added.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    before: [Int], after: [Int], mode: PadMode = .constant(0), name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.before = before
    self.after = after
    self.mode = mode
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to zeros around an image, or to a table of entries for each axis.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    let shape = lowering.shape(of: input)
    let sizes = try ArgumentRule.known(shape, "known sizes to pad")
    let limit = 1 << 20
    try ArgumentRule.require(
      before.count == sizes.count && after.count == sizes.count
        && (before + after).allSatisfy((-limit...limit).contains),
      "before", "\(before)",
      needs: "numbers from \(-limit) to \(limit) before and after each of \(sizes.count) axes")
    if shape.isImage, mode == .constant(0), before[2] == 0, after[2] == 0,
      (before + after).allSatisfy({ $0 >= 0 })
    {
      let edges = Edges(top: before[0], left: before[1], bottom: after[0], right: after[1])
      lowering.output = try lowering.apply(.pad(edges), to: [input])
      return
    }
    // Zeros around a sequence whose length varies: a table of places would be that of one length.
    if lowering.length != nil, sizes.count == 2, mode == .constant(0), before[1] == 0,
      after[1] == 0, before[0] >= 0, after[0] >= 0
    {
      let row = try lowering.apply(.reshape([1] + sizes), to: [input])
      let padded = try lowering.apply(
        .pad(Edges(top: 0, left: before[0], bottom: 0, right: after[0])), to: [row])
      let output = try lowering.apply(
        .reshape([sizes[0] + before[0] + after[0], sizes[1]]), to: [padded])
      lowering.state(.like(input), of: output)
      lowering.output = output
      return
    }
    var value = input
    for axis in sizes.indices where before[axis] != 0 || after[axis] != 0 {
      let count = sizes[axis] + before[axis] + after[axis]
      guard count >= 1 else { throw .emptyOutput(needs: "an entry of axis \(axis)") }
      // The places of an axis are held in a table.
      let most = SizeRule.maximumConstantCount
      try ArgumentRule.require(
        count <= most, "axis \(axis)", "\(count) entries", needs: "at most \(most)")
      let size = sizes[axis]
      let indices = try mode.places(
        count, from: -before[axis], size: size, axis: axis)
      value = try lowering.apply(
        .gather(axis: axis, indices: indices, value: mode.value), to: [value])
    }
    lowering.output = value == input ? try lowering.apply(.identity, to: [input]) : value
  }
}

/// What a padding adds.
public enum PadMode: Hashable, Sendable {
  /// A number.
  case constant(Float)
  /// The entries mirrored at the first and the last, which are not repeated.
  case reflect
  /// The first and the last entry.
  case edge
  /// The entries from the other end.
  case wrap

  /// The number that is added, 0 for other modes.
  var value: Float {
    if case .constant(let value) = self { value } else { 0 }
  }

  /// The places along an axis of `count` entries from `first` on; −1 for the number.
  func places(
    _ count: Int, from first: Int, size: Int, axis: Int
  ) throws(ShapeError) -> [Int] {
    let last = first + count - 1
    if case .reflect = self {
      try ArgumentRule.require(
        -first < size && last < 2 * size - 1,
        "before", "\(-first) and \(last - size + 1) along axis \(axis)",
        needs: "at most \(size - 1) mirrored entries")
    }
    return (first...last).map { place in
      switch self {
      case .constant: (0..<size).contains(place) ? place : -1
      case .reflect: place < 0 ? -place : place >= size ? 2 * (size - 1) - place : place
      case .edge: min(max(place, 0), size - 1)
      case .wrap: ((place % size) + size) % size
      }
    }
  }
}
