import CForgeKernels
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// Strassen's algorithm on halves or quarters of pixels and channels, with the micro-kernel.
///
/// Where two levels would not be accurate enough for all input channels at once, each part of them
/// is a product of its own, added to those before it.
struct StrassenConvolution: MeasuredAlgorithm {
  /// The levels of recursion: 1 or 2.
  let levels: Int
  /// The number of parts of the input channels, whose results are added to each other.
  let parts: Int
  /// The number of segments of the image, which is treated as one row.
  let segments: Int
  let problem: ConvolutionProblem
  var panelWidth: Int
  /// Whether powers of two equalize the scales of channels.
  var isScaled = false

  static let rewriteName: String? = "strassen"

  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    guard problem.isTunable, problem.geometry.isPointwise else { return [] }
    let (inputs, outputs) = (problem.inputs, problem.outputs)
    let pixels = problem.outputPixels
    return (1...2).compactMap { levels in
      let group = PlannedTensor.lanes << levels
      guard inputs.isMultiple(of: group), outputs.isMultiple(of: group), outputs >= 128,
        let parts = parts(of: problem, group: group, levels: levels)
      else { return nil }
      let segments = segments(of: pixels, inputs: inputs / parts, levels: levels)
      // Threads that share segments need not share panels.
      let sharesSegments =
        !problem.settings.sizesAreFixed
        || dealsSegments(of: pixels) && segments.isMultiple(of: problem.settings.threads)
      return StrassenConvolution(
        levels: levels, parts: parts, segments: segments, problem: problem,
        panelWidth: Panels.width(
          outputs: outputs >> levels, threads: sharesSegments ? 1 : problem.settings.threads,
          of: problem.settings.level.facts.tile_vectors == 1
            ? narrowPanels : Panels.widestFirst))
    }
  }

  /// The preferred widths of panels, in blocks, if a tile computes one vector of output channels.
  ///
  /// Such tiles read the weights of a panel again for each six pixels. With 32 output channels
  /// those of most products of two levels fit the first-level cache: on one thread, products of
  /// transformers and of ResNet-50 take 1 to 10 % less time than with 64 (AVX2).
  private static let narrowPanels = [2, 3, 1, 4]

  /// The input channels of a part, if there are several.
  ///
  /// A transformer of 768 channels with 512 positions takes 2 % less time with four parts of 768
  /// than with three of 1024.
  private static let channelsOfPart = 512...768
  /// The fewest output channels for which inputs are cut into parts.
  ///
  /// The sums of the inputs are made for all outputs. With 384 outputs and two parts a transformer
  /// gains 1 %, and loses 5 % with threads on cores without a common third-level cache.
  private static let leastPartOutputs = 512

  /// Returns the smallest number of parts with which the algorithm is accurate enough, all of whole
  /// groups of channels; `nil` if there is none.
  ///
  /// The rounding error of a part grows with the root of its channels. Relative to the sum of the
  /// parts it is the same, because errors of parts are independent.
  private static func parts(of problem: ConvolutionProblem, group: Int, levels: Int) -> Int? {
    let inputs = problem.inputs
    return (1...max(inputs / channelsOfPart.lowerBound, 1)).first { parts in
      inputs.isMultiple(of: parts * group)
        && StrassenForm.error(levels: levels, inputs: inputs / parts) <= problem.settings.accuracy
        && (parts == 1
          || channelsOfPart.contains(inputs / parts) && problem.outputs >= leastPartOutputs)
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
  /// The fewest pixels for which threads share segments rather than panels.
  ///
  /// A thread with segments of its own computes sums that no other thread reads, and finds its
  /// inputs in its own cache. With two threads, transformers of 384 to 1024 channels with 256 to
  /// 1024 positions take 0 to 4 % less time on cores with a common third-level cache and 14 to 21 %
  /// less on cores without one. One thread takes up to 1.5 % more.
  private static let leastDealtPixels = 256

  /// Returns the bytes of the sums of this many pixels: four per input, and with two levels seven
  /// quarters as many besides.
  private static func sumBytes(_ pixels: Int, inputs: Int, levels: Int) -> Int {
    pixels.multipliedSaturated(by: (levels == 1 ? 4 : 11).multipliedSaturated(by: inputs))
  }

  /// Returns whether threads share the segments of this many pixels rather than panels.
  private static func dealsSegments(of pixels: Int) -> Bool { pixels >= leastDealtPixels }

  /// Returns the number of segments.
  ///
  /// It depends only on the image, so results do not depend on the number of threads. A
  /// segment reads all weights again, and its matrices are the smaller: a transformer of 384
  /// channels with 128 positions takes 4 % more time in two segments than in one.
  private static func segments(of pixels: Int, inputs: Int, levels: Int) -> Int {
    let sums = sumBytes(pixels, inputs: inputs, levels: levels)
    let fitting = max(sums / mostSumBytes + (sums.isMultiple(of: mostSumBytes) ? 0 : 1), 1)
    guard dealsSegments(of: pixels) else { return fitting }
    let pairs = max((fitting + 1) / 2, (pixels + 2 * mostPixels - 1) / (2 * mostPixels))
    return 2 * pairs
  }

  /// Returns the estimated cycles.
  ///
  /// One level computes 7 products in place of 8, two levels 49 in place of 64. Sums cost about 7
  /// cycles per pixel and block of inputs and 11 per block of outputs with one level, 16 and 23
  /// with two, for each part of the inputs.
  ///
  /// The kernel is the same for any number of threads, so the estimate assumes two. If they share
  /// panels, one waits for the other if the number of panels is odd. The packed weights are 7/4 and
  /// 49/16 times as many. They count half as much again, because two threads share the memory
  /// bandwidth.
  func cost(_ model: ConvolutionCost) -> Double {
    let (inputs, outputs) = (Double(model.inputs), Double(model.outputs))
    let products = inputs * outputs / 16 * (levels == 1 ? 7.0 / 8 : 49.0 / 64)
    let (input, made) = levels == 1 ? (7.0, 11.0) : (16.0, 23.0)
    let sums = model.pixels * (input * inputs + made * outputs * Double(parts)) / 16
    let columns = problem.outputs / (PlannedTensor.lanes << levels)
    let idle = !dealsSegments && !columns.isMultiple(of: 2) ? 1 + 1 / Double(columns) : 1
    let weights = 1.5 * products * Double(1 << levels) * 64
    return max(
      products * idle * model.pixels / model.vectorsPerCycle,
      weights / ConvolutionCost.bytesPerCycle)
      + sums / max(model.vectorsPerCycle, 0.25)
  }

  func addedError(_ level: forge_level) -> Double {
    StrassenForm.error(levels: levels, inputs: partInputs)
  }

  var needsContiguousInput: Bool { true }

  var record: TuningRecord.Kernel {
    TuningRecord.Kernel(
      name: "strassen", panelWidth: panelWidth, segments: segments,
      levels: levels > 1 ? levels : nil)
  }

  /// The input channels of a part.
  private var partInputs: Int { problem.inputs / parts }

  func panelledChannels(of outputs: Int) -> Int { outputs >> levels }

  func fitted(to weights: ConvolutionWeights) throws -> Self? {
    for isScaled in [false, true] {
      var fitted = self
      fitted.isScaled = isScaled
      if try weights.fit(fitted.form) { return fitted }
    }
    return nil
  }

  /// The largest memory of all threads' own sums together, in bytes, if more than two threads
  /// share a segment.
  private static let mostOwnSumBytes = 5 << 19

  /// Whether all threads read the same sums.
  ///
  /// Two threads that share a segment compute its sums twice, because fetching half of them from
  /// another core takes longer: a transformer with 197 positions takes the same time on cores with
  /// a common third-level cache and 19 % less on cores without one. With more threads the sums of
  /// large segments would be a large part of the work.
  private var sharesSums: Bool {
    let threads = problem.settings.threads
    let own =
      Self.sumBytes(problem.outputPixels, inputs: partInputs, levels: levels)
      .multipliedSaturated(by: threads) / segments
    return threads > 2 * segments && own > Self.mostOwnSumBytes
  }

  private var dealsSegments: Bool { Self.dealsSegments(of: problem.outputPixels) }

  private var form: StrassenForm {
    StrassenForm(
      levels: levels, parts: parts, inputs: problem.inputs, outputs: problem.outputs,
      panelWidth: panelWidth, isScaled: isScaled, accuracy: problem.settings.accuracy,
      channelAccuracy: problem.settings.channelAccuracy)
  }

  func addSteps(for convolution: PlannedConvolution, to plan: inout PlanBuilder) throws {
    let operands = try plan.operands(of: convolution)
    let packed = try plan.packedWeights(convolution, as: form)
    let scales = isScaled ? packed.map { $0 + parts * form.partCount } : nil
    let rows = addEvenRows(of: operands.source, scales: scales, to: &plan)
    for part in 0..<parts {
      try addSteps(of: part, for: convolution, operands, rows, packed, scales, to: &plan)
    }
  }

  /// The rows of the input with like norms, and what their results are multiplied by.
  private struct EvenRows {
    let image, factors: PlannedTensor.ID
  }

  /// Adds the steps that make the norms of all pixels alike, so that none disturbs another.
  private func addEvenRows(
    of source: PlannedTensor.ID, scales: UnsafePointer<Float>?, to plan: inout PlanBuilder
  ) -> EvenRows {
    let image = plan.tensor(source)
    let pixels = image.height * image.width
    let rows = EvenRows(
      image: plan.addBlocked([1, pixels, problem.inputs]), factors: plan.addPlain([pixels]))
    var arguments = forge_even_rows_arguments()
    arguments.input_scales = scales
    plan.addStep(
      "row factors", plan.kernels.row_factors, arguments, tiles: forge_row_factors_tiles,
      reads: [\.in: source], writes: [\.factors: rows.factors])
    plan.addStep(
      "even rows", plan.kernels.even_rows, arguments, tiles: forge_even_rows_tiles,
      reads: [\.in: source, \.factors: rows.factors], writes: [\.out: rows.image])
    return rows
  }

  /// Adds the steps of a part of the inputs.
  ///
  /// The first part adds the bias and the residual. Each later one adds the output so far, and the
  /// last one applies the activation.
  private func addSteps(
    of part: Int, for convolution: PlannedConvolution, _ operands: ConvolutionOperands,
    _ rows: EvenRows, _ packed: UnsafePointer<Float>?, _ scales: UnsafePointer<Float>?,
    to plan: inout PlanBuilder
  ) throws {
    let (outputs, form, target) = (problem.outputs, form, operands.target)
    let residual = part == 0 ? operands.residual : target
    let (source, uneven) = (
      plan.addPart(of: rows.image, from: part * partInputs, count: partInputs),
      plan.addPart(of: operands.source, from: part * partInputs, count: partInputs)
    )
    let weights = packed.map { $0 + part * form.partCount }
    var arguments = forge_strassen_arguments()
    arguments.in = forge_view(plan.tensor(source))
    arguments.uneven = forge_view(plan.tensor(uneven))
    arguments.out = forge_view(plan.tensor(target))
    arguments.weights = weights
    arguments.bias =
      part == 0
      ? try plan.packedBias(convolution, count: outputs)
      : try plan.packed(nil, as: PaddedForm(count: outputs))
    arguments.input_scales = scales.map { $0 + part * partInputs }
    arguments.output_scales = scales.map { $0 + problem.inputs }
    arguments.panel_width = Int32(clamping: panelWidth)
    arguments.segments = Int32(clamping: segments)
    arguments.levels = Int32(clamping: levels)
    arguments.shares_sums = sharesSums ? 1 : 0
    arguments.epilogue = forge_epilogue(
      part == parts - 1 ? convolution.activation : .linear, hasResidual: residual != nil)
    let scratch = plan.workerScratch(count: Int(forge_strassen_scratch_floats(&arguments)))
    let levelled = levels == 1 ? "" : " \(levels) levels"
    var sums: PlanBuilder.ID?
    if sharesSums {
      let shared = plan.addPlain([Int(forge_strassen_sums_floats(&arguments))])
      plan.addStep(
        "input sums\(levelled)", plan.kernels.strassen_sums, arguments,
        tiles: forge_strassen_sums_tiles,
        reads: [\.in: source, \.uneven: uneven, \.factors: rows.factors],
        writes: [\.sums: shared])
      sums = shared
    }
    plan.addStep(
      "strassen\(levelled) 1×1 panel \(panelWidth)" + (isScaled ? " scaled" : ""),
      plan.kernels.strassen, arguments, tiles: forge_strassen_tiles,
      parts: dealsSegments ? 1 : Int(forge_strassen_tiles(&arguments)) / segments,
      reads: [
        \.in: source, \.uneven: uneven, \.factors: rows.factors, \.sums: sums,
        \.epilogue.residual: residual,
      ],
      writes: [\.out: target, \.scratch: scratch],
      multiplyAdds: plan.tensor(target).count * partInputs / (1 << (3 * levels)) * form.products,
      parameterCount: form.partCount,
      firstWeights: FirstWeights(start: weights, count: (partInputs >> levels) * panelWidth)
    ) { arguments, places in
      arguments.next = places.next?.start
      arguments.next_floats = Int64(places.next?.count ?? 0)
      arguments.scratch_worker = Int64(places.workerScratchCount)
    }
  }
}

/// The weights of Strassen's algorithm, zero-padded.
///
/// `[part of inputs][panel of outputs >> levels][7 or 49][part's inputs >> levels][panelWidth]`,
/// followed by the scales of the inputs and of the outputs if they are scaled.
///
/// The algorithm adds channels to each other, so the rounding error of a channel is relative to the
/// channels it is added to. If the scales of channels differ, powers of two equalize them. If
/// single weights differ, as in a sparse matrix, the form is rejected and direct summation is used.
/// Sources/Kernels/unevenness.c defines the measure.
private struct StrassenForm: PackedForm {
  let levels, parts, inputs, outputs, panelWidth: Int
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
  private var partInputs: Int { inputs / parts }
  /// The number of floats of a part.
  var partCount: Int {
    AlignedMemory.round(outputs >> levels, to: panelWidth) * products * (partInputs >> levels)
  }

  var count: Int { parts * partCount + (isScaled ? inputs + outputs : 0) }

  var writesEverything: Bool { true }

  func write(_ packing: Packing) -> Bool {
    let (rows, columns, levels) = (Int64(outputs), Int64(inputs), Int32(clamping: levels))
    let inputScales = isScaled ? packing.memory + parts * partCount : nil
    let outputScales = inputScales.map { $0 + inputs }
    if let inputScales {
      forge_balance(
        packing.values, rows, columns, inputScales, outputScales, packing.threads)
    }
    let unevenness = forge_strassen_unevenness(
      packing.values, rows, columns, levels, inputScales, outputScales, packing.threads)
    guard isEven(unevenness) else { return false }
    for part in 0..<parts {
      forge_pack_strassen(
        packing.values.map { $0 + part * partInputs }, packing.memory + part * partCount, rows,
        Int64(partInputs), columns, Int64(panelWidth), levels,
        inputScales.map { $0 + part * partInputs }, outputScales, packing.threads)
    }
    return true
  }

  private func isEven(_ unevenness: forge_unevenness) -> Bool {
    let whole = Self.error(levels: levels, inputs: partInputs)
    let block = Self.error(levels: levels, inputs: PlannedTensor.lanes)
    return unevenness.input * whole <= accuracy && unevenness.channel * whole <= channelAccuracy
      && unevenness.block * block <= channelAccuracy
  }
}
