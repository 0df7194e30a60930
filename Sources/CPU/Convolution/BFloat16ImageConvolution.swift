import CForgeKernels
import ForgeOperations
import ForgeShapes

/// Multiplies tiles of bfloat16 by AMX, with a model input of few channels.
///
/// A row of a window, with all its columns and channels, is a pixel of the words. So few channels
/// fill a row of a tile.
struct BFloat16ImageConvolution: ConvolutionAlgorithm {
  let panelWidth: Int

  /// A sum adds its products in one order, whichever tile it is in.
  static let sumsInOneOrder = true
  /// The most numbers of a row of a window.
  private static let mostNumbers = 4 * BFloat16TileConvolution.blockChannels

  static func computes(in precision: CompileOptions.Precision, level: forge_level) -> Bool {
    BFloat16TileConvolution.computes(in: precision, level: level)
  }

  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm] {
    let geometry = problem.geometry
    guard computes(in: problem.settings.precision, level: problem.settings.level),
      problem.kind == .convolution, problem.groups == 1, problem.readsModelInput,
      geometry.dilation == .one, problem.inputs <= PlannedTensor.lanes / 2,
      geometry.kernel.width * problem.inputs <= mostNumbers
    else { return [] }
    return [Self(panelWidth: problem.panelWidth)]
  }

  /// Other algorithms would pad the channels or compute in Float32.
  func cost(_ model: ConvolutionCost) -> Double { 0 }

  var readsBorder: Bool { false }

  var readsPlainInput: Bool { true }

  func addSteps(for convolution: PlannedConvolution, to plan: inout PlanBuilder) throws {
    let problem = convolution.problem
    let geometry = problem.geometry
    let source = try plan.plain(convolution.node.inputs[0])
    let target = plan.blockedResult(convolution.output)
    let image = plan.tensor(source)
    let border = HaloNeeds.border(of: problem)
    let form = NarrowForm<BFloat16TileConvolution>(
      taps: geometry.kernel.height, inputs: geometry.kernel.width * problem.inputs,
      outputs: problem.outputs, panelWidth: panelWidth, accuracy: problem.settings.accuracy,
      scalesArePowers: false)
    // A row of a window is a pixel. Its zeros at the sides are numbers of the row.
    let words = ImageWords(
      height: image.height, width: problem.output[1], channels: form.inputs,
      border: Edges(top: border.top, left: 0, bottom: border.bottom, right: 0),
      blockChannels: BFloat16TileConvolution.blockChannels,
      channelsPerWord: BFloat16TileConvolution.channelsPerWord)
    let memory = plan.addPlain(words.shape)
    var patches = forge_patch_words_arguments()
    patches.kernel_width = Int32(clamping: geometry.kernel.width)
    patches.stride_x = Int32(clamping: geometry.stride.width)
    patches.pad_left = Int32(clamping: border.left)
    patches.top = Int32(clamping: border.top)
    patches.bottom = Int32(clamping: border.bottom)
    let kernels = forge_precision_kernels(plan.kernels.level)
    plan.addStep(
      "bfloat16 window rows", kernels.bfloat_patch_input, patches, tiles: forge_patch_words_tiles,
      parts: words.rows, reads: [\.in: source], writes: [\.out: memory]
    ) { arguments, _ in
      words.adjust(&arguments.out)
    }
    var arguments = forge_convolution_arguments()
    let weights = try plan.packedWeights(convolution, as: form)
    arguments.weights = UnsafePointer(weights)
    arguments.bias = try plan.packedBias(convolution, count: form.columns)
    arguments.setUndilated(geometry, input: image)
    arguments.kernel_width = 1
    arguments.stride_x = 1
    arguments.dilation_x = 1
    arguments.dilation_y = 1
    arguments.pad_left = 0
    arguments.pad_top = Int32(clamping: border.top)
    arguments.panel_width = Int32(clamping: panelWidth)
    arguments.segments = 1
    arguments.epilogue = forge_epilogue(convolution)
    plan.addStep(
      "bfloat16 tile convolution \(geometry.kernel) panel \(panelWidth)",
      kernels.bfloat_tile_convolution, arguments, tiles: forge_convolution_tiles,
      parts: plan.tensor(target).height, reads: [\.in: memory], writes: [\.out: target],
      multiplyAdds: problem.output.reduce(problem.taps * problem.inputs, *),
      parameterCount: problem.weightCount * BFloat16TileConvolution.weightBytes
        / MemoryLayout<Float>.stride,
      firstWeights: FirstWeights(start: weights, count: form.panelCount)
    ) { arguments, places in
      words.adjust(&arguments.in)
      arguments.next = places.next?.start
      arguments.next_floats = Int64(places.next?.count ?? 0)
    }
  }
}
