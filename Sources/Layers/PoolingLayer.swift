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
  /// The geometry of a pooling, whose stride defaults to the kernel's size.
  package static func geometry(
    kernel: (width: Int, height: Int), stride: (x: Int, y: Int)?, padding: Padding
  ) -> ConvolutionGeometry {
    let stride = stride ?? (kernel.width, kernel.height)
    return ConvolutionGeometry(
      kernel: Size(kernel), stride: Size(width: stride.x, height: stride.y), padding: padding)
  }

  /// Lowers to one pooling.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    _ = try geometry.poolingShape(for: lowering.shape(of: try lowering.input()))
    lowering.output = try lowering.applyToInput(.pooling(kind, geometry))
  }
}
