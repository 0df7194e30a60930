import CForgeKernels
import ForgeOperations

/// Whether the weights of a pointwise convolution suit Strassen's algorithm, and in which form.
///
/// The algorithm adds channels to each other. The rounding error of a channel is therefore relative to the channels it
/// is added to: where their scales differ, powers of two even them out, and where single weights do, as in a sparse
/// matrix, the direct kernel is the exact one. Sources/Kernels/balance.c has the measure.
enum StrassenWeights: Hashable {
  /// Even enough as they are.
  case plain
  /// Even enough when inputs and outputs are scaled by powers of two.
  case scaled
  /// Too uneven.
  case uneven

  /// Looks at weights `[outputs][inputs]`.
  ///
  /// `accuracy` is the relative L2 error of the whole output that is allowed, `channelAccuracy` that of every single
  /// output channel.
  init(
    _ values: UnsafeMutableBufferPointer<Float>, inputs: Int, outputs: Int, levels: Int,
    accuracy: Double, channelAccuracy: Double
  ) {
    // Channels that are not whole groups are none of the algorithm's.
    let group = PlannedTensor.lanes << levels
    guard inputs.isMultiple(of: group), outputs.isMultiple(of: group) else {
      self = .uneven
      return
    }
    let whole = KernelChoice.strassenError(levels: levels, inputs: inputs)
    let block = KernelChoice.strassenError(levels: levels, inputs: PlannedTensor.lanes)
    let isEven = { (unevenness: forge_unevenness) in
      unevenness.input * whole <= accuracy && unevenness.channel * whole <= channelAccuracy
        && unevenness.block * block <= channelAccuracy
    }
    let (weights, rows, columns) = (values.baseAddress, Int64(outputs), Int64(inputs))
    if isEven(forge_strassen_unevenness(weights, rows, columns, Int32(levels), nil, nil)) {
      self = .plain
      return
    }
    var scales = [Float](repeating: 1, count: inputs + outputs)
    let unevenness = scales.withUnsafeMutableBufferPointer { scales in
      guard let inputScales = scales.baseAddress else { return forge_unevenness() }
      forge_balance(weights, rows, columns, inputScales, inputScales + inputs)
      return forge_strassen_unevenness(
        weights, rows, columns, Int32(levels), inputScales, inputScales + inputs)
    }
    self = isEven(unevenness) ? .scaled : .uneven
  }
}

/// The weights of a convolution that is being planned.
struct ConvolutionWeights {
  let value: OperationGraph.Value
  let recipe: ConstantRecipe
  let constants: PackedConstants

  /// The weights that a value of a graph stands for; `nil` where it is no constant.
  init?(_ value: OperationGraph.Value, of graph: OperationGraph, _ constants: PackedConstants) {
    guard let recipe = graph.constant(value) else { return nil }
    (self.value, self.recipe, self.constants) = (value, recipe, constants)
  }

  /// How Strassen's algorithm may use them.
  func strassen(
    inputs: Int, outputs: Int, levels: Int, settings: PlanSettings
  ) throws -> StrassenWeights {
    try constants.strassen(
      value, recipe, inputs: inputs, outputs: outputs, levels: levels, settings: settings)
  }
}
