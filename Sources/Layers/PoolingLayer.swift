import ForgeOperations
import ForgeShapes

/// What MaxPooling and AveragePooling have in common: a window that moves over each channel.
package protocol PoolingLayer: Layer {
  /// Kernel, stride and padding in pixels.
  var geometry: ConvolutionGeometry { get }
  /// What is taken of each window.
  var kind: PoolingKind { get }
}

extension PoolingLayer {
  /// The geometry of a pooling, whose stride is the kernel's size unless stated.
  package static func geometry(
    kernel: (width: Int, height: Int), stride: (x: Int, y: Int)?, padding: Padding
  ) -> ConvolutionGeometry {
    let stride = stride ?? (kernel.width, kernel.height)
    return ConvolutionGeometry(
      kernel: Size(kernel), stride: Size(width: stride.x, height: stride.y), padding: padding)
  }

  /// The input's size under the moving window, with the input's channels.
  package func poolingShape(for inputs: [Shape]) throws(ShapeError) -> Shape {
    try geometry.poolingShape(for: try ArgumentRule.single(inputs))
  }

  /// One pooling.
  package func pool(in lowering: inout Lowering) throws(ShapeError) -> Lowering.Value {
    try lowering.apply(.pooling(kind, geometry), to: lowering.inputs)
  }
}
