import ForgeShapes

/// What a model is given: the fields of ``Input(width:height:channels:name:fileID:line:column:)``.
package struct InputDescription: Sendable {
  /// The name given.
  package let name: String?
  /// The declared shape.
  package let shape: Shape
  /// The place in source.
  package let place: SourcePlace

  /// The shape, checked.
  package func checkedShape() throws(ShapeError) -> Shape {
    for (size, axis) in zip(shape.dimensions, shape.axes) {
      if let size { try ArgumentRule.positive(size, shape.isImage ? axis.rawValue : "size") }
    }
    return try SizeRule.bounded(shape)
  }
}

// The functions below are spelt as layers are: a description reads as one list of nouns.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// An image a model takes: plain row-major height, width, channels.
///
/// Without width and height it takes pictures of any size; then every layer that needs to know the
/// size must come after a `Resize`.
///
/// - Parameters:
///   - width: pixels in a row; `nil` for any.
///   - height: rows; `nil` for any.
///   - channels: values per pixel.
///   - name: the name under which `predict` takes it; `input` unless given, then `input2`…
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
/// A tensor of any rank a model takes, its sizes in memory order.
///
/// - Parameters:
///   - shape: the sizes, outermost first.
///   - name: the name under which `predict` takes it; `input` unless given, then `input2`…
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
