/// The rewrites that the planner applies, which can be disabled by name.
enum PlanRewrites {
  /// Operands of a concatenation are written directly to their place in the result.
  static let concatenateInPlace = "concatenateInPlace"
  /// Elementwise steps write over their input.
  static let reuseInPlace = "reuseInPlace"
  /// Convolutions apply the following max pooling as they store.
  static let fusePooling = "fusePooling"

  /// The convolution algorithms that can be disabled, and the others.
  static let names =
    ConvolutionAlgorithms.rewriteNames + [fusePooling, concatenateInPlace, reuseInPlace]
}
