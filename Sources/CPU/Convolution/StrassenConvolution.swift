import CForgeKernels
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// The micro-kernel on halves of pixels and channels, or on halves of these, by Strassen's
/// algorithm.
struct StrassenConvolution: MeasuredAlgorithm {
  /// How often the algorithm is applied: once or twice.
  let levels: Int
  /// Into how many parts the image is cut, seen as one row.
  let segments: Int
  let problem: ConvolutionProblem
  var panelWidth: Int
  /// Whether powers of two even out the scales of channels.
  var isScaled = false

  static let rewriteName: String? = "strassen"

  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    guard problem.isTunable, problem.geometry.isPointwise else { return [] }
    let (inputs, outputs) = (problem.inputs, problem.outputs)
    let pixels = problem.outputPixels
    // The image alone decides, so that results do not depend on the number of threads. Each segment
    // has 72 pixels or more: with fewer the weights of a product are not in use for long enough.
    let segments = pixels >= ThreadSplit.rowsFrom ? pixels / 144 * 2 : 1
    // Threads that can share segments need not share panels.
    let sharesSegments =
      !problem.settings.sizesAreFixed || segments.isMultiple(of: problem.settings.threads)
    return (1...2).compactMap { levels in
      let part = PlannedTensor.lanes << levels
      guard inputs.isMultiple(of: part), outputs.isMultiple(of: part), outputs >= 128 else {
        return nil
      }
      return StrassenConvolution(
        levels: levels, segments: segments, problem: problem,
        panelWidth: Panels.width(
          outputs: outputs >> levels, threads: sharesSegments ? 1 : problem.settings.threads))
    }
  }

  /// One level has 7 products in place of 8, and takes about 7 cycles per pixel and block of inputs
  /// and 10 per block of outputs for sums; two levels have 49 in place of 64, and take 16 and 23
  /// cycles (fitted to 25 shapes).
  ///
  /// Weights are twice and four times as many. They count as those of two threads that share a
  /// memory, for whom the kernel is the same.
  func cost(_ model: ConvolutionCost) -> Double {
    let (inputs, outputs) = (Double(model.inputs), Double(model.outputs))
    let products = inputs * outputs / 16 * (levels == 1 ? 7.0 / 8 : 49.0 / 64)
    let (input, made) = levels == 1 ? (7.0, 10.0) : (16.0, 23.0)
    let sums = model.pixels * (input * inputs + made * outputs) / 16
    let weights = 2 * products * Double(1 << levels) * 64
    return max(
      products * model.pixels / model.vectorsPerCycle, weights / ConvolutionCost.bytesPerCycle)
      + sums / max(model.vectorsPerCycle, 0.25)
  }

  func addedError(_ level: forge_level) -> Double {
    StrassenForm.error(levels: levels, inputs: problem.inputs)
  }

  var needsContiguousInput: Bool { true }

  var record: TuningRecord.Kernel {
    TuningRecord.Kernel(
      name: "strassen", panelWidth: panelWidth, segments: segments,
      levels: levels > 1 ? levels : nil)
  }

  func panelledChannels(of outputs: Int) -> Int { outputs >> levels }

  func fitted(to weights: ConvolutionWeights) throws -> Self? {
    for isScaled in [false, true] {
      var fitted = self
      fitted.isScaled = isScaled
      if try weights.fit(fitted.form) { return fitted }
    }
    return nil
  }

  private var form: StrassenForm {
    StrassenForm(
      levels: levels, inputs: problem.inputs, outputs: problem.outputs, panelWidth: panelWidth,
      isScaled: isScaled, accuracy: problem.settings.accuracy,
      channelAccuracy: problem.settings.channelAccuracy)
  }

  func addSteps(for convolution: PlannedConvolution, to plan: inout PlanBuilder) throws {
    let operands = try plan.operands(of: convolution)
    let (source, target, residual) = (operands.source, operands.target, operands.residual)
    let (inputs, outputs, form) = (problem.inputs, problem.outputs, form)
    let weights = try plan.packedWeights(convolution, as: form)
    let scales = isScaled ? weights.map { $0 + form.weightCount } : nil
    let bias = try plan.packedBias(convolution, count: outputs)
    let activation = convolution.activation

    var sizes = forge_strassen_arguments()
    sizes.in.channels = Int32(clamping: inputs)
    sizes.in.height = Int32(clamping: plan.tensor(source).height)
    sizes.in.width = Int32(clamping: plan.tensor(source).width)
    sizes.out.channels = Int32(clamping: outputs)
    sizes.weights = weights
    sizes.bias = bias
    sizes.input_scales = scales
    sizes.output_scales = scales.map { $0 + inputs }
    sizes.panel_width = Int32(clamping: panelWidth)
    sizes.segments = Int32(clamping: segments)
    sizes.levels = Int32(clamping: levels)
    let scratchFloats = Int(forge_strassen_scratch_floats(&sizes))
    let scratch = plan.addPlain([scratchFloats * plan.settings.threads])
    let run = plan.require(plan.kernels.strassen)
    plan.addStep(
      "strassen\(levels == 1 ? "" : " \(levels) levels") 1×1 panel \(panelWidth)"
        + (isScaled ? " scaled" : ""),
      reads: operands.reads, writes: [target, scratch],
      multiplyAdds: plan.tensor(target).count * inputs / (1 << (3 * levels)) * form.products,
      parameterCount: form.weightCount,
      firstWeights: FirstWeights(start: weights, count: (inputs >> levels) * panelWidth)
    ) { [sizes] places in
      var arguments = sizes
      arguments.in = places.view(source)
      arguments.out = places.view(target)
      arguments.scratch = places.view(scratch)
      arguments.scratch_worker = Int64(scratchFloats)
      arguments.next = places.next?.start
      arguments.next_floats = Int64(places.next?.count ?? 0)
      arguments.epilogue = forge_epilogue(activation, residual: residual.map { places.view($0) })
      return KernelCall(run, arguments, tiles: forge_strassen_tiles)
    }
  }
}

