import CForgeKernels
import ForgeOperations
import ForgeShapes

/// Integers whose scale and zero point each prediction finds.
extension PlanBuilder {
  /// Adds the range of a tensor: its rows' first, then that of all.
  mutating func addDynamicRange(_ node: OperationGraph.Node) throws {
    let source = try floats(node.inputs[0])
    let image = tensor(source)
    let tiles = (image.channels + PlannedTensor.lanes - 1) / PlannedTensor.lanes * image.height
    let rows = addPlain([2 * tiles])
    addStep(
      "range", kernels.float_range, forge_float_range_arguments(), tiles: forge_float_range_tiles,
      parts: image.height, reads: [\.in: source], writes: [\.rows: rows])
    let range = addPlain([MemoryLayout<forge_quantization>.stride / MemoryLayout<Float>.stride])
    ranges[node.output] = range
    var arguments = forge_dynamic_range_arguments()
    arguments.count = Int64(tiles)
    arguments.has_numbers = 1
    addStep(
      "range", kernels.dynamic_range, arguments, tiles: forge_dynamic_range_tiles,
      reads: [\.rows: rows], writes: [\.range: range, \.numbers: plainResult(node.output)])
  }

  /// Adds a quantization by a range.
  mutating func addDynamicQuantization(_ node: OperationGraph.Node) throws {
    let source = try floats(node.inputs[0])
    let range = try range(node.inputs[1])
    // The zero point is not known, so nothing may read a border.
    let target = byteResult(node.output, .unscaled(.uint8))
    var arguments = forge_quantize_arguments()
    arguments.high = 255
    arguments.has_range = 1
    addStep(
      "quantize", kernels.quantize, arguments, tiles: forge_quantize_tiles,
      parts: tensor(target).height, reads: [\.in: source, \.range: range],
      writes: [\.out: target])
  }

  /// Adds a product of integers that a range quantized.
  mutating func addDynamicProduct(
    _ node: OperationGraph.Node, _ product: DynamicProduct
  ) throws {
    let source = try bytes(node.inputs[0], .unscaled(.uint8))
    let range = try range(node.inputs[2])
    let geometry: ConvolutionGeometry
    switch product.form {
    case .convolution(let stated, _, _), .depthwise(let stated, _): geometry = stated
    case .dense:
      let image = tensor(source)
      geometry = ConvolutionGeometry(kernel: Size(width: image.width, height: image.height))
    }
    let outputs = product.factors.count
    let form = quantizedForm(
      geometry, source, outputs: outputs, hasZeros: product.hasWeightZeros,
      QuantizedScales(product))
    let packed = try packed(node.inputs[1], as: form)
    var end = forge_sum_end()
    end.form = Int32(FORGE_SUMS_TO_FLOATS.rawValue)
    end.scales = try retain(product.factors, count: form.columns)
    if let offsets = product.offsets {
      end.offsets = try retain(offsets, count: form.columns)
    }
    end.biases = try foldedBiases(product.biases, form, packed, zero: 0)
    end.totals = form.totals(packed)
    end.has_range = 1
    let residual = try node.residual.map { try blocked($0) }
    end.epilogue = forge_epilogue(node.activation, hasResidual: residual != nil)
    addIntegerConvolution(
      geometry, form, packed, end, from: source, to: blockedResult(node.output),
      range: range, residual: residual)
  }

  /// The scale and the zero point of a range as kernels have them.
  private func range(_ value: Value) throws -> ID {
    guard let range = ranges[value] else {
      preconditionFailure("a range is made by a step of its own")
    }
    return range
  }
}
