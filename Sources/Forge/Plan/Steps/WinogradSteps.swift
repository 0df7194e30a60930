import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// A convolution by Winograd's minimal filtering, with the pooling after it where that is fused.
  mutating func addWinograd(
    _ node: OperationGraph.Node, _ geometry: ConvolutionGeometry, form: WinogradTile, summed: Int,
    panelWidth: Int
  ) throws {
    let pooling = convolutions.poolings[self.node]
    if let pooling { layers += pooling.layers }
    let (input, result) = (imageSizes(of: node.inputs[0]), imageSizes(of: node.output))
    let (inputs, outputs) = (input[2], result[2])
    let source = try blocked(node.inputs[0])
    let residual = try node.residual.map { try blocked($0) }
    let target = blockedResult(pooling?.output ?? node.output)
    let weights = try packed(
      node.inputs[1],
      as: .winograd(form, inputs: inputs, outputs: outputs, panelWidth: panelWidth))
    let bias = try packedBias(node, count: AlignedMemory.round(outputs, to: panelWidth))
    let edges = geometry.edges(width: input[1], height: input[0])
    let activation =
      node.activation == .linear ? pooling?.activation ?? .linear : node.activation

    var sizes = forge_winograd_arguments()
    sizes.in.channels = Int32(clamping: inputs)
    sizes.out.channels = Int32(clamping: outputs)
    sizes.weights = weights
    sizes.bias = bias
    sizes.kernel_height = Int32(clamping: form.kernel.height)
    sizes.kernel_width = Int32(clamping: form.kernel.width)
    sizes.tile_height = Int32(clamping: form.tile.height)
    sizes.tile_width = Int32(clamping: form.tile.width)
    sizes.stride = Int32(clamping: form.stride)
    sizes.pad_top = Int32(clamping: edges.top)
    sizes.pad_left = Int32(clamping: edges.left)
    sizes.height = Int32(clamping: result[0])
    sizes.width = Int32(clamping: result[1])
    sizes.panel_width = Int32(clamping: panelWidth)
    sizes.summed = Int32(clamping: AlignedMemory.round(summed, to: PlannedTensor.lanes))
    sizes.pooled = pooling == nil ? 0 : 1
    let cut = WinogradCut(&sizes, threads: settings.threads)

    let transformed = addPlain([cut.transformedFloats])
    let products = addPlain([cut.productsFloats])
    let name =
      "winograd \(form.kernel.text) tile \(form.tile.text)"
      + (form.stride == 1 ? "" : " stride \(form.stride)") + (pooling == nil ? "" : " pooled")
    let arguments = { [sizes] (places: TensorPlaces) in
      var arguments = sizes
      arguments.in = places.view(source)
      arguments.out = places.view(target)
      arguments.transformed = places.view(transformed)
      arguments.products = places.view(products)
      arguments.transformed_worker = Int64(cut.transformedWorker)
      arguments.products_worker = Int64(cut.productsWorker)
      arguments.next = places.next?.start
      arguments.next_floats = Int64(places.next?.count ?? 0)
      arguments.epilogue = forge_epilogue(activation, residual: residual.map { places.view($0) })
      return arguments
    }
    let work = form.units * AlignedMemory.round(inputs, to: PlannedTensor.lanes) * outputs
    let firstWeights = FirstWeights(
      start: weights, count: AlignedMemory.round(inputs, to: PlannedTensor.lanes) * panelWidth)
    let operands = residual.map { [$0] } ?? []
    if cut.isWhole {
      let (first, second) = (require(kernels.winograd_input), require(kernels.winograd_output))
      addStep("winograd input", reads: [source], writes: [transformed]) { places in
        KernelCall(first, arguments(places), tiles: forge_winograd_input_tiles)
      }
      addStep(
        name, reads: [transformed] + operands, writes: [target, products],
        multiplyAdds: cut.tiles * work, parameterCount: work, firstWeights: firstWeights
      ) { places in
        KernelCall(second, arguments(places), tiles: forge_winograd_output_tiles)
      }
    } else {
      let run = require(kernels.winograd)
      addStep(
        name, reads: [source] + operands, writes: [target, transformed, products],
        multiplyAdds: cut.tiles * work, parameterCount: work, firstWeights: firstWeights
      ) { places in
        KernelCall(run, arguments(places), tiles: forge_winograd_tiles)
      }
    }
  }
}

/// How a Winograd convolution is cut into chunks of tiles, and the scratch that takes.
struct WinogradCut {
  /// Whether the image is transformed as a whole, in a step of its own.
  ///
  /// Threads then share out panels of output channels; else they share out chunks. One thread fares as
  /// well either way.
  let isWhole: Bool
  /// The tiles of the image.
  let tiles: Int
  /// The floats of scratch, all threads together, and from one thread's part to the next's.
  let transformedFloats, productsFloats, transformedWorker, productsWorker: Int

  /// The bytes up to which weights stay in the second cache, of which 1 MB is the least that servers with AVX-512
  /// have.
  private static let nearWeights = 512 << 10
  /// What a chunk reads and writes between its stages should stay in the second cache beside such weights.
  ///
  /// Chunks may be as small as one row of the micro-kernel.
  private static let chunkBytesNear = 512 << 10
  /// The same beside weights that come from far anew for every chunk: the fewer chunks, the better.
  ///
  /// 17×17×192 to 192 with 1×7 in one chunk of 628 KB takes 0.47 ms, in two 0.50; 26×26×128 to 256 with 3×3 in
  /// one of 1.2 MB 1.03, in two 1.19; larger ones gain no more.
  private static let chunkBytesFar = 1280 << 10

  /// Chooses the chunk for the sizes in `arguments` and sets it there.
  init(_ arguments: inout forge_winograd_arguments, threads: Int) {
    let lanes = PlannedTensor.lanes
    arguments.chunk = .max
    var layout = forge_winograd_layout_of(&arguments)
    tiles = Int(layout.tiles)
    let channels =
      Int(layout.phases) * AlignedMemory.round(Int(arguments.in.channels), to: lanes)
      + Int(arguments.panel_width)
    let bytesPerTile = Int(layout.points) * channels * MemoryLayout<Float>.stride
    let weightBytes =
      Int(layout.points * layout.phases) * MemoryLayout<Float>.stride
      * AlignedMemory.round(Int(arguments.in.channels), to: lanes) * Int(arguments.out.channels)
    // Whole rows of the micro-kernel, which takes 6 tiles at once.
    let isNear = weightBytes <= Self.nearWeights
    let fitting = max(
      (isNear ? Self.chunkBytesNear : Self.chunkBytesFar) / bytesPerTile / 6 * 6, isNear ? 6 : 24)
    let panels =
      (Int(arguments.out.channels) + Int(arguments.panel_width) - 1)
      / Int(arguments.panel_width)
    var chunks = max((tiles + fitting / 2) / fitting, 1)
    if threads > 1, chunks < 2 * threads {
      // All threads equally busy, at the price of weights read once more for each chunk.
      let even = (chunks...chunks + threads).first { (panels * $0).isMultiple(of: threads) }
      chunks = min(even ?? chunks, tiles)
    }
    arguments.chunk = Int32(clamping: (tiles + chunks - 1) / chunks)
    layout = forge_winograd_layout_of(&arguments)
    isWhole = threads > 1 && chunks < 2 * threads
    transformedWorker = isWhole ? 0 : Int(layout.transformed_floats)
    productsWorker = Int(layout.products_floats)
    transformedFloats =
      Int(layout.transformed_floats) * (isWhole ? Int(layout.chunks) : threads)
    productsFloats = productsWorker * threads
  }
}
