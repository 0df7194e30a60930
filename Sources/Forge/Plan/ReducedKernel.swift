import CForgeKernels
import ForgeShapes

/// A kernel whose weights are not Float32: all but one are of lower precision.
enum ReducedKernel: Hashable {
  /// Weights of 24 bits in fixed point, about as exact as Float32 and three quarters as long, of one output pixel.
  case fixed
  /// Weights stored as IEEE halves, arithmetic in Float32, of one output pixel.
  case halves
  /// Products of pairs of bfloat16, sums in Float32.
  case pairs
  /// Products of four bytes, sums in 32-bit integers.
  case quads

  /// What a precision asks for, where the instruction set has it.
  init?(_ precision: CompileOptions.Precision, level: forge_level) {
    let kernels = forge_precision_kernels(level)
    switch precision {
    case .float32: return nil
    case .halfWeights:
      guard kernels.half_convolution != nil else { return nil }
      self = .halves
    case .bfloat16:
      guard kernels.bfloat_convolution != nil else { return nil }
      self = .pairs
    case .int8:
      guard kernels.byte_convolution != nil else { return nil }
      self = .quads
    }
  }

  /// The channels that share a 32-bit word of the input; 1 where it is read as it is.
  var channelsPerWord: Int {
    switch self {
    case .fixed, .halves: 1
    case .pairs: 2
    case .quads: 4
    }
  }

  /// Whether it reads blocked images, as they are, and computes a single output pixel.
  var isOfOnePixel: Bool { channelsPerWord == 1 }

  /// The bytes of a packed weight.
  var weightBytes: Int {
    switch self {
    case .fixed: 3
    case .halves, .pairs: 2
    case .quads: 1
    }
  }

  /// How reports call it.
  var name: String {
    switch self {
    case .fixed: "24-bit-weight"
    case .halves: "half-weight"
    case .pairs: "bfloat16"
    case .quads: "int8"
    }
  }

  /// Whether it can sum so many products.
  func fits(products: Int) -> Bool {
    self != .quads || products <= Int(FORGE_MOST_BYTE_PRODUCTS)
  }
}

extension KernelChoice {
  /// The kernel of lower precision that takes the place of this one, or this one where it is as fast.
  ///
  /// Winograd's algorithms magnify rounding errors, which are too large for them in bfloat16; in Float32 they may
  /// be faster than the direct kernel of lower precision.
  func reduced(
    _ geometry: ConvolutionGeometry, input: [Int], output: [Int], groups: Int,
    settings: PlanSettings
  ) -> KernelChoice {
    guard let kernel = ReducedKernel(settings.precision, level: settings.level), groups == 1,
      self != .channelByChannel
    else { return self }
    let (inputs, outputs) = (input[2], output[2])
    let taps = geometry.kernel.width * geometry.kernel.height
    guard kernel.fits(products: taps * inputs) else { return self }
    let pixels = output[0] * output[1]
    // Plans for inputs of other sizes share the weights, and may have more pixels.
    if kernel.isOfOnePixel, pixels > 1 || !settings.sizesAreFixed { return self }
    let reduced = KernelChoice.reduced(
      kernel,
      width: Self.panelWidth(
        outputs: outputs, threads: settings.threadsSharingPanels(pixels: pixels)))
    guard !kernel.isOfOnePixel, settings.preference == .speed, settings.level != FORGE_SCALAR else {
      return reduced
    }
    let isFixed = settings.sizesAreFixed
    let nominal = Self.nominalSize
    let cost = ConvolutionCost(
      level: settings.level, output: isFixed ? Size(width: output[1], height: output[0]) : nominal,
      inputs: inputs, outputs: outputs, kernel: geometry.kernel)
    let full =
      switch self {
      case .winograd(let form, let summed, _): cost.winograd(form, summed: summed)
      case .strassen(let levels, _, _): cost.strassen(levels: levels)
      default: cost.direct
      }
    let read = isFixed ? input[0] * input[1] : nominal.width * nominal.height
    return cost.reduced(kernel, inputPixels: read) < full ? reduced : self
  }

  /// Whether a convolution without groups keeps its weights as 24 bits of fixed point, if they are exact enough.
  ///
  /// One pixel takes as long as its weights take to read. Those that fit into the second cache are at hand; 1 MB is
  /// the least that servers with AVX-512 have. (LeNet's first dense layer, 3.1 MB in the third cache: 33 µs as
  /// floats, 26 so.) Panels of few outputs would be padded, or too few for threads to share; whether there are enough
  /// cannot depend on the threads, because bits do not.
  static func hasFixedPointWeights(
    outputPixels: Int, taps: Int, inputs: Int, outputs: Int, settings: PlanSettings
  ) -> Bool {
    outputPixels == 1 && outputs >= 8 * Int(FORGE_FIXED_PANEL_WIDTH)
      && PlanBuilder.saturatingProduct([taps, inputs, outputs]) >= 1 << 18
      && settings.isEnabled(Rewrites.fixedPointWeights)
      && forge_precision_kernels(settings.level).fixed_convolution != nil
  }

  /// The kernel of lower precision for a dense layer, where there is one.
  static func dense(inputs: Int, settings: PlanSettings) -> ReducedKernel? {
    guard let kernel = ReducedKernel(settings.precision, level: settings.level),
      kernel.fits(products: inputs)
    else { return nil }
    return kernel
  }
}

extension ConvolutionCost {
  /// The direct kernel of lower precision, its input's way to words included.
  ///
  /// Words are made at about 5 cycles per pixel and block of channels for bfloat16, 9 for int8, whose range is
  /// found first (measured on the layers of MobileNet with AVX-512: 4.5 to 5.6, 6.7 to 10).
  fileprivate func reduced(_ kernel: ReducedKernel, inputPixels: Int) -> Double {
    let products =
      Double(self.kernel.width * self.kernel.height) * Double(inputs) * Double(outputs) / 16
    let words = Double(inputPixels) * Double(inputs) / 16 * (kernel == .quads ? 9 : 5)
    return max(
      products / Double(kernel.channelsPerWord) * Double(output.width * output.height),
      products * 16 * Double(kernel.weightBytes) / Self.bytesPerCycle) + words
  }
}
