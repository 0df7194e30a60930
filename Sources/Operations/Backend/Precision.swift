extension CompileOptions {
  /// The precision of dense layers, convolutions and the weights of recurrent layers.
  ///
  /// The tensors between them and all other layers remain Float32. So do layers that the requested
  /// precision does not speed up, the first convolution of an image, and depthwise and grouped
  /// convolutions. If the processor lacks the instructions, the whole network remains Float32, and
  /// ``CompileReport/precision`` reports that. `verify` compares with the reference executor in
  /// double precision, so ``Verification/errors`` includes the error of the precision:
  /// ```swift
  /// let options = CompileOptions(verify: .samples(4), precision: .bfloat16)
  /// print(try model.compile(parameters: source, options: options).report)
  /// ```
  /// Recurrent weights of at least 1 MB as Float32 are stored in the precision; the arithmetic of
  /// the cells remains Float32.
  ///
  /// The result is bit-identical for any number of threads, batch size or slot.
  public enum Precision: String, Sendable, CaseIterable, Encodable {
    /// Float32: a relative rounding error of 2⁻²⁴ per operation.
    ///
    /// Weights of large dense layers, of convolutions with one output pixel and of large recurrent
    /// layers are stored as 24-bit fixed point if the error is within ``CompileOptions/accuracy``.
    /// The unit of each output is its largest weight over 2²³; in networks with a state, the next
    /// power of two. The rewrite `fixedPointWeights` can be disabled.
    case float32
    /// IEEE half-precision weights and arithmetic in Float32.
    ///
    /// This applies to dense layers and to convolutions with one output pixel, whose time is that
    /// of reading their weights. In networks with a state it applies to images of several pixels,
    /// too, so that running a sequence in parts gives bit-identical results. The weights of each
    /// output are scaled by a power of two so that none overflows. The relative error of a weight
    /// is at most 2⁻¹¹. It requires AVX-512, or AVX2 with F16C.
    case halfWeights
    /// Products of bfloat16 and sums in Float32.
    ///
    /// Weights and inputs are rounded to 8 bits, with a relative error of at most 2⁻⁸. Denormal
    /// numbers count as zero. It requires AVX512-BF16.
    case bfloat16
    /// Products of 8-bit integers with exact sums.
    ///
    /// The weights w of an output become round(w/s), where s = max|w|/127. The input x of a step
    /// becomes round(x/t) + z, where t = (max − min)/255. Both t and z are computed for each image,
    /// over its whole input and zero. The error of each input is at most t. A NaN or an infinity
    /// anywhere in the input makes all outputs of the step NaN for that image. It requires
    /// AVX512-VNNI.
    case int8

    /// The default of ``CompileOptions/accuracy``, the relative L2 error of a network.
    ///
    /// It is a multiple of the largest error observed with random parameters on several networks.
    /// Docs/Engine/Measurements.md lists the errors.
    public var accuracy: Double {
      switch self {
      case .float32: 1e-5
      case .halfWeights: 1e-3
      case .bfloat16: 2e-2
      case .int8: 0.1
      }
    }

    /// The required instructions, as named in reports.
    package var needs: String {
      switch self {
      case .float32: "nothing"
      case .halfWeights: "F16C"
      case .bfloat16: "AVX512-BF16"
      case .int8: "AVX512-VNNI"
      }
    }
  }
}
