import ForgeShapes

/// A size of an ``Input(shape:name:fileID:line:column:)-([InputSize],_,_,_,_)``: fixed, or chosen
/// for each prediction.
///
/// ```swift
/// let ids = Input(shape: [.upTo(512)], name: "ids")  // up to 512 words
/// let frames = Input(shape: [.upTo(1000), 80])  // up to 1000 steps of 80 numbers
/// ```
public enum InputSize: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The same in every prediction.
  case exactly(Int)
  /// The length of a sequence: from 1 to this number, from prediction to prediction.
  ///
  /// All such sizes of a model state the same maximum and have the same length in a prediction.
  case upTo(Int)

  /// A fixed size.
  public init(integerLiteral size: Int) { self = .exactly(size) }

  /// The size, or the largest one.
  package var maximum: Int {
    switch self {
    case .exactly(let size), .upTo(let size): size
    }
  }

  /// Whether the size is chosen for each prediction.
  package var varies: Bool {
    if case .upTo = self { true } else { false }
  }
}

// A function that is spelt like a layer, as the other forms of an input.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// An input tensor of any rank whose length may change from prediction to prediction.
///
/// The model is compiled once, for the largest length. Shorter sequences take the first part of the
/// same memory and less time. Shapes and `summary()` show the largest length.
///
/// - Parameters:
///   - shape: the sizes, outermost first: numbers, ``InputSize/exactly(_:)`` and
///     ``InputSize/upTo(_:)``.
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
        name: name, shape: Shape(sizes: shape.map(\.maximum)),
        lengthAxes: shape.indices.filter { shape[$0].varies },
        place: SourcePlace(fileID: fileID, line: line, column: column))))
}
