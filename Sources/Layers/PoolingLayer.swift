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

  /// One pooling.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    _ = try geometry.poolingShape(for: lowering.shape(of: try lowering.input()))
    lowering.output = try lowering.applyToInput(.pooling(kind, geometry))
  }
}
