import Forge
import ForgeLayers
import ForgeOperations
import ForgeShapes

// What initializers call otherwise than the layers' properties. The generated extensions read a
// property of each parameter's name: one that is missing does not compile.

extension WeightedLayer {
  var useBias: Bool { hasBias }
}

/// A layer that keeps its window in one field.
protocol WindowLayer {
  var geometry: ConvolutionGeometry { get }
}

extension WindowLayer {
  var kernel: Size { geometry.kernel }
  var stride: Size { geometry.stride }
  var dilation: Size { geometry.dilation }
  var padding: Padding { geometry.padding }
  var rounding: WindowRounding { geometry.rounding }
}

extension ForgeLayers.AveragePooling: WindowLayer {}
extension ForgeLayers.Convolution: WindowLayer {}
extension ForgeLayers.DepthwiseConvolution: WindowLayer {}
extension ForgeLayers.MaxPooling: WindowLayer {}
extension ForgeLayers.PointwiseConvolution: WindowLayer {}

extension ForgeLayers.SeparableConvolution: WindowLayer {
  var useBias: Bool { hasBias }
}

extension ForgeLayers.TransposedConvolution: WindowLayer {
  var useBias: Bool { hasBias }
}

extension ForgeLayers.Convolution1D {
  var useBias: Bool { hasBias }
}

extension ForgeLayers.DepthwiseConvolution1D {
  var useBias: Bool { hasBias }
}

extension ForgeLayers.SeparableConvolution1D {
  var useBias: Bool { hasBias }
}

extension ForgeLayers.TransposedConvolution1D {
  var useBias: Bool { hasBias }
}

extension ForgeLayers.BatchNormalization {
  var center: Bool { isCentered }
  var scale: Bool { isScaled }
}

extension ForgeLayers.GroupNormalization {
  var center: Bool { isCentered }
  var scale: Bool { isScaled }
}

extension ForgeLayers.InstanceNormalization {
  var center: Bool { isCentered }
  var scale: Bool { isScaled }
}

extension ForgeLayers.LayerNormalization {
  var center: Bool { isCentered }
  var scale: Bool { isScaled }
}

extension ForgeLayers.RMSNormalization {
  var scale: Bool { isScaled }
}

extension ForgeLayers.AdaptiveAveragePooling {
  var width: Int { size.width }
  var height: Int { size.height }
}

extension ForgeLayers.Resize {
  var width: Int { size.width }
  var height: Int { size.height }
}

extension ForgeLayers.Crop {
  var top: Int { edges.top }
  var left: Int { edges.left }
  var bottom: Int { edges.bottom }
  var right: Int { edges.right }
}

extension ForgeLayers.ZeroPadding {
  var top: Int { edges.top }
  var left: Int { edges.left }
  var bottom: Int { edges.bottom }
  var right: Int { edges.right }
}

extension ForgeLayers.PoolingND {
  var kind: PoolingNDKind { window.kind }
  var kernel: [Int] { window.kernel }
  var strides: [Int]? { window.strides.unless(1) }
  var dilations: [Int]? { window.dilations.unless(1) }
  var before: [Int]? { window.before.unless(0) }
  var after: [Int]? { window.after.unless(0) }
  var rounding: WindowRounding { window.rounding }
}

extension [Int] {
  /// The numbers, unless all of them are one that is left out.
  fileprivate func unless(_ number: Int) -> [Int]? {
    allSatisfy { $0 == number } ? nil : self
  }
}

extension ForgeLayers.MultiHeadAttention {
  var heads: Int { rule.heads }
  var keyValueHeads: Int? { rule.groups == rule.heads ? nil : rule.groups }
  var scale: Float? { rule.scale }
  var isCausal: Bool { rule.causalOffset != nil }
  var mask: AttentionRule.Mask { rule.mask }
  var useBias: Bool { hasBias }
}

extension ForgeLayers.ScaledDotProductAttention {
  var heads: Int { rule.heads }
  var keyValueHeads: Int? { rule.groups == rule.heads ? nil : rule.groups }
  var scale: Float? { rule.scale }
  var isCausal: Bool { rule.causalOffset != nil }
  var cap: Float? { rule.cap }
  var mask: AttentionRule.Mask { rule.mask }
}
