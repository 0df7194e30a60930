import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// A pointwise convolution by Strassen's algorithm: sums of the image's quarters, then seven products.
  mutating func addStrassen(
    _ node: OperationGraph.Node, source: ID, segments: Int, panelWidth: Int
  ) throws {
    let (inputs, outputs) = (imageSizes(of: node.inputs[0])[2], imageSizes(of: node.output)[2])
    let residual = try node.residual.map { try blocked($0) }
    let target = blockedResult(node.output)
    let weights = try packed(
      node.inputs[1], as: .strassen(inputs: inputs, outputs: outputs, panelWidth: panelWidth))
    let bias = try packedBias(node, count: outputs)
    let activation = node.activation

    var sizes = forge_strassen_arguments()
    sizes.in.channels = Int32(clamping: inputs)
    sizes.in.height = Int32(clamping: tensor(source).height)
    sizes.in.width = Int32(clamping: tensor(source).width)
    sizes.weights = weights
    sizes.bias = bias
    sizes.panel_width = Int32(clamping: panelWidth)
    sizes.segments = Int32(clamping: segments)
    let productsFloats = Int(forge_strassen_products_floats(&sizes))
    let sums = addPlain([Int(forge_strassen_sums_floats(&sizes))])
    let products = addPlain([productsFloats * settings.threads])
    let arguments = { [sizes] (places: TensorPlaces) in
      var arguments = sizes
      arguments.in = places.view(source)
      arguments.out = places.view(target)
      arguments.sums = places.view(sums)
      arguments.products = places.view(products)
      arguments.products_worker = Int64(productsFloats)
      arguments.next = places.next?.start
      arguments.next_floats = Int64(places.next?.count ?? 0)
      arguments.epilogue = forge_epilogue(activation, residual: residual.map { places.view($0) })
      return arguments
    }
    let (first, second) = (require(kernels.strassen_input), require(kernels.strassen_output))
    addStep("strassen input", reads: [source], writes: [sums]) { places in
      KernelCall(
        first, arguments(places), tiles: forge_strassen_input_tiles, parts: segments)
    }
    let halves = inputs / 2 * panelWidth
    addStep(
      "strassen 1×1 panel \(panelWidth)",
      reads: [source, sums] + (residual.map { [$0] } ?? []), writes: [target, products],
      multiplyAdds: tensor(target).count * inputs / 8 * 7,
      parameterCount: AlignedMemory.round(outputs / 2, to: panelWidth) * 7 * (inputs / 2),
      firstWeights: FirstWeights(start: weights, count: halves)
    ) { places in
      KernelCall(
        second, arguments(places), tiles: forge_strassen_output_tiles, parts: segments)
    }
  }
}
