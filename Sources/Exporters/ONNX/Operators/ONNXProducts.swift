import Forge
import ForgeOperations
import ForgeShapes

/// Convolutions and products of matrices.
extension ONNXGraphWriter {
  mutating func convolution(
    _ call: ONNXOperation, _ geometry: ConvolutionGeometry, outputs: Int, groups: Int
  ) throws(ExportRefusal) {
    let inputs = sizes(call.inputs[0])[2] / groups
    let area = geometry.kernel.width * geometry.kernel.height
    let weights = try weights(
      call.inputs[1], sizes: [outputs, inputs, geometry.kernel.height, geometry.kernel.width],
      as: "channels first"
    ) { values in
      // [outputs][taps][inputs] become [outputs][inputs][taps].
      guard values.count == outputs * area * inputs else { return [] }
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
    try window(call, geometry, weights: weights, groups: groups, outputs: outputs)
  }

  mutating func depthwise(
    _ call: ONNXOperation, _ geometry: ConvolutionGeometry, multiplier: Int
  ) throws(ExportRefusal) {
    let channels = sizes(call.inputs[0])[2]
    let weights = try weights(
      call.inputs[1],
      sizes: [channels * multiplier, 1, geometry.kernel.height, geometry.kernel.width])
    try window(
      call, geometry, weights: weights, groups: channels, outputs: channels * multiplier)
  }

  /// A convolution whose weights have ONNX's order.
  private mutating func window(
    _ call: ONNXOperation, _ geometry: ConvolutionGeometry, weights: String, groups: Int,
    outputs: Int
  ) throws(ExportRefusal) {
    var inputs = [try name(of: call.inputs[0], in: .channelsFirst), weights]
    if call.inputs.count > 2 { inputs.append(try bias(call, outputs: outputs)) }
    let result = add(
      "Conv", inputs, named: name(for: call.output),
      ("kernel_shape", .ints([geometry.kernel.height, geometry.kernel.width])),
      ("strides", .ints([geometry.stride.height, geometry.stride.width])),
      ("dilations", .ints([geometry.dilation.height, geometry.dilation.width])),
      ("pads", .ints(pads(geometry, from: call.inputs[0], to: call.output))),
      ("group", .int(groups)))
    set(call.output, .channelsFirst, result, isBatched: try isBatched([call.inputs[0]]))
  }

  mutating func dense(_ call: ONNXOperation, outputs: Int) throws(ExportRefusal) {
    let operand = try value(call.inputs[0])
    let count = operand.sizes.reduce(1, *)
    let input: String
    let weights: String
    if operand.isVector {
      input = try name(of: call.inputs[0], in: .flat)
      weights = try self.weights(call.inputs[1], sizes: [outputs, count])
    } else if operand.isImage, operand.primary == .channelsFirst {
      // The image stays as it is, and the weights take its order.
      input = add(
        "Flatten", [try name(of: call.inputs[0], in: .channelsFirst)], ("axis", .int(1)))
      let (pixels, channels) = (operand.sizes[0] * operand.sizes[1], operand.sizes[2])
      weights = try self.weights(
        call.inputs[1], sizes: [outputs, count], as: "channels first"
      ) { values in
        Self.channelsFirst(values, blocks: outputs, pixels: pixels, channels: channels)
      }
    } else {
      let plain = try name(of: call.inputs[0], in: .plain)
      input = operand.sizes.count == 1 ? plain : add("Flatten", [plain], ("axis", .int(1)))
      weights = try self.weights(call.inputs[1], sizes: [outputs, count])
    }
    var inputs = [input, weights]
    if call.inputs.count > 2 { inputs.append(try bias(call, outputs: outputs)) }
    let result = add("Gemm", inputs, named: name(for: call.output), ("transB", .int(1)))
    set(call.output, .flat, result, isBatched: operand.isBatched)
  }

  mutating func matrixProduct(_ call: ONNXOperation) throws(ExportRefusal) {
    let rank = call.inputs.map { sizes($0).count }.max() ?? 2
    var inputs: [String] = []
    for input in call.inputs { inputs.append(try plain(input, rank: rank)) }
    let result = add("MatMul", inputs, named: name(for: call.output))
    set(call.output, .plain, result, isBatched: try isBatched(call.inputs))
  }

  /// A value in plain form with as many axes, whose first ones have size 1.
  mutating func plain(
    _ value: OperationGraph.Value, rank: Int
  ) throws(ExportRefusal) -> String {
    let name = try name(of: value, in: .plain)
    let valueSizes = sizes(value)
    guard valueSizes.count < rank else { return name }
    let target = [0] + Array(repeating: 1, count: rank - valueSizes.count) + valueSizes
    return add("Reshape", [name, integers(target)])
  }
}
