extension CompileOptions {
  /// What dense layers and convolutions are computed in; tensors between them, and all other layers, stay Float32.
  ///
  /// A layer that is not faster in the precision asked for stays Float32, as do the first convolution of an image,
  /// depthwise and grouped convolutions. Where the processor lacks the instructions, the whole network does, and
  /// ``CompileReport/precision`` says so. `verify` compares with the reference executor in double precision, so
  /// that ``Verification/errors`` are the precision's own:
  /// ```swift
  /// let options = CompileOptions(verify: .samples(4), precision: .bfloat16)
  /// print(try model.compile(parameters: source, options: options).report)
  /// ```
  /// Neither threads nor batch nor slot changes a bit of any result.
  public enum Precision: String, Sendable, CaseIterable {
    /// Float32: a relative rounding error of 2⁻²⁴ per operation.
    ///
    /// Weights of large dense layers, and of convolutions with one output pixel, are kept as 24 bits of fixed point,
    /// each output's as multiples of its largest over 2²³, where their error is within ``CompileOptions/accuracy``; the
    /// rewrite `fixedPointWeights` may be disabled.
    case float32
    /// Weights of dense layers, and of convolutions with one output pixel, stored as IEEE halves, each output's by a
    /// power of two so that none overflows; arithmetic in Float32.
    ///
    /// These layers take as long as their weights take to read. A weight is off by 2⁻¹¹ of itself at most. Needs
    /// AVX-512, or AVX2 with F16C.
    case halfWeights
    /// Products of bfloat16, sums in Float32.
    ///
    /// Weights and inputs are rounded to 8 bits, off by 2⁻⁸ of themselves at most. Denormal numbers count as
    /// zero. Needs AVX512-BF16.
    case bfloat16
    /// Products of 8-bit integers, sums exact.
    ///
    /// Weights w of an output are round(w/s), s = max|w|/127. A step's input x is round(x/t) + z, where
    /// t = (max − min)/255 and z are found for each image as it comes, over all of it and zero; each is off by t
    /// at most. NaN or infinity anywhere in that input makes all outputs of the step NaN for that image. Needs
    /// AVX512-VNNI.
    case int8

    /// The relative L2 error of a network that ``CompileOptions/accuracy`` allows unless it is set.
    ///
    /// Four to six times the largest error measured on LeNet, MobileNet, Tiny YOLO, Inception-v3 and a small network
    /// of every kind of convolution, all with random parameters: 2.2·10⁻⁴ for halves, 5.4·10⁻³ for bfloat16,
    /// 1.6·10⁻² for int8.
    public var accuracy: Double {
      switch self {
      case .float32: 1e-5
      case .halfWeights: 1e-3
      case .bfloat16: 2e-2
      case .int8: 0.1
      }
    }

    /// The instructions it needs, as reports name them.
    var needs: String {
      switch self {
      case .float32: "nothing"
      case .halfWeights: "F16C"
      case .bfloat16: "AVX512-BF16"
      case .int8: "AVX512-VNNI"
      }
    }
  }
}
