import Forge
import ForgeOperations
import ForgeShapes

/// Convolutions and products of matrices.
extension KerasGraphWriter {
  mutating func convolution(
    _ call: KerasOperation, _ geometry: ConvolutionGeometry, outputs: Int, groups: Int
  ) throws(ExportRefusal) {
    let (input, made) = (sizes(call.inputs[0]), sizes(call.output))
    let inputs = input[2] / groups
    let kernel = [geometry.kernel.height, geometry.kernel.width]
    if geometry.isPointwise, groups == 1, try !isPicture(call.inputs[0]) {
      let kernel = try weight(call.inputs[1], from: [outputs, inputs], order: [1, 0])
      return try matrix(call, try rows(call.inputs[0]), kernel, outputs: outputs)
    }
    let weights = [
      try weight(
        call.inputs[1], from: [outputs] + kernel + [inputs], order: [1, 2, 3, 0])
    ]
    // A sequence [times][channels] is an image of one row.
    let sequence = [input[1], input[2]]
    if kernel[0] == 1, input[0] == 1, made[0] == 1, geometry.stride.height == 1,
      try value(call.inputs[0]).forms[sequence] != nil
    {
      let row = try weight(
        call.inputs[1], from: [outputs, kernel[1], inputs], order: [1, 2, 0])
      return try window(
        call, geometry, "Conv1D", try tensor(call.inputs[0], sizes: sequence), [row],
        [("filters", .integer(outputs)), ("groups", .integer(groups))], outputs: outputs)
    }
    try window(
      call, geometry, "Conv2D", try plain(call.inputs[0]), weights,
      [("filters", .integer(outputs)), ("groups", .integer(groups))], outputs: outputs)
  }

  mutating func depthwise(
    _ call: KerasOperation, _ geometry: ConvolutionGeometry, multiplier: Int
  ) throws(ExportRefusal) {
    let (input, made) = (sizes(call.inputs[0]), sizes(call.output))
    let kernel = [geometry.kernel.height, geometry.kernel.width]
    let sequence = [input[1], input[2]]
    let config: [(name: String, value: KerasJSON)] = [("depth_multiplier", .integer(multiplier))]
    if kernel[0] == 1, input[0] == 1, made[0] == 1, geometry.stride.height == 1,
      try value(call.inputs[0]).forms[sequence] != nil
    {
      let row = try weight(
        call.inputs[1], from: [input[2], multiplier, kernel[1]], order: [2, 0, 1])
      return try window(
        call, geometry, "DepthwiseConv1D", try tensor(call.inputs[0], sizes: sequence), [row],
        config, outputs: input[2] * multiplier)
    }
    let weights = try weight(
      call.inputs[1], from: [input[2], multiplier] + kernel, order: [2, 3, 0, 1])
    try window(
      call, geometry, "DepthwiseConv2D", try plain(call.inputs[0]), [weights], config,
      outputs: input[2] * multiplier)
  }

  /// Whether a value is an image that no other sizes are known of.
  private mutating func isPicture(_ value: OperationGraph.Value) throws(ExportRefusal) -> Bool {
    try self.value(value).primary == sizes(value)
  }

  /// A convolution along one axis or two.
  private mutating func window(
    _ call: KerasOperation, _ geometry: ConvolutionGeometry, _ name: String, _ x: KerasTensor,
    _ weights: [KerasRecord.Weight], _ config: [(name: String, value: KerasJSON)], outputs: Int
  ) throws(ExportRefusal) {
    let isRow = x.sizes.count == 2
    let (kernel, dilations) = (lengths(geometry.kernel, isRow), lengths(geometry.dilation, isRow))
    let steps = lengths(geometry.stride, isRow)
    // Keras has no steps with dilation, nor TensorFlow depthwise ones that differ.
    let isCut =
      steps.contains { $0 > 1 }
      && (dilations.contains { $0 > 1 } || (name == "DepthwiseConv2D" && Set(steps).count > 1))
    var weights = weights
    let hasBias = call.inputs.count > 2
    if hasBias { weights.append(try biases(call.inputs[2], count: outputs)) }
    let made = Array(sizes(call.output).suffix(x.sizes.count))
    let isSame = geometry.padding == .same && !isCut
    let padded = isSame ? x : zeroPadded(x, pads(geometry, call, isRow))
    let full = zip(zip(padded.sizes, kernel), dilations).map { $0.0 - ($0.1 - 1) * $1 }
    let isResult = isResult(call.output)
    var result = layer(
      name, padded,
      config + [
        ("kernel_size", .integers(kernel)),
        ("strides", .integers(isCut ? steps.map { _ in 1 } : steps)),
        ("padding", .text(isSame ? "same" : "valid")), ("data_format", .text("channels_last")),
        ("dilation_rate", .integers(dilations)), ("activation", .text("linear")),
        ("use_bias", .flag(hasBias)),
      ], weights: weights, sizes: isCut ? full + [outputs] : made, named: isResult && !isCut)
    if isCut {
      let parts = zip(steps, made).map { step, count in
        KerasArgument.json(.slice(0, (count - 1) * step + 1, step))
      }
      result = one(
        .numpy("GetItem"),
        [.tensor(result), .list([.json(.slice(nil, nil, nil))] + parts)], sizes: made,
        named: isResult)
    }
    set(call.output, to: result)
  }