/// The weights of Strassen's algorithm: `[panel of outputs >> levels][7 or 49][inputs >>
/// levels][panelWidth]`, zero where padded; where they are scaled the scales of the inputs and of
/// the outputs follow.
///
/// The algorithm adds channels to each other. The rounding error of a channel is therefore relative
/// to the channels it is added to: where their scales differ, powers of two even them out, and
/// where single weights do, as in a sparse matrix, the direct kernel is the exact one.
/// Sources/Kernels/balance.c has the measure.
private struct StrassenForm: PackedForm {
  let levels, inputs, outputs, panelWidth: Int
  let isScaled: Bool
  /// The relative L2 error of the whole output that is allowed.
  let accuracy: Double
  /// That of every single output channel.
  let channelAccuracy: Double

  /// The relative error of the algorithm, as the root of the mean square.
  ///
  /// Measured against double precision on 9 layer shapes, with inputs of both signs and of one, on
  /// all instruction sets: at most 4.4·10⁻⁸ times the root of the input channels with one level,
  /// 8.6·10⁻⁸ with two, where the direct kernel's is 1.8·10⁻⁸ (`StrassenTests`).
  static func error(levels: Int, inputs: Int) -> Double {
    (levels == 1 ? 4.5e-8 : 9e-8) * Double(inputs).squareRoot()
  }

  /// The products of parts that take the place of 8 per level.
  var products: Int { Int(forge_strassen_products(Int32(clamping: levels))) }
  /// The floats before the scales.
  var weightCount: Int {
    AlignedMemory.round(outputs >> levels, to: panelWidth) * products * (inputs >> levels)
  }

  var count: Int { weightCount + (isScaled ? inputs + outputs : 0) }

  var writesEverything: Bool { true }

  func write(_ packing: Packing) -> Bool {
    let (rows, columns, levels) = (Int64(outputs), Int64(inputs), Int32(clamping: levels))
    let inputScales = isScaled ? packing.memory + weightCount : nil
    let outputScales = inputScales.map { $0 + inputs }
    if let inputScales {
      forge_balance(packing.values, rows, columns, inputScales, outputScales)
    }
    let unevenness = forge_strassen_unevenness(
      packing.values, rows, columns, levels, inputScales, outputScales)
    guard isEven(unevenness) else { return false }
    forge_pack_strassen(
      packing.values, packing.memory, rows, columns, Int64(panelWidth), levels, inputScales,
      outputScales, packing.threads)
    return true
  }

  private func isEven(_ unevenness: forge_unevenness) -> Bool {
    let whole = Self.error(levels: levels, inputs: inputs)
    let block = Self.error(levels: levels, inputs: PlannedTensor.lanes)
    return unevenness.input * whole <= accuracy && unevenness.channel * whole <= channelAccuracy
      && unevenness.block * block <= channelAccuracy
  }
}
