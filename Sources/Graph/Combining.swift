import ForgeLayers
import ForgeShapes

// These functions are spelled like the layers that they apply.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Tensors joined along an axis, by default the channels: `Concatenate([a, b])`.
///
/// - Parameters:
///   - tensors: one or more tensors that agree on every other axis.
///   - axis: the axis in memory order; negative ones count from the last.
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: the joined tensor.
public func Concatenate(
  _ tensors: [Tensor], axis: Int = -1, name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Tensor {
  let layer = ForgeLayers.Concatenate(
    axis: axis, name: name, fileID: fileID, line: line, column: column)
  return Tensor.applying(layer, to: tensors)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A tensor known when the model is described.
///
/// - Parameters:
///   - values: the elements in row-major order.
///   - shape: the sizes in memory order; by default one axis with all values.
///   - name: the name in summaries.
///   - fileID: the file; leave it out.
///   - line: the line; leave it out.
///   - column: the column; leave it out.
/// - Returns: the tensor, to be combined with others.
public func Constant(
  _ values: [Float], shape: [Int]? = nil, name: String? = nil,
  fileID: String = #fileID, line: Int = #line, column: Int = #column
) -> Tensor {
  let layer = ForgeLayers.Constant(
    values, shape: Shape(sizes: shape ?? [values.count]), name: name, fileID: fileID, line: line,
    column: column)
  return Tensor.applying(layer, to: [])
}
