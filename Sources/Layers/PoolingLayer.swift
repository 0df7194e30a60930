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
    _ = try geometry.poolingShape(for: lowering.shape(of: try lowering.input()))
    lowering.output = try lowering.applyToInput(.pooling(kind, geometry))
  }
}
