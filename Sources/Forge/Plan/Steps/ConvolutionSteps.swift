import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// A convolution: one step, or one per group where groups are whole blocks of channels.
  mutating func addConvolution(
    _ node: OperationGraph.Node, _ geometry: ConvolutionGeometry, outputs: Int, groups: Int
  ) throws {
    let sizes = (imageSizes(of: node.inputs[0]), imageSizes(of: node.output))
    let (inputs, outputsEach) = (sizes.0[2] / groups, outputs / groups)
    switch convolutions.choices[self.node] {
    case .channelByChannel:
      try addGrouped(node, geometry, groups: groups, inputs: inputs, outputs: outputs)
      return
    case .winograd(let form, let summed, let width):
      try addWinograd(node, geometry, form: form, summed: summed, panelWidth: width)
      return
    case .strassen(let levels, let segments, let width):
      let source = try blocked(node.inputs[0])
      // It sees the image as one long row; a border that another step needs is in the way of that.
      guard tensor(source).isContiguous else { break }
      try addStrassen(node, source: source, levels: levels, segments: segments, panelWidth: width)
      return
    case .plainImage(let width):
      try addPlainConvolution(node, geometry, panelWidth: width)
      return
    default: break
    }
    let source = try blocked(node.inputs[0])
    let residual = try node.residual.map { try blocked($0) }
    let target = blockedResult(node.output)
    if case .reduced(let kernel, let width) = convolutions.choices[self.node] {
      try addReduced(
        kernel, node, geometry, source: source, target: target, residual: residual,
        panelWidth: width)
      return
    }
    guard groups > 1 else {
      // Plans for inputs of other sizes share the weights, and may have more pixels.
      if settings.sizesAreFixed,
        try addFixed(node, geometry, source: source, target: target, residual: residual)
      {
        return
      }
      try addConvolution(
        node, geometry, source: source, target: target, residual: residual, inputs: inputs,
        outputs: outputs)
      return
    }
    for group in 0..<groups {
      let part = { (whole: ID, sizes: [Int], channels: Int) in
        { (tensors: Tensors, _: ID) in
          tensors[whole].part(
            [sizes[0], sizes[1], channels], channel: group * channels, halo: tensors[whole].halo)
        }
      }
      try addConvolution(
        node, geometry, source: addTensor(part(source, sizes.0, inputs)),
        target: addTensor(part(target, sizes.1, outputsEach)),
        residual: residual.map { addTensor(part($0, sizes.1, outputsEach)) }, inputs: inputs,
        outputs: outputsEach, group: group)
    }
  }

  /// A dense layer: the convolution whose kernel is the whole image.
  mutating func addDense(_ node: OperationGraph.Node, outputs: Int) throws {
    let value = node.inputs[0]
    let source: ID
    if isImage(value), !hasGapsInBlocks(value) {
      source = try blocked(value)
    } else {
      // Any other tensor is one pixel of all its elements, which lie as a blocked vector's do.
      let plain = try self.plain(value)
      let count = tensor(plain).count
      if tensor(plain).base == .arena {
        source = addTensor { tensors, _ in tensors[plain].asVector(count) }
      } else {
        let flat = addTensor { tensors, _ in tensors[plain].reshaped([1, 1, count]) }
        source = addTensor { _, id in PlannedTensor.blocked([1, 1, count], halo: .none, id: id) }
        addBlock(from: flat, to: source)
      }
    }
    let sizes = tensor(source).sizes
    let whole = ConvolutionGeometry(kernel: Size(width: sizes[1], height: sizes[0]))
    let residual = try node.residual.map { try blocked($0) }
    let target = blockedResult(node.output)
    if let kernel = KernelChoice.dense(inputs: tensor(source).count, settings: settings) {
      let width = KernelChoice.panelWidth(
        outputs: outputs, threads: settings.threadsSharingPanels(pixels: 1))
      try addReduced(
        kernel, node, whole, source: source, target: target, residual: residual,
        panelWidth: width)
      return
    }
    if try addFixed(node, whole, source: source, target: target, residual: residual) { return }
    try addConvolution(
      node, whole, source: source, target: target, residual: residual, inputs: sizes[2],
      outputs: outputs)
  }

  /// Whether an image has several pixels and empty lanes in each: a dense layer's weights, which are
  /// streamed from far away, would have as many gaps. (LeNet's first, 7×7×50: 43 µs with them, 33 without.)
  private func hasGapsInBlocks(_ value: Value) -> Bool {
    let sizes = imageSizes(of: value)
    return sizes[0] * sizes[1] > 1 && !sizes[2].isMultiple(of: PlannedTensor.lanes)
  }

  private mutating func addConvolution(
    _ node: OperationGraph.Node, _ geometry: ConvolutionGeometry, source: ID, target: ID,
    residual: ID?, inputs: Int, outputs: Int, group: Int = 0
  ) throws {
    let pixels = tensor(target).height * tensor(target).width
    let panelWidth: Int
    if case .panels(let width) = convolutions.choices[self.node] {
      panelWidth = width
    } else {
      panelWidth = KernelChoice.panelWidth(
        outputs: outputs, threads: settings.threadsSharingPanels(pixels: pixels))
    }
    let kernel = geometry.kernel
    let weightCount = outputs * kernel.width * kernel.height * inputs
    let weights = try packed(
      node.inputs[1], part: group * weightCount..<(group + 1) * weightCount,
      as: .convolution(
        height: kernel.height, width: kernel.width, inputs: inputs, outputs: outputs,
        panelWidth: panelWidth))
    let bias = try packedBias(
      node, part: group * outputs..<(group + 1) * outputs,
      count: AlignedMemory.round(outputs, to: panelWidth))
    let window = Window(geometry, input: tensor(source))
    let isFlat = KernelChoice.isFlat(
      geometry, ([source, target] + (residual.map { [$0] } ?? [])).map { tensor($0) })
    let segments = segments(of: target, isFlat: isFlat, outputs: outputs, panelWidth: panelWidth)
    let activation = node.activation
    let run = require(kernels.convolution)
    let name = "convolution \(kernel.text) panel \(panelWidth)"
    addStep(
      name, reads: [source] + (residual.map { [$0] } ?? []), writes: [target],
      multiplyAdds: Self.saturatingProduct([
        tensor(target).count, kernel.width, kernel.height, inputs,
      ]),
      parameterCount: weightCount,
      firstWeights: FirstWeights(
        start: weights,
        count: kernel.width * kernel.height * AlignedMemory.round(inputs, to: PlannedTensor.lanes)
          * panelWidth)
    ) { places in
      var arguments = forge_convolution_arguments()
      arguments.in = places.view(source).flattened(isFlat)
      arguments.out = places.view(target).flattened(isFlat)
      arguments.weights = weights
      arguments.bias = bias
      arguments.set(window)
      arguments.panel_width = Int32(panelWidth)
      arguments.segments = Int32(clamping: segments)
      arguments.epilogue = forge_epilogue(
        activation, residual: residual.map { places.view($0).flattened(isFlat) })
      arguments.next = places.next?.start
      arguments.next_floats = Int64(places.next?.count ?? 0)
      return KernelCall(
        run, arguments, tiles: forge_convolution_tiles,
        parts: Int(arguments.out.height) * segments)
    }
  }

  /// A convolution of one pixel whose weights are worth being kept shorter, where they can be.
  private mutating func addFixed(
    _ node: OperationGraph.Node, _ geometry: ConvolutionGeometry, source: ID, target: ID,
    residual: ID?
  ) throws -> Bool {
    let (input, output) = (tensor(source), tensor(target))
    let taps = geometry.kernel.width * geometry.kernel.height
    guard
      KernelChoice.hasFixedPointWeights(
        outputPixels: output.height * output.width, taps: taps, inputs: input.channels,
        outputs: output.channels, settings: settings)
    else { return false }
    do {
      try addReduced(
        .fixed, node, geometry, source: source, target: target, residual: residual,
        panelWidth: Int(FORGE_FIXED_PANEL_WIDTH))
      return true
    } catch is PackedConstants.NotExactEnough {
      return false
    }
  }

  /// The segments that an image seen as one row is cut into; rows are not.
  func segments(of target: ID, isFlat: Bool, outputs: Int, panelWidth: Int) -> Int {
    guard isFlat else { return 1 }
    return KernelChoice.segments(
      panels: (outputs + panelWidth - 1) / panelWidth,
      pixels: tensor(target).height * tensor(target).width, threads: settings.threads)
  }

  /// Groups that share blocks of channels: one step for all of them.
  private mutating func addGrouped(
    _ node: OperationGraph.Node, _ geometry: ConvolutionGeometry, groups: Int, inputs: Int,
    outputs: Int
  ) throws {
    let source = try blocked(node.inputs[0])
    let residual = try node.residual.map { try blocked($0) }
    let target = blockedResult(node.output)
    let kernel = geometry.kernel
    let count = outputs * kernel.width * kernel.height * inputs
    let weights = try packed(
      node.inputs[1],
      as: .grouped(
        groups: groups, height: kernel.height, width: kernel.width, inputs: inputs,
        outputs: outputs))
    let bias = try packedBias(node, count: AlignedMemory.round(outputs, to: PlannedTensor.lanes))
    let window = Window(geometry, input: tensor(source))
    let activation = node.activation
    let run = require(kernels.grouped_convolution)
    addStep(
      "groupedConvolution \(kernel.text)", reads: [source] + (residual.map { [$0] } ?? []),
      writes: [target],
      multiplyAdds: Self.saturatingProduct([
        tensor(target).count, kernel.width, kernel.height, inputs,
      ]),
      parameterCount: count
    ) { places in
      var arguments = forge_grouped_convolution_arguments()
      arguments.in = places.view(source)
      arguments.out = places.view(target)
      arguments.weights = weights
      arguments.bias = bias
      arguments.groups = Int32(groups)
      arguments.set(window)
      arguments.epilogue = forge_epilogue(activation, residual: residual.map { places.view($0) })
      return KernelCall(run, arguments, tiles: forge_grouped_convolution_tiles)
    }
  }

  /// A depthwise convolution; one with a multiplier is a grouped convolution of as many groups.
  mutating func addDepthwise(
    _ node: OperationGraph.Node, _ geometry: ConvolutionGeometry, multiplier: Int
  ) throws {
    let channels = imageSizes(of: node.inputs[0])[2]
    guard KernelChoice.depthwise(multiplier: multiplier) == .depthwise else {
      // Weights [channels][multiplier][height][width] are [outputs][height][width][1 input].
      try addGrouped(
        node, geometry, groups: channels, inputs: 1, outputs: channels * multiplier)
      return
    }
    let source = try blocked(node.inputs[0])
    let residual = try node.residual.map { try blocked($0) }
    let target = blockedResult(node.output)
    let kernel = geometry.kernel
    let weights = try packed(
      node.inputs[1],
      as: .depthwise(height: kernel.height, width: kernel.width, channels: channels))
    let bias = try packedBias(node, count: AlignedMemory.round(channels, to: PlannedTensor.lanes))
    let window = Window(geometry, input: tensor(source))
    let activation = node.activation
    let run = require(kernels.depthwise)
    addStep(
      "depthwise \(kernel.text)", reads: [source] + (residual.map { [$0] } ?? []),
      writes: [target],
      multiplyAdds: Self.saturatingProduct([tensor(target).count, kernel.width, kernel.height]),
      parameterCount: channels * kernel.width * kernel.height
    ) { places in
      var arguments = forge_depthwise_arguments()
      arguments.in = places.view(source)
      arguments.out = places.view(target)
      arguments.weights = weights
      arguments.bias = bias
      arguments.set(window)
      arguments.epilogue = forge_epilogue(activation, residual: residual.map { places.view($0) })
      return KernelCall(
        run, arguments, tiles: forge_depthwise_tiles, parts: Int(arguments.out.height))
    }
  }

  /// The bias of a node, zeros where it has none.
  mutating func packedBias(
    _ node: OperationGraph.Node, part: Range<Int>? = nil, count: Int
  ) throws -> UnsafePointer<Float>? {
    guard node.inputs.count > 2 else { return try packed(nil, as: .zeros(count: count)) }
    return try packed(node.inputs[2], part: part, as: .padded(count: count))
  }

  /// A count for reports: sizes are bounded, their product is not.
  static func saturatingProduct(_ factors: [Int]) -> Int {
    factors.reduce(1) { product, factor in
      let (value, overflow) = product.multipliedReportingOverflow(by: factor)
      return overflow ? .max : value
    }
  }
}

extension forge_view {
  /// The same image as one row, when its rows follow each other.
  func flattened(_ isFlat: Bool) -> forge_view {
    guard isFlat else { return self }
    var view = self
    view.width = height * width
    view.height = 1
    view.row_stride = Int64(view.width) * Int64(FORGE_LANES)
    return view
  }
}
