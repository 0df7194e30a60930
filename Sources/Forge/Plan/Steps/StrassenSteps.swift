import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// A pointwise convolution by one or two levels of Strassen's algorithm.
  mutating func addStrassen(
    _ node: OperationGraph.Node, source: ID, levels: Int, segments: Int, panelWidth: Int
  ) throws {
    let (inputs, outputs) = (imageSizes(of: node.inputs[0])[2], imageSizes(of: node.output)[2])
    let residual = try node.residual.map { try blocked($0) }
    let target = blockedResult(node.output)
    let isScaled =
      try ConvolutionWeights(node.inputs[1], of: graph, constants)?.strassen(
        inputs: inputs, outputs: outputs, levels: levels, settings: settings)
      == .scaled
    let weights = try packed(
      node.inputs[1],
      as: .strassen(
        levels: levels, inputs: inputs, outputs: outputs, panelWidth: panelWidth,
        isScaled: isScaled))
    let scales =
      isScaled
      ? weights.map {
        $0
          + PackedConstants.Form.strassenCount(
            levels: levels, inputs: inputs, outputs: outputs, panelWidth: panelWidth)
      } : nil
    let bias = try packedBias(node, count: outputs)
    let activation = node.activation

    var sizes = forge_strassen_arguments()
    sizes.in.channels = Int32(clamping: inputs)
    sizes.in.height = Int32(clamping: tensor(source).height)
    sizes.in.width = Int32(clamping: tensor(source).width)
    sizes.out.channels = Int32(clamping: outputs)
    sizes.weights = weights
    sizes.bias = bias
    sizes.input_scales = scales
    sizes.output_scales = scales.map { $0 + inputs }
    sizes.panel_width = Int32(clamping: panelWidth)
    sizes.segments = Int32(clamping: segments)
    sizes.levels = Int32(clamping: levels)
    let scratchFloats = Int(forge_strassen_scratch_floats(&sizes))
    let scratch = addPlain([scratchFloats * settings.threads])
    let arguments = { [sizes] (places: TensorPlaces) in
      var arguments = sizes
      arguments.in = places.view(source)
      arguments.out = places.view(target)
      arguments.scratch = places.view(scratch)
      arguments.scratch_worker = Int64(scratchFloats)
      arguments.next = places.next?.start
      arguments.next_floats = Int64(places.next?.count ?? 0)
      arguments.epilogue = forge_epilogue(activation, residual: residual.map { places.view($0) })
      return arguments
    }
    let kernel = require(kernels.strassen)
    let (replaced, computed) = (1 << (3 * levels), Int(forge_strassen_products(sizes.levels)))
    let firstProduct = (inputs >> levels) * panelWidth
    addStep(
      "strassen\(levels == 1 ? "" : " \(levels) levels") 1×1 panel \(panelWidth)"
        + (isScaled ? " scaled" : ""),
      reads: [source] + (residual.map { [$0] } ?? []), writes: [target, scratch],
      multiplyAdds: tensor(target).count * inputs / replaced * computed,
      parameterCount: AlignedMemory.round(outputs >> levels, to: panelWidth) * computed
        * (inputs >> levels),
      firstWeights: FirstWeights(start: weights, count: firstProduct)
    ) { places in
      KernelCall(kernel, arguments(places), tiles: forge_strassen_tiles)
    }
  }
}
