import ForgeOperations
import ForgeShapes

/// A size of an ``Input(shape:name:fileID:line:column:)-([InputSize],_,_,_,_)``: fixed, or chosen
/// for each prediction.
///
/// ```swift
/// let ids = Input(shape: [.upTo(512)], name: "ids")  // up to 512 words
/// let frames = Input(shape: [.upTo(1000), 80])  // up to 1000 steps of 80 numbers
/// let sound = Input(shape: [.stepping(from: 400, through: 160_080, by: 320), 1])
/// ```
public enum InputSize: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The same in every prediction.
  case exactly(Int)
  /// The length of a sequence: from 1 to this number, from prediction to prediction.
  ///
  /// All such sizes of a model state the same maximum and have the same length in a prediction.
  case upTo(Int)
  /// One of the sizes of `stride(from:through:by:)`, from prediction to prediction.
  ///
  /// It is for networks with strides along the sequence, whose sizes grow evenly with every `by`,
  /// and for those that need some length: `.stepping(from: 5, through: 512, by: 1)`.
  ///
  /// All sizes of a model that vary have equally many values. A prediction has the first of all,
  /// or the second of all, and so on.
  case stepping(from: Int, through: Int, by: Int)

  /// A fixed size.
  public init(integerLiteral size: Int) { self = .exactly(size) }

  /// The size, or the largest one.
  package var maximum: Int {
    switch self {
    case .exactly(let size), .upTo(let size): size
    case .stepping(_, let last, _): progression?.last ?? last
    }
  }

  /// Whether the size is chosen for each prediction.
  package var varies: Bool {
    if case .exactly = self { false } else { true }
  }

  /// The sizes from which a prediction chooses; `nil` for a fixed size and for arguments out of
  /// range.
  package var progression: SizeProgression? {
    switch self {
    case .exactly: nil
    case .upTo(let last): SizeProgression(from: 1, through: last, by: 1)
    case .stepping(let first, let last, let step):
      SizeProgression(from: first, through: last, by: step)
    }
  }

  /// Checks that there are enough sizes to choose from, but not too many.
  package func check() throws(ShapeError) {
    let (range, count) = (LengthRange.allowed, progression?.count ?? 0)
    switch self {
    case .exactly: return
    case .upTo(let last):
      try ArgumentRule.require(
        range.contains(count), "upTo", "\(last)",
        needs: "a largest length from \(range.lowerBound) to \(range.upperBound)")
    case .stepping(let first, let last, let step):
      try ArgumentRule.require(
        range.contains(count), "stepping", "from \(first) through \(last) by \(step)",
        needs: "\(range.lowerBound) sizes or more, and numbers from 1 to \(range.upperBound)")
    }
  }

  /// The size as it is written in source.
  package var sourceText: String {
    switch self {
    case .exactly(let size): "\(size)"
    case .upTo(let size): ".upTo(\(size))"
    case .stepping(let first, let last, let step):
      ".stepping(from: \(first), through: \(last), by: \(step))"
    }
  }
}

// A function that is spelled like a layer, as the other forms of an input.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// An input tensor of any rank whose length may change from prediction to prediction.
///
/// The model is compiled once, for the largest length. Shorter sequences take the first part of the
/// same memory and less time. Shapes and `summary()` show the largest length.
///
/// - Parameters:
///   - shape: the sizes, outermost first: numbers, ``InputSize/exactly(_:)``,
///     ``InputSize/upTo(_:)`` and ``InputSize/stepping(from:through:by:)``.
///   - name: the name under which `predict` takes it; by default `input`, then `input2`…
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: the tensor to build on.
@_disfavoredOverload  // An empty shape is one of numbers.
public func Input(
  shape: [InputSize], name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Tensor {
  Tensor(
    .input(
      InputDescription(
        name: name, sizes: shape,
        place: SourcePlace(fileID: fileID, line: line, column: column))))
}
