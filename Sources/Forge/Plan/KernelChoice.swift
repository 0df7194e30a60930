import ForgeOperations
import ForgeShapes

/// Stage 5: which kernel does the work of a convolution, by its sizes alone.
///
/// The other operations have one kernel each for blocked images and one for plain tensors, so that there
/// is nothing to choose. A cost model, or timing on the machine, will choose among more here.
enum KernelChoice: Equatable {
  /// The micro-kernel over panels of this many output channels.
  case panels(width: Int)
  /// The same once per group, whose inputs and outputs are whole blocks of channels.
  case panelsPerGroup(width: Int)
  /// Each channel on its own, a block of them at a time.
  case depthwise
  /// The general kernel, channel by channel.
  case channelByChannel

  /// The kernel for a convolution of `inputs` to `outputs` channels in `groups` groups.
  static func convolution(inputs: Int, outputs: Int, groups: Int) -> KernelChoice {
    guard groups > 1 else { return .panels(width: panelWidth(outputs: outputs)) }
    let (each, made) = (inputs / groups, outputs / groups)
    let lanes = TensorDescriptor.blockWidth
    return each.isMultiple(of: lanes) && made.isMultiple(of: lanes)
      ? .panelsPerGroup(width: panelWidth(outputs: made)) : .channelByChannel
  }

  /// The kernel for a depthwise convolution.
  static func depthwise(multiplier: Int) -> KernelChoice {
    multiplier == 1 ? .depthwise : .channelByChannel
  }

  /// Output channels per panel of weights: the widest of 16 to 64 that pads the fewest channels.
  static func panelWidth(outputs: Int) -> Int {
    let lanes = TensorDescriptor.blockWidth
    let blocks = (outputs + lanes - 1) / lanes
    let padded = { (width: Int) in (blocks + width - 1) / width * width }
    let best = (1...4).min { (padded($0), -$0) < (padded($1), -$1) } ?? 4
    return best * lanes
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
