import ForgeGraph
import ForgeOperations
import ForgeShapes

/// The inputs whose sizes hold the length of a sequence, which each prediction chooses.
struct SequenceLength: Sendable {
  /// The largest length.
  let maximum: Int
  /// The axes of each input whose size is the length.
  let axes: [[Int]]
  /// The declared shapes of the inputs.
  private let shapes: [Shape]
  private let names: [String]
  /// The number of values of each input for a sequence of length 1.
  private let unitCounts: [Int]

  /// The lengths of a model; `nil` if all sizes are fixed.
  init?(_ inference: Inference) {
    guard let maximum = inference.maximumLength else { return nil }
    self.maximum = maximum
    let nodes = inference.inputs.map { inference.nodes[$0] }
    axes = nodes.map(\.lengthAxes)
    names = nodes.map(\.name)
    shapes = nodes.compactMap(\.shape)
    unitCounts = zip(shapes, axes).map { $0.replacing($1, by: 1).elementCount ?? 1 }
  }

  /// The length of an input of so many values; `nil` for an input of fixed size.
  ///
  /// It allocates only to throw.
  ///
  /// - Throws: ``PredictionError`` when there is no such length up to the maximum.
  func length(ofInput index: Int, count: Int) throws(PredictionError) -> Int? {
    guard !axes[index].isEmpty else { return nil }
    guard let length = root(index, count), length <= maximum else {
      throw wrong(index, received: ShapeError.counted(count, "value"))
    }
    return length
  }

  private func wrong(_ index: Int, received: String) -> PredictionError {
    .wrongLength(
      names[index], received: received, shape: shapes[index], maximum: maximum, axes: axes[index])
  }

  /// The length of an input of this shape; `nil` for an input of fixed size.
  ///
  /// - Throws: ``PredictionError`` when it is not the shape of a length up to the maximum.
  func length(ofInput index: Int, shape: Shape) throws(PredictionError) -> Int? {
    guard let axis = axes[index].first else { return nil }
    guard let length = shape.dimensions.dropFirst(axis).first ?? nil,
      (1...maximum).contains(length), shape == shapes[index].replacing(axes[index], by: length)
    else { throw wrong(index, received: "\(shape)") }
    return length
  }

  /// The length of which so many values are the product with the other sizes.
  private func root(_ index: Int, _ count: Int) -> Int? {
    let unit = unitCounts[index]
    guard count > 0, count.isMultiple(of: unit) else { return nil }
    let product = count / unit
    if axes[index].count == 1 { return product }
    func power(_ length: Int) -> Int {
      axes[index].reduce(1) { power, _ in power.multipliedSaturated(by: length) }
    }
    // By trial, as lengths are small.
    var length = 1
    while power(length) < product { length += 1 }
    return power(length) == product ? length : nil
  }
}

extension CompiledModel {
  /// The largest length of the sequences that the network takes, as ``InputSize/upTo(_:)`` declares
  /// it; `nil` if all sizes are fixed.
  public var maximumLength: Int? { sequenceLength?.maximum }

  /// The length of the sequences in the inputs of a prediction, given the sizes or the number of
  /// values of each; `nil` if all sizes are fixed.
  func length(
    of inputs: [(shape: Shape?, count: Int)]
  ) throws(PredictionError) -> Int? {
    guard let sequenceLength else { return nil }
    var found: [(name: String, length: Int)] = []
    for (index, input) in inputs.enumerated() {
      let length =
        if let shape = input.shape {
          try sequenceLength.length(ofInput: index, shape: shape)
        } else {
          try sequenceLength.length(ofInput: index, count: input.count)
        }
      if let length { found.append((inputNames[index], length)) }
    }
    guard let first = found.first, found.allSatisfy({ $0.length == first.length }) else {
      throw .differentLengths(found)
    }
    return first.length
  }

  /// Checks a length.
  func check(length: Int) throws(PredictionError) {
    guard let maximum = maximumLength else { throw .fixedLength }
    guard (1...maximum).contains(length) else {
      throw .wrongLength(length, maximum: maximum)
    }
  }
}

extension PredictionError {
  /// An input that is no sequence of a length up to the maximum.
  static func wrongLength(
    _ input: String, received: String, shape: Shape, maximum: Int, axes: [Int]
  ) -> PredictionError {
    let sizes = shape.dimensions.enumerated().map { axis, size in
      axes.contains(axis) ? "length" : size.map(String.init) ?? "?"
    }
    return PredictionError(
      .wrongShape, "input \"\(input)\" has the wrong length", received: received,
      needs: "\(sizes.joined(separator: "×")), with a length from 1 to \(maximum)",
      remedy: "shorten the sequence, or declare a larger .upTo in Input(shape:)")
  }

  static func wrongLength(_ length: Int, maximum: Int) -> PredictionError {
    PredictionError(
      .wrongShape, "the network takes no sequences of this length", received: "\(length)",
      needs: "1 to \(maximum)",
      remedy: "shorten the sequence, or declare a larger .upTo in Input(shape:)")
  }

  static var fixedLength: PredictionError {
    PredictionError(
      .wrongShape, "the network takes no sequences of changing length",
      remedy: "declare one with .upTo in Input(shape:)")
  }

  static func differentLengths(_ inputs: [(name: String, length: Int)]) -> PredictionError {
    PredictionError(
      .wrongShape, "the inputs differ in length",
      received: inputs.map { "\($0.length) in \"\($0.name)\"" }.joined(separator: ", "),
      needs: "one length for all inputs of a prediction")
  }
}
