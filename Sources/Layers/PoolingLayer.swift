import ForgeOperations
import ForgeShapes

/// The common part of MaxPooling and AveragePooling: a window that moves over each channel.
package protocol PoolingLayer: BuiltInLayer {
  /// Kernel, stride and padding in pixels.
  var geometry: ConvolutionGeometry { get }
  /// The function applied to each window.
  var kind: PoolingKind { get }
}

extension PoolingLayer {
  /// Lowers to one pooling.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.pooled(try lowering.input(), kind, geometry)
  }
}

extension Lowering {
  /// Applies a pooling whose window must fit into an image.
  mutating func pooled(
    _ image: Value, _ kind: PoolingKind, _ geometry: ConvolutionGeometry
  ) throws(ShapeError) -> Value {
    _ = try geometry.poolingShape(for: shape(of: image))
    // A last window that reaches beyond the padding has fewer taps than the kernel.
    guard kind == .averageAll, geometry.rounding == .ceiling, geometry.padding != .same else {
      return try apply(.pooling(kind, geometry), to: [image])
    }
    let edges = geometry.edges(width: 1, height: 1)
    let window = PoolingWindow(
      kind: .averageAll, kernel: geometry.kernel.rows, strides: geometry.stride.rows,
      dilations: geometry.dilation.rows, before: [edges.top, edges.left],
      after: [edges.bottom, edges.right], rounding: .ceiling)
    return try apply(.poolingND(window), to: [image])
  }
}

extension Size {
  /// Both numbers in memory order.
  fileprivate var rows: [Int] { [height, width] }
}
