import CForgeKernels
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// Strassen's algorithm on halves or quarters of pixels and channels, with the micro-kernel.
struct StrassenConvolution: MeasuredAlgorithm {
  /// The levels of recursion: 1 or 2.
  let levels: Int
  /// The number of segments of the image, which is treated as one row.
  let segments: Int
  let problem: ConvolutionProblem
  var panelWidth: Int
  /// Whether powers of two equalise the scales of channels.
  var isScaled = false

  static let rewriteName: String? = "strassen"

  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    guard problem.isTunable, problem.geometry.isPointwise else { return [] }
    let (inputs, outputs) = (problem.inputs, problem.outputs)
    let pixels = problem.outputPixels
    return (1...2).compactMap { levels in
      let part = PlannedTensor.lanes << levels
      guard inputs.isMultiple(of: part), outputs.isMultiple(of: part), outputs >= 128 else {
        return nil
      }
      let segments = segments(
        of: pixels, inputs: inputs, columns: outputs >> levels, levels: levels)
      // Threads that share segments need not share panels.
      let sharesSegments =
        !problem.settings.sizesAreFixed
        || dealsSegments(of: pixels, columns: outputs >> levels)
          && segments.isMultiple(of: problem.settings.threads)
      return StrassenConvolution(
        levels: levels, segments: segments, problem: problem,
        panelWidth: Panels.width(
          outputs: outputs >> levels, threads: sharesSegments ? 1 : problem.settings.threads))
    }
  }

  /// The largest memory of the sums of a segment, in bytes.
  ///
  /// All panels read them and the image from the third-level cache. With 512 pixels of 3072
  /// channels two segments take nine tenths of the time of one with one level, whose sums take
  /// 6 MB, and three quarters with two, whose sums take 17 MB.
  private static let mostSumBytes = 5 << 20
  /// The most pixels of a segment.
  private static let mostPixels = 1024
  /// From so many pixels on and up to so many columns, threads share two segments rather than the
  /// panels of one.
  private static let (leastPixels, mostColumns) = (256, 128)

  /// Returns the bytes of the sums of so many pixels: four per input, and with two levels seven
  /// quarters as many besides.
  private static func sumBytes(_ pixels: Int, inputs: Int, levels: Int) -> Int {
    pixels.multipliedSaturated(by: (levels == 1 ? 4 : 11).multipliedSaturated(by: inputs))
  }

  /// Returns whether threads share the segments of so many pixels rather than panels.
  private static func dealsSegments(of pixels: Int, columns: Int) -> Bool {
    pixels > mostPixels || pixels >= leastPixels && columns <= mostColumns
  }

  /// Returns the number of segments.
  ///
  /// It depends only on the image, so that results do not depend on the number of threads. A
  /// segment reads all weights again, and its matrices are the smaller: 197 pixels in two segments
  /// take a fifth more time than in one.
  private static func segments(of pixels: Int, inputs: Int, columns: Int, levels: Int) -> Int {
    let sums = sumBytes(pixels, inputs: inputs, levels: levels)
    let fitting = max(sums / mostSumBytes + (sums.isMultiple(of: mostSumBytes) ? 0 : 1), 1)
    guard dealsSegments(of: pixels, columns: columns) else { return fitting }
    let pairs = max((fitting + 1) / 2, (pixels + 2 * mostPixels - 1) / (2 * mostPixels))
    return 2 * pairs
  }

  /// Returns the estimated cycles.
  ///
  /// One level computes 7 products in place of 8, two levels 49 in place of 64. Sums cost about 7
  /// cycles per pixel and block of inputs and 11 per block of outputs with one level, 16 and 23
  /// with two.
  ///
  /// The kernel is the same for any number of threads, so the estimate assumes two. If they share
  /// panels, one waits for the other if the number of panels is odd. The packed weights are 7/4 and
  /// 49/16 times as many. They count half as much again, because two threads share the memory
  /// bandwidth.
  func cost(_ model: ConvolutionCost) -> Double {
    let (inputs, outputs) = (Double(model.inputs), Double(model.outputs))
    let products = inputs * outputs / 16 * (levels == 1 ? 7.0 / 8 : 49.0 / 64)
    let (input, made) = levels == 1 ? (7.0, 11.0) : (16.0, 23.0)
    let sums = model.pixels * (input * inputs + made * outputs) / 16
    let columns = problem.outputs / (PlannedTensor.lanes << levels)
    let idle = !dealsSegments && !columns.isMultiple(of: 2) ? 1 + 1 / Double(columns) : 1
    let weights = 1.5 * products * Double(1 << levels) * 64
    return max(
      products * idle * model.pixels / model.vectorsPerCycle,
      weights / ConvolutionCost.bytesPerCycle)
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

  /// The largest memory of all threads' own sums together, in bytes.
  ///
  /// Threads on cores without a common third-level cache wait for each other: with two such
  /// threads and 128 pixels of 768 channels, own sums save 10 % of a transformer's time. With 197
  /// pixels they leave the second-level cache, and threads with a common cache lose 2 to 4 %.
  private static let mostOwnSumBytes = 5 << 19

  /// Whether all threads read the same sums.
  ///
  /// Threads with segments of their own find the sums in their own caches. Threads that share
  /// panels compute small sums again, because that takes less time than fetching them from another
  /// core.
  private var sharesSums: Bool {
    let own =
      Self.sumBytes(problem.outputPixels, inputs: problem.inputs, levels: levels)
      .multipliedSaturated(by: problem.settings.threads) / segments
    return !dealsSegments && own > Self.mostOwnSumBytes
  }

  private var dealsSegments: Bool {
    Self.dealsSegments(of: problem.outputPixels, columns: problem.outputs >> levels)
  }

  private var form: StrassenForm {
    StrassenForm(
      levels: levels, inputs: problem.inputs, outputs: problem.outputs, panelWidth: panelWidth,
      isScaled: isScaled, accuracy: problem.settings.accuracy,
      channelAccuracy: problem.settings.channelAccuracy)
  }

  func addSteps(for convolution: PlannedConvolution, to plan: inout PlanBuilder) throws {
    let operands = try plan.operands(of: convolution)
    let (source, target) = (operands.source, operands.target)
    let (inputs, outputs, form) = (problem.inputs, problem.outputs, form)
    let weights = try plan.packedWeights(convolution, as: form)
    let scales = isScaled ? weights.map { $0 + form.weightCount } : nil
    var arguments = forge_strassen_arguments()
    arguments.in = forge_view(plan.tensor(source))
    arguments.out = forge_view(plan.tensor(target))
    arguments.weights = weights
    arguments.bias = try plan.packedBias(convolution, count: outputs)
    arguments.input_scales = scales
    arguments.output_scales = scales.map { $0 + inputs }
    arguments.panel_width = Int32(clamping: panelWidth)
    arguments.segments = Int32(clamping: segments)
    arguments.levels = Int32(clamping: levels)
    arguments.shares_sums = sharesSums ? 1 : 0
    arguments.scratch_worker = forge_strassen_scratch_floats(&arguments)
    arguments.epilogue = forge_epilogue(convolution)
    let scratch = plan.addPlain([Int(arguments.scratch_worker) * plan.settings.threads])
    let levelled = levels == 1 ? "" : " \(levels) levels"
    var sums: PlanBuilder.ID?
    if sharesSums {
      let shared = plan.addPlain([Int(forge_strassen_sums_floats(&arguments))])
      plan.addStep(
        "input sums\(levelled)", plan.kernels.strassen_sums, arguments,
        tiles: forge_strassen_sums_tiles, reads: [\.in: source], writes: [\.sums: shared])
      sums = shared
    }
    plan.addStep(
      "strassen\(levelled) 1×1 panel \(panelWidth)" + (isScaled ? " scaled" : ""),
      plan.kernels.strassen, arguments, tiles: forge_strassen_tiles,
      parts: dealsSegments ? 1 : Int(forge_strassen_tiles(&arguments)) / segments,
      reads: [\.in: source, \.sums: sums, \.epilogue.residual: operands.residual],
      writes: [\.out: target, \.scratch: scratch],
      multiplyAdds: plan.tensor(target).count * inputs / (1 << (3 * levels)) * form.products,
      parameterCount: form.weightCount,
      firstWeights: FirstWeights(start: weights, count: (inputs >> levels) * panelWidth)
    ) { arguments, places in
      arguments.next = places.next?.start
      arguments.next_floats = Int64(places.next?.count ?? 0)
    }
  }
}

