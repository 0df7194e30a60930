/// The rewrites of the planner, which can be disabled by name.
enum PlanRewrites {
  /// Operands of a concatenation are written directly into the result.
  static let concatenateInPlace = "concatenateInPlace"
  /// Whole blocks of channels of an image are read where they are.
  static let viewChannels = "viewChannels"
  /// Elementwise steps overwrite their input.
  static let reuseInPlace = "reuseInPlace"
  /// Convolutions apply a subsequent maximum pooling before storing.
  static let fusePooling = "fusePooling"

  /// All names, including those of the convolution algorithms that can be disabled.
  static let names =
    ConvolutionAlgorithmList.rewriteNames + [
      fusePooling, concatenateInPlace, viewChannels, reuseInPlace,
    ]
}
