import ForgeGraph
import ForgeOperations
import ForgeShapes

/// The inputs whose sizes follow the length of a sequence, which each prediction chooses.
///
/// Inside, a length is the place of a size among those that an input may have. To the caller it is
/// the size itself, along the first axis that follows it.
struct SequenceLength: Sendable {
  /// The sizes along the first axis that follows the length.
  let sizes: SizeProgression
  /// The axes of each input that follow the length.
  let axes: [[LengthAxis]]
  /// The declared shapes of the inputs.
  private let shapes: [Shape]
  private let names: [String]
  /// The product of the other sizes of each input.
  private let unitCounts: [Int]

  /// The lengths of a model; `nil` if all sizes are fixed.
  init?(_ inputs: [NetworkFacts.Input]) {
    axes = inputs.map(\.lengthAxes)
    guard let sizes = axes.joined().first?.sizes else { return nil }
    self.sizes = sizes
    names = inputs.map(\.name)
    shapes = inputs.map(\.shape)
    unitCounts = zip(shapes, axes).map { shape, axes in
      let open = Set(axes.map(\.axis))
      return shape.dimensions.enumerated().reduce(1) { product, size in
        open.contains(size.offset) ? product : product * (size.element ?? 1)
      }
    }
  }

  /// The shape of an input for a length.
  func shape(ofInput index: Int, length: Int) -> Shape {
    shapes[index].replacing(axes[index], length: length)
  }

  /// The length of an input of this many values; `nil` for an input of fixed size.
  ///
  /// It allocates only to throw.
  ///
  /// - Throws: ``PredictionError`` when no length has this many.
  func length(ofInput index: Int, count: Int) throws(PredictionError) -> Int? {
    guard !axes[index].isEmpty else { return nil }
    guard let length = place(index, count) else {
      let isLength = axes[index].count > 1 || count.isMultiple(of: unitCounts[index])
      throw wrong(
        index, received: ShapeError.counted(count, "value"), isLength: isLength,
        isEmpty: count == 0)
    }
    return length
  }

  /// The error for an input that has no length of the network; `isLength` says that it would fit
  /// with other lengths.
  private func wrong(
    _ index: Int, received: String, isLength: Bool, isEmpty: Bool
  ) -> PredictionError {
    .wrongLength(
      names[index], received: received, shape: shapes[index], axes: axes[index],
      isLength: isLength, isEmpty: isEmpty)
  }

  /// The length of an input of this shape; `nil` for an input of fixed size.
  ///
  /// - Throws: ``PredictionError`` when it is the shape of no length.
  func length(ofInput index: Int, shape: Shape) throws(PredictionError) -> Int? {
    guard let axis = axes[index].first else { return nil }
    guard let size = shape.dimensions.dropFirst(axis.axis).first ?? nil,
      let length = axis.sizes.place(of: size), shape == self.shape(ofInput: index, length: length)
    else {
      let open = Set(axes[index].map(\.axis))
      let isLength =
        shape.rank == shapes[index].rank
        && shape.dimensions.indices.allSatisfy {
          open.contains($0) || shape.dimensions[$0] == shapes[index].dimensions[$0]
        }
      throw wrong(
        index, received: "\(shape)", isLength: isLength, isEmpty: shape.elementCount == 0)
    }
    return length
  }

  /// The length at which an input has this many values.
  private func place(_ index: Int, _ values: Int) -> Int? {
    let unit = unitCounts[index]
    guard values > 0, values.isMultiple(of: unit) else { return nil }
    let product = values / unit
    if axes[index].count == 1 { return axes[index][0].sizes.place(of: product) }
    // By trial, as lengths are small.
    var length = 1
    while length < sizes.count, size(index, length) < product { length += 1 }
    return size(index, length) == product ? length : nil
  }

  /// The product of the sizes of an input that follow the length.
  private func size(_ index: Int, _ length: Int) -> Int {
    axes[index].reduce(1) { product, axis in product.multipliedSaturated(by: axis.sizes[length]) }
  }
}