/// The weights of Strassen's algorithm, zero-padded.
///
/// `[panel of outputs >> levels][7 or 49][inputs >> levels][panelWidth]`, followed by the scales of
/// the inputs and of the outputs if they are scaled.
///
/// The algorithm adds channels to each other, so the rounding error of a channel is relative to the
/// channels it is added to. If the scales of channels differ, powers of two equalise them. If
/// single weights differ, as in a sparse matrix, the form is rejected and direct summation is used.
/// Sources/Kernels/balance.c defines the measure.
private struct StrassenForm: PackedForm {
  let levels, inputs, outputs, panelWidth: Int
  let isScaled: Bool
  /// The permitted relative L2 error of the whole output.
  let accuracy: Double
  /// The permitted relative L2 error of each output channel.
  let channelAccuracy: Double

  /// The relative RMS error of the algorithm.
  ///
  /// It grows with the square root of the input channels. The factors bound the errors measured
  /// against double precision (`StrassenTests`).
  static func error(levels: Int, inputs: Int) -> Double {
    (levels == 1 ? 4.5e-8 : 9e-8) * Double(inputs).squareRoot()
  }

  /// The number of partial products, which replace 8 per level.
  var products: Int { Int(forge_strassen_products(Int32(clamping: levels))) }
  /// The number of floats before the scales.
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