  /// The height and width, or the width of a row.
  func lengths(_ size: Size, _ isRow: Bool) -> [Int] {
    isRow ? [size.width] : [size.height, size.width]
  }

  /// The padding of a window before and after each axis, with which the number of windows is that
  /// of the network when it is rounded down.
  func pads(
    _ geometry: ConvolutionGeometry, _ call: KerasOperation, _ isRow: Bool
  ) -> [[Int]] {
    let (input, made) = (sizes(call.inputs[0]), sizes(call.output))
    let edges = geometry.edges(width: input[1], height: input[0])
    func end(_ axis: Int, before: Int, after: Int, stride: Int, extent: Int) -> Int {
      max(after, (made[axis] - 1) * stride + extent - input[axis] - before)
    }
    let pads = [
      [
        edges.top,
        end(
          0, before: edges.top, after: edges.bottom, stride: geometry.stride.height,
          extent: geometry.extent.height),
      ],
      [
        edges.left,
        end(
          1, before: edges.left, after: edges.right, stride: geometry.stride.width,
          extent: geometry.extent.width),
      ],
    ]
    return isRow ? [pads[1]] : pads
  }

  /// A tensor with zeros around its first axes.
  mutating func zeroPadded(_ x: KerasTensor, _ pads: [[Int]]) -> KerasTensor {
    guard pads.joined().contains(where: { $0 > 0 }) else { return x }
    var made = x.sizes
    for (axis, pair) in pads.enumerated() { made[axis] += pair[0] + pair[1] }
    let padding =
      pads.count == 1 ? KerasJSON.integers(pads[0]) : .list(pads.map { .integers($0) })
    return layer(
      "ZeroPadding\(pads.count)D", x,
      [("padding", padding)] + (pads.count == 1 ? [] : [("data_format", .text("channels_last"))]),
      sizes: made)
  }

  /// Biases, one for all outputs or one for each.
  func biases(
    _ value: OperationGraph.Value, count: Int
  ) throws(ExportRefusal) -> KerasRecord.Weight {
    let isOne = sizes(value).reduce(1, *) == 1 && count > 1
    return try weight(value, sizes: [count], as: isOne ? "repeated" : "") { values in
      isOne ? Array(repeating: values.first ?? 0, count: count) : values
    }
  }

  mutating func dense(_ call: KerasOperation, outputs: Int) throws(ExportRefusal) {
    let count = sizes(call.inputs[0]).reduce(1, *)
    let kernel = try weight(call.inputs[1], from: [outputs, count], order: [1, 0])
    try matrix(call, try tensor(call.inputs[0], sizes: [count]), kernel, outputs: outputs)
  }

  /// A dense layer along the last axis.
  private mutating func matrix(
    _ call: KerasOperation, _ x: KerasTensor, _ kernel: KerasRecord.Weight, outputs: Int
  ) throws(ExportRefusal) {
    var weights = [kernel]
    let hasBias = call.inputs.count > 2
    if hasBias { weights.append(try biases(call.inputs[2], count: outputs)) }
    set(
      call.output,
      to: layer(
        "Dense", x,
        [
          ("units", .integer(outputs)), ("activation", .text("linear")),
          ("use_bias", .flag(hasBias)),
        ], weights: weights, sizes: x.sizes.dropLast() + [outputs],
        named: isResult(call.output)))
  }

  mutating func matrixProduct(_ call: KerasOperation) throws(ExportRefusal) {
    let (a, b) = (sizes(call.inputs[0]), sizes(call.inputs[1]))
    if isConstant(call.inputs[1]), b.count == 2, !isConstant(call.inputs[0]) {
      let kernel = try weight(call.inputs[1], from: b, order: [0, 1])
      let product = KerasOperation(inputs: Array(call.inputs[..<2]), output: call.output)
      return try matrix(product, try plain(call.inputs[0]), kernel, outputs: b[1])
    }
    let rank = max(a.count, b.count)
    var arguments: [KerasArgument] = []
    for input in call.inputs {
      let own = sizes(input)
      let wide = Array(repeating: 1, count: rank - own.count) + own
      arguments.append(.tensor(try tensor(input, sizes: wide)))
    }
    set(
      call.output,
      to: one(
        .numpy("Matmul"), arguments, sizes: sizes(call.output), named: isResult(call.output)))
  }
}
