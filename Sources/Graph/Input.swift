import ForgeOperations
import ForgeShapes

/// The description of an input: ``Input(width:height:channels:name:fileID:line:column:)``.
package struct InputDescription: Sendable {
  /// The name, if given.
  package private(set) var name: String?
  /// The declared shape; with the largest length of a sequence.
  package let shape: Shape
  /// The sizes as they were declared, `nil` for any; empty for an image.
  private let sizes: [InputSize?]
  /// The source location.
  package let place: SourcePlace
  /// Whether the values are integers of 32 or 64 bits, which a prediction checks.
  package private(set) var isInteger = false

  package init(name: String?, shape: Shape, place: SourcePlace) {
    self.name = name
    self.shape = shape
    sizes = []
    self.place = place
  }

  package init(name: String?, sizes: [InputSize?], place: SourcePlace) {
    self.name = name
    shape = Shape(sizes.map { $0?.maximum })
    self.sizes = sizes
    self.place = place
  }

  /// The description of an input of integers of 32 or 64 bits.
  package var ofIntegers: InputDescription {
    var description = self
    description.isInteger = true
    return description
  }

  /// The same description under another name.
  package func named(_ name: String) -> InputDescription {
    var description = self
    description.name = name
    return description
  }

  /// The axes that follow the length of a sequence, which each prediction chooses.
  package var lengthAxes: [LengthAxis] {
    sizes.enumerated().compactMap { axis, size in
      size?.progression.map { LengthAxis(axis: axis, sizes: $0) }
    }
  }

  /// The axes whose size each prediction chooses by itself.
  package var openAxes: [OpenAxis] {
    sizes.enumerated().compactMap { axis, size in
      guard let name = size?.openName, let sizes = size?.openSizes else { return nil }
      return OpenAxis(axis: axis, name: name, sizes: sizes)
    }
  }

  /// The same input with fixed sizes.
  func with(_ shape: Shape) -> InputDescription {
    var description = InputDescription(name: name, shape: shape, place: place)
    description.isInteger = isInteger
    return description
  }

  /// Checks and returns the shape.
  package func checkedShape() throws(ShapeError) -> Shape {
    for (size, axis) in zip(shape.dimensions, shape.axes) {
      if let size { try ArgumentRule.positive(size, shape.isImage ? axis.rawValue : "size") }
    }
    for size in sizes { try size?.check() }
    return try SizeRule.bounded(shape)
  }
}

// The functions below are spelled like layers, so that a description reads as a list of nouns.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// An image input of a model, in row-major order: height, width, channels.
///
/// Without width and height it takes images of any size. Every layer that needs to know the size
/// must then follow a `Resize`.
///
/// - Parameters:
///   - width: pixels in a row; `nil` for any.
///   - height: rows; `nil` for any.
///   - channels: values per pixel.
///   - name: the name under which `predict` takes it; by default `input`, then `input2`…
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: the tensor to build on.
public func Input(
  width: Int? = nil, height: Int? = nil, channels: Int = 3, name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Tensor {
  Tensor(
    .input(
      InputDescription(
        name: name, shape: Shape(width: width, height: height, channels: channels),
        place: SourcePlace(fileID: fileID, line: line, column: column))))
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// An input tensor of any rank, with its sizes in memory order.
///
/// - Parameters:
///   - shape: the sizes, outermost first.
///   - name: the name under which `predict` takes it; by default `input`, then `input2`…
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: the tensor to build on.
public func Input(
  shape: [Int], name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Tensor {
  Tensor(
    .input(
      InputDescription(
        name: name, shape: Shape(sizes: shape),
        place: SourcePlace(fileID: fileID, line: line, column: column))))
}

extension Tensor {
  /// A new input like this one whose values are integers of 32 or 64 bits; importers make it.
  ///
  /// A prediction refuses integers that Float32 may not hold exactly.
  package var ofIntegers: Tensor {
    guard case .input(let description) = source else { return self }
    return Tensor(.input(description.ofIntegers))
  }
}
