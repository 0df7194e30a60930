import Forge
import ForgeOperations
import ForgeShapes

/// Convolutions and products of matrices.
extension CoreMLGraphWriter {
  mutating func convolution(
    _ call: CoreMLOperation, _ geometry: ConvolutionGeometry, outputs: Int, groups: Int
  ) throws(ExportRefusal) {
    let channels = sizes(call.inputs[0])[2]
    if geometry.isPointwise, groups == 1,
      try value(call.inputs[0]).primary != .channelsFirst
    {
      return try pointwise(call, inputs: channels, outputs: outputs)
    }
    let inputs = channels / groups
    let area = geometry.kernel.width * geometry.kernel.height
    let weights = try stored(call.inputs[1], count: outputs * inputs * area) { values in
      // [outputs][taps][inputs] become [outputs][inputs][taps].
      guard values.count == outputs * area * inputs else { return [] }
      guard area > 1, inputs > 1 else { return values }
      var turned = Array(repeating: Float(0), count: values.count)
      for output in 0..<outputs {
        for tap in 0..<area {
          for input in 0..<inputs {
            turned[(output * inputs + input) * area + tap] =
              values[(output * area + tap) * inputs + input]
          }
        }
      }
      return turned
    }
    try window(call, geometry, weights, groups: groups, outputs: outputs)
  }

  /// A convolution of single pixels, as a product of the last axis.
  private mutating func pointwise(
    _ call: CoreMLOperation, inputs: Int, outputs: Int
  ) throws(ExportRefusal) {
    let form = try value(call.inputs[0]).primary
    let x = try name(of: call.inputs[0], in: form)
    let weights = try stored(call.inputs[1], count: outputs * inputs)
    let bias = try call.inputs.count > 2 ? stored(call.inputs[2], count: outputs) : nil
    let result = try product(
      x, inputs: inputs, outputs: outputs, weights, bias, named: name(for: call.output))
    set(call.output, form, result)
  }

  /// The products of the last axis with [outputs][inputs] weights.
  mutating func product(
    _ x: String, inputs: Int, outputs: Int, _ weights: CoreMLNumbers, _ bias: CoreMLNumbers?,
    named: String? = nil
  ) throws(ExportRefusal) -> String {
    let target = sizes(of: x).dropLast() + [outputs]
    return try add(.innerProduct, [x], sizes: Array(target), named: named) { layer in
      layer.integer(1, inputs)
      layer.integer(2, outputs)
      layer.flag(10, bias != nil)
      layer.numbers(20, weights)
      if let bias { layer.numbers(21, bias) }
    }
  }

  mutating func depthwise(
    _ call: CoreMLOperation, _ geometry: ConvolutionGeometry, multiplier: Int
  ) throws(ExportRefusal) {
    let channels = sizes(call.inputs[0])[2]
    let area = geometry.kernel.width * geometry.kernel.height
    let weights = try stored(call.inputs[1], count: channels * multiplier * area)
    try window(call, geometry, weights, groups: channels, outputs: channels * multiplier)
  }

  /// A convolution whose weights have Core ML's order.
  private mutating func window(
    _ call: CoreMLOperation, _ geometry: ConvolutionGeometry, _ weights: CoreMLNumbers,
    groups: Int, outputs: Int
  ) throws(ExportRefusal) {
    let x = try name(of: call.inputs[0], in: .channelsFirst)
    let pads = pads(geometry, from: call.inputs[0], to: call.output)
    let bias = try call.inputs.count > 2 ? stored(call.inputs[2], count: outputs) : nil
    let channels = sizes(call.inputs[0])[2]
    let target = CoreMLValue.sizes(sizes(call.output), in: .channelsFirst)
    let result = try add(.convolution, [x], sizes: target, named: name(for: call.output)) {
      $0.integer(1, outputs)
      $0.integer(2, channels / groups)
      $0.integer(10, groups)
      $0.integers(20, [geometry.kernel.height, geometry.kernel.width])
      $0.integers(30, [geometry.stride.height, geometry.stride.width])
      $0.integers(40, [geometry.dilation.height, geometry.dilation.width])
      $0.message(50) { $0.message(1) { $0.borders(pads) } }
      $0.flag(70, bias != nil)
      $0.numbers(90, weights)
      if let bias { $0.numbers(91, bias) }
    }
    set(call.output, .channelsFirst, result)
  }

  mutating func dense(_ call: CoreMLOperation, outputs: Int) throws(ExportRefusal) {
    let operand = try value(call.inputs[0])
    let count = operand.sizes.reduce(1, *)
    let isTurned = operand.isImage && !operand.isVector && operand.primary == .channelsFirst
    let source =
      isTurned
      ? try name(of: call.inputs[0], in: .channelsFirst)
      : try name(of: call.inputs[0], in: operand.isVector ? .flat : .plain)
    let x = try reshaped(source, to: [1, count])
    let (pixels, channels) = (count / max(operand.sizes.last ?? 1, 1), operand.sizes.last ?? 1)
    // The image stays as it is, and the weights take its order.
    let weights = try stored(call.inputs[1], count: outputs * count) { values in
      isTurned
        ? Self.channelsFirst(values, blocks: outputs, pixels: pixels, channels: channels) : values
    }
    let bias = try call.inputs.count > 2 ? stored(call.inputs[2], count: outputs) : nil
    let isVector = CoreMLValue.usualForm(sizes(call.output)) == .flat
    let result = try product(
      x, inputs: count, outputs: outputs, weights, bias,
      named: isVector ? name(for: call.output) : nil)
    guard !isVector else { return set(call.output, .flat, result) }
    set(
      call.output, .plain,
      try reshaped(result, to: sizes(call.output), named: name(for: call.output)))
  }

  mutating func matrixProduct(_ call: CoreMLOperation) throws(ExportRefusal) {
    let right = sizes(call.inputs[1])
    if network.graph.constant(call.inputs[1]) != nil, right.count == 2,
      sizes(call.inputs[0]).count >= 2
    {
      // A matrix of the file is a parameter of the layer, with its columns as rows.
      let (inputs, outputs) = (right[0], right[1])
      let x = try name(of: call.inputs[0], in: .plain)
      let weights = try stored(call.inputs[1], count: inputs * outputs) { values in
        guard values.count == inputs * outputs else { return [] }
        return Self.channelsFirst(values, pixels: inputs, channels: outputs)
      }
      let result = try add(
        .batchedProduct, [x], sizes: sizes(call.output), named: name(for: call.output)
      ) {
        $0.integer(5, inputs)
        $0.integer(6, outputs)
        $0.numbers(8, weights)
      }
      return set(call.output, .plain, result)
    }
    let rank = call.inputs.map { sizes($0).count }.max() ?? 2
    let a = try plain(call.inputs[0], rank: rank)
    let b = try plain(call.inputs[1], rank: rank)
    set(call.output, .plain, try product(a, b, named: name(for: call.output)))
  }
}

extension CoreMLMessage {
  /// Amounts at the top, left, bottom and right (`BorderAmounts`).
  mutating func borders(_ amounts: [Int]) {
    for axis in 0..<2 {
      message(10) {
        $0.integer(1, amounts[axis])
        $0.integer(2, amounts[axis + 2])
      }
    }
  }
}
