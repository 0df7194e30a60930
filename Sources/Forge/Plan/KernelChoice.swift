import CForgeKernels
import ForgeOperations
import ForgeShapes

/// Stage 5: which kernel does the work of a convolution.
///
/// The other operations have one kernel each for blocked images and one for plain tensors, so that there
/// is nothing to choose.
enum KernelChoice: Equatable {
  /// The micro-kernel over panels of this many output channels.
  case panels(width: Int)
  /// The same once per group, whose inputs and outputs are whole blocks of channels.
  case panelsPerGroup(width: Int)
  /// The micro-kernel on tiles transformed by Winograd's matrices, `summed` channels at a time.
  case winograd(WinogradTile, summed: Int, width: Int)
  /// The micro-kernel on halves of pixels and channels, or on halves of these, by Strassen's algorithm.
  case strassen(levels: Int, segments: Int, width: Int)
  /// The micro-kernel of lower precision over panels of this many output channels.
  case reduced(ReducedKernel, width: Int)
  /// The micro-kernel straight on a plain image of few channels, panels of this many output channels.
  case plainImage(width: Int)
  /// Each channel on its own, a block of them at a time.
  case depthwise
  /// The general kernel, channel by channel.
  case channelByChannel

  /// The kernel for a convolution from `input` to `output` in `groups` groups; sizes are height, width,
  /// channels.
  static func convolution(
    _ geometry: ConvolutionGeometry, input: [Int], output: [Int], groups: Int,
    settings: PlanSettings, weights: ConvolutionWeights?
  ) throws -> KernelChoice {
    let (inputs, outputs) = (input[2], output[2])
    guard groups == 1 else {
      let (each, made) = (inputs / groups, outputs / groups)
      let lanes = TensorDescriptor.blockWidth
      return each.isMultiple(of: lanes) && made.isMultiple(of: lanes)
        ? .panelsPerGroup(width: panelWidth(outputs: made)) : .channelByChannel
    }
    let candidates = try KernelCandidates(
      geometry, input: input, output: output, settings: settings, weights: weights)
    guard candidates.isTunable, !settings.tuned.isEmpty else { return candidates.best }
    let shape = TuningRecord.Convolution(geometry, input: input, output: output)
    guard let tuned = settings.tuned[shape], candidates.allows(tuned) else {
      return candidates.best
    }
    return tuned
  }

  /// The kernel for a convolution of an input of the model, where there is one that reads it as it is.
  static func convolution(
    ofPlainImage geometry: ConvolutionGeometry, channels: Int, outputs: Int, groups: Int
  ) -> KernelChoice? {
    guard groups == 1, geometry.dilation == .one,
      forge_plain_convolution_fits(
        Int64(geometry.kernel.height), Int64(geometry.kernel.width), Int64(geometry.stride.width),
        Int64(channels)) != 0
    else { return nil }
    return .plainImage(width: panelWidth(outputs: outputs))
  }

  /// The relative error of Strassen's algorithm, as the root of the mean square.
  ///
  /// Measured against double precision on 9 layer shapes, with inputs of both signs and of one, on all instruction
  /// sets: at most 4.4·10⁻⁸ times the root of the input channels with one level, 8.6·10⁻⁸ with two, where the direct
  /// kernel's is 1.8·10⁻⁸ (`StrassenTests`).
  static func strassenError(levels: Int, inputs: Int) -> Double {
    (levels == 1 ? 4.5e-8 : 9e-8) * Double(inputs).squareRoot()
  }

  /// Strassen's algorithm, once or twice, where a convolution allows it.
  static func strassen(
    _ geometry: ConvolutionGeometry, levels: Int, input: [Int], output: [Int],
    settings: PlanSettings
  ) -> KernelChoice? {
    let part = PlannedTensor.lanes << levels
    guard settings.isEnabled(Rewrites.strassen), geometry.isPointwise,
      input[2].isMultiple(of: part), output[2].isMultiple(of: part), output[2] >= 128,
      strassenError(levels: levels, inputs: input[2]) <= settings.accuracy
    else { return nil }
    let pixels = output[0] * output[1]
    // A matter of the image alone, so that results do not depend on the number of threads. 72 pixels and more: with
    // fewer the weights of a product are not in use for long enough (14×14×512 to 512, two levels: 4 segments cost 3 %).
    let segments = pixels >= ThreadSplit.rowsFrom ? pixels / 144 * 2 : 1
    return .strassen(
      levels: levels, segments: segments,
      // Threads that can share segments need not share panels.
      width: panelWidth(
        outputs: output[2] >> levels,
        threads: !settings.sizesAreFixed || segments.isMultiple(of: settings.threads)
          ? 1 : settings.threads))
  }

  /// The size that stands for sizes which come with the inputs.
  static let nominalSize = Size(width: 56, height: 56)

  /// Whether the kernel reads zeros around its image; else it knows where the image ends.
  var readsBorder: Bool {
    switch self {
    case .winograd, .plainImage: false
    case .reduced(let kernel, _): kernel.isOfOnePixel
    default: true
    }
  }

  /// The kernel for a depthwise convolution.
  static func depthwise(multiplier: Int) -> KernelChoice {
    multiplier == 1 ? .depthwise : .channelByChannel
  }

  /// Output channels per panel of weights: the widest of 16 to 64 that pads the fewest channels, threads that
  /// share panels being equally busy.
  static func panelWidth(outputs: Int, threads: Int = 1) -> Int {
    let lanes = TensorDescriptor.blockWidth
    let blocks = (outputs + lanes - 1) / lanes
    let padded = { (width: Int) in
      let panels = (blocks + width - 1) / width
      return AlignedMemory.round(panels, to: threads) * width
    }
    let best = (1...4).min { (padded($0), -$0) < (padded($1), -$1) } ?? 4
    return best * lanes
  }

  /// Into how many segments an image seen as one long row is cut, for threads to share.
  static func segments(panels: Int, pixels: Int, threads: Int) -> Int {
    guard threads > 1, pixels > 1 else { return 1 }
    // Rows are dealt out on large images, panels on small ones, see ThreadSplit.
    if pixels >= ThreadSplit.rowsFrom { return min(threads, pixels / 24) }
    return (1...4 * threads).first { (panels * $0).isMultiple(of: threads) } ?? 1
  }

  /// Whether a pointwise convolution may see each block of its images as one long row.
  ///
  /// It may when no border lies between rows; longer rows leave fewer partial tiles. Kernels count
  /// the pixels of a row with 32 bits.
  static func isFlat(_ geometry: ConvolutionGeometry, _ tensors: [PlannedTensor]) -> Bool {
    geometry.isPointwise
      && tensors.allSatisfy { $0.isContiguous && $0.height * $0.width <= Int32.max }
  }
}