extension CompiledModel {
  /// The largest length of the sequences that the network takes; `nil` if all sizes are fixed.
  ///
  /// It is the largest size of the first axis that ``InputSize/upTo(_:)`` or
  /// ``InputSize/stepping(from:through:by:)`` declares.
  public var maximumLength: Int? { sequenceLength?.sizes.last }

  /// The length of the sequences in the inputs of a prediction, given the sizes or the number of
  /// values of each; `nil` if all sizes are fixed.
  func length(
    of inputs: [(shape: Shape?, count: Int)]
  ) throws(PredictionError) -> Int? {
    guard let sequenceLength else { return nil }
    var found: [(index: Int, length: Int)] = []
    for (index, input) in inputs.enumerated() {
      let length =
        if let shape = input.shape {
          try sequenceLength.length(ofInput: index, shape: shape)
        } else {
          try sequenceLength.length(ofInput: index, count: input.count)
        }
      if let length { found.append((index, length)) }
    }
    guard let first = found.first else { return nil }
    guard found.allSatisfy({ $0.length == first.length }) else {
      throw .differentLengths(
        found.map { index, length in
          let sizes = sequenceLength.axes[index][0].sizes
          return (inputNames[index], sizes[length], sizes[first.length])
        })
    }
    return first.length
  }

  /// The place of a size among the lengths of the network.
  func place(ofLength size: Int) throws(PredictionError) -> Int {
    guard let sizes = sequenceLength?.sizes else { throw .fixedLength }
    guard let place = sizes.place(of: size) else { throw .wrongLength(size, sizes) }
    return place
  }
}

extension PredictionError {
  /// An input whose size is that of no length.
  static func wrongLength(
    _ input: String, received: String, shape: Shape, axes: [LengthAxis], isLength: Bool,
    isEmpty: Bool
  ) -> PredictionError {
    let sizes = shape.dimensions.enumerated().map { axis, size in
      axes.contains { $0.axis == axis } ? "length" : size.map(String.init) ?? "?"
    }
    let lengths = axes.first?.sizes
    return PredictionError(
      .wrongShape, "input \"\(input)\" has the wrong \(isLength ? "length" : "size")",
      received: received,
      needs: "\(sizes.joined(separator: "×")), with a length \(lengths?.text ?? "")",
      remedy: isLength && !isEmpty ? lengths.map(remedy) : nil)
  }

  static func wrongLength(_ length: Int, _ lengths: SizeProgression) -> PredictionError {
    PredictionError(
      .wrongShape, "the network takes no sequences of this length", received: "\(length)",
      needs: "a length \(lengths.text)", remedy: remedy(lengths))
  }

  private static func remedy(_ lengths: SizeProgression) -> String {
    lengths.first == 1 && lengths.step == 1
      ? "shorten the sequence, or declare a larger .upTo in Input(shape:)"
      : "pad or shorten the sequence, or declare other sizes in Input(shape:)"
  }

  static var fixedLength: PredictionError {
    PredictionError(
      .wrongShape, "the network takes no sequences of changing length",
      remedy: "declare one with .upTo or .stepping in Input(shape:)")
  }

  /// The error for inputs whose sizes belong to different lengths; `matching` is the size that
  /// belongs to that of the first input.
  static func differentLengths(
    _ inputs: [(name: String, size: Int, matching: Int)]
  ) -> PredictionError {
    let text = { (name: String, size: Int) in "\(size) in \"\(name)\"" }
    let others = inputs.filter { $0.size != $0.matching }.map { text($0.name, $0.matching) }
    let first = inputs.first.map { text($0.name, $0.size) } ?? ""
    return PredictionError(
      .wrongShape, "the inputs differ in length",
      received: inputs.map { text($0.name, $0.size) }.joined(separator: ", "),
      needs: "\(others.joined(separator: ", ")) with \(first)")
  }
}
