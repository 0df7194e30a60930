import ForgeOperations
import ForgeShapes

/// A size of an ``Input(shape:name:fileID:line:column:)-([InputSize],_,_,_,_)``: fixed, or chosen
/// for each prediction.
///
/// ```swift
/// let ids = Input(shape: [.upTo(512)], name: "ids")  // up to 512 words
/// let frames = Input(shape: [.upTo(1000), 80])  // up to 1000 steps of 80 numbers
/// let sound = Input(shape: [.stepping(from: 400, through: 160_080, by: 320), 1])
/// let page = Input(shape: [.open("height", 32...960, step: 32), .open("width", 32...960), 3])
/// ```
public enum InputSize: Hashable, Sendable, Encodable, ExpressibleByIntegerLiteral {
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
  /// A size within a range that each prediction chooses, independently of other sizes.
  ///
  /// A model may have any number of them. Sizes with the same name have the same range and are
  /// equal in a prediction. The plan for a combination of sizes is built at the first prediction
  /// with it, and kept; see `CompileOptions.planCacheSize`. All plans share the packed parameters.
  case open(_ name: String, _ sizes: ClosedRange<Int>, step: Int = 1)

  /// A fixed size.
  public init(integerLiteral size: Int) { self = .exactly(size) }

  /// The size, or the largest one.
  package var maximum: Int {
    switch self {
    case .exactly(let size), .upTo(let size): size
    case .stepping(_, let last, _): progression?.last ?? last
    case .open(_, let sizes, _): openSizes?.last ?? sizes.upperBound
    }
  }

  /// Whether the size is the length of a sequence, which each prediction chooses.
  package var isLength: Bool {
    switch self {
    case .exactly, .open: false
    case .upTo, .stepping: true
    }
  }

  /// The name of an open size.
  package var openName: String? {
    if case .open(let name, _, _) = self { name } else { nil }
  }

  /// The sizes of an open size; `nil` for others and for arguments out of range.
  package var openSizes: SizeProgression? {
    guard case .open(_, let sizes, let step) = self else { return nil }
    return SizeProgression(from: sizes.lowerBound, through: sizes.upperBound, by: step)
  }

  /// The lengths from which a prediction chooses; `nil` for other sizes and for arguments out of
  /// range.
  package var progression: SizeProgression? {
    switch self {
    case .exactly, .open: nil
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
    case .open(let name, let sizes, let step):
      try ArgumentRule.require(
        openSizes != nil, "open", "\"\(name)\", \(sizes), step: \(step)",
        needs: "numbers from 1 to \(ConvolutionGeometry.maximumArgument)")
      try ArgumentRule.require(
        !name.isEmpty, "open", "a size without a name", needs: "a name, such as \"width\"")
    }
  }

  /// The size as it is written in source.
  package var sourceText: String {
    switch self {
    case .exactly(let size): "\(size)"
    case .upTo(let size): ".upTo(\(size))"
    case .stepping(let first, let last, let step):
      ".stepping(from: \(first), through: \(last), by: \(step))"
    case .open(let name, let sizes, let step):
      ".open(\"\(name)\", \(sizes.lowerBound)...\(sizes.upperBound)"
        + (step == 1 ? ")" : ", step: \(step))")
    }
  }
}

// A function that is spelled like a layer, as the other forms of an input.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// An input tensor of any rank whose sizes may change from prediction to prediction.
///
/// Shapes and `summary()` show the largest sizes. With lengths, the model is compiled once, for the
/// largest one; shorter sequences take the first part of the same memory and less time. With open
/// sizes, layers are described for the largest sizes and then follow others: their arguments are
/// the same for all.
///
/// - Parameters:
///   - shape: the sizes, outermost first: numbers, ``InputSize/exactly(_:)``,
///     ``InputSize/upTo(_:)``, ``InputSize/stepping(from:through:by:)`` and
///     ``InputSize/open(_:_:step:)``.
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

// swift-format-ignore: AlwaysUseLowerCamelCase
/// An image input whose width or height each prediction chooses within a range.
///
/// ```swift
/// let page = Input(
///   width: .open("width", 32...960, step: 32), height: .open("height", 32...960, step: 32))
/// ```
///
/// - Parameters:
///   - width: pixels in a row: a number or ``InputSize/open(_:_:step:)``.
///   - height: rows: a number or ``InputSize/open(_:_:step:)``.
///   - channels: values per pixel.
///   - name: the name under which `predict` takes it; by default `input`, then `input2`…
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: the tensor to build on, with the largest sizes as its shape.
@_disfavoredOverload  // Numbers are those of an input of fixed sizes.
public func Input(
  width: InputSize, height: InputSize, channels: Int = 3, name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Tensor {
  Input(
    shape: [height, width, .exactly(channels)], name: name, fileID: fileID, line: line,
    column: column)
}
