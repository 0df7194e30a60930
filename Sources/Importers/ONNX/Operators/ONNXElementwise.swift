import Forge

extension ONNXOperators {
  /// Arithmetic on several tensors, with NumPy's broadcasting.
  static let arithmetic: [ONNXOperator] = [
    .elementwise(
      "Add", import: { try wrappingNumbers(&$0, scale: .added) { Add(name: $0) } },
      fold: .known(ONNXFolding.sum), bounds: .sum, sizes: .computed(ONNXLengthFolding.sum)),
    .elementwise(
      "Sub", import: { try wrappingNumbers(&$0, scale: .subtracted) { Subtract(name: $0) } },
      fold: .known(ONNXFolding.difference), bounds: .sum,
      sizes: .computed(ONNXLengthFolding.difference)),
    .elementwise(
      "Mul", import: { try wrappingNumbers(&$0, scale: .multiplied) { Multiply(name: $0) } },
      fold: .known(ONNXFolding.product), bounds: .product,
      sizes: .computed(ONNXLengthFolding.product)),
    .elementwise(
      "Div", import: divide, fold: .known(ONNXFolding.quotient), bounds: .quotient,
      sizes: .computed(ONNXLengthFolding.quotient)),
    .elementwise(
      "Mod", import: remainder, fold: .known(ONNXFolding.remainder), bounds: .remainder,
      sizes: .computed(ONNXLengthFolding.rest)),
    .elementwise(
      "Pow", import: power, fold: .known(ONNXFolding.power), bounds: nil, sizes: .none),
    .elementwise(
      "Max", import: { try wrappingNumbers(&$0, wraps: false) { Maximum(name: $0) } },
      fold: .known(ONNXFolding.maximum), bounds: .largest,
      sizes: .computed(ONNXLengthFolding.larger)),
    .elementwise(
      "Min", import: { try wrappingNumbers(&$0, wraps: false) { Minimum(name: $0) } },
      fold: .known(ONNXFolding.minimum), bounds: .largest,
      sizes: .computed(ONNXLengthFolding.smaller)),
    .elementwise(
      "Sum", import: { try numbers(&$0) { Add(name: $0) } }, fold: .known(ONNXFolding.sum),
      bounds: nil, sizes: .none),
    // Means are computed as the network does.
    .elementwise("Mean", import: mean, fold: .none, bounds: nil, sizes: .none),
    .elementwise("SwiGLU", import: gated, fold: .none, bounds: nil, sizes: .none),
  ]

  /// The mean of several tensors.
  private static func mean(_ call: inout ONNXCall) throws {
    if call.inputs.count == 1 {
      call.set(try call.value(0))
    } else {
      try numbers(&call) { Add(name: $0) }
      guard case .network(let sum)? = call.outputs[0] else { return }
      let divided = try call.apply(Divide(by: [Float(call.inputs.count)]), to: sum.tensor)
      call.set(divided, like: sum)
    }
  }

  /// Swish of the first tensor times the second.
  private static func gated(_ call: inout ONNXCall) throws {
    let gate = try call.network(0)
    let alpha = call.node.float("alpha", 1)
    let activated =
      alpha == 1
      ? try call.apply(Activation(.swish), to: gate.tensor)
      : try call.apply(Unary(.swish(beta: alpha)), to: gate.tensor)
    let gated = FileTensor(activated, sizes: gate.sizes, layout: gate.layout, type: gate.type)
    call.set(try combined(&call, gated, try call.network(1)) { Multiply() })
  }

  /// What a constant per channel does to a tensor.
  enum ChannelScale {
    case added, subtracted, multiplied
  }

  /// Combines numbers; arithmetic on integers is refused unless it is exact in Float32.
  ///
  /// - Parameters:
  ///   - call: the node.
  ///   - scale: what a constant per channel does to the other operand; `nil` for no such layer.
  ///   - integers: the inputs that may not be integers without a bound; all if it is `nil`.
  ///   - layer: the layer by its name.
  /// - Throws: ``NodeFailure`` and what reading the file throws.
  static func numbers(
    _ call: inout ONNXCall, scale: ChannelScale? = nil, integers: [Int]? = nil,
    _ layer: (String?) -> some Layer
  ) throws {
    for index in integers ?? Array(call.inputs.indices) { try call.refuseIntegers(index) }
    let type = try call.value(0).type
    guard type != .bool else { throw NodeFailure.unsupported("arithmetic on bool") }
    alignOldOperand(&call)
    if let scale, try scaled(&call, scale) { return }
    try combine(&call, type: type, layer)
  }

  /// Aligns the second operand with the axis that files before operator set 7 state.
  static func alignOldOperand(_ call: inout ONNXCall) {
    guard call.opset < 7, call.node.has("axis"), call.inputs.count == 2,
      let first = call.inputs[0], let second = call.inputs[1]
    else { return }
    let later = first.sizes.count - call.node.int("axis") - second.sizes.count
    guard later > 0, later <= first.sizes.count else { return }
    let sizes = second.sizes + Array(repeating: 1, count: later)
    switch second {
    case .host(let host): call.inputs[1] = .host(host.reshaped(sizes))
    case .network(let tensor): call.inputs[1] = .network(tensor.reshaped(to: sizes))
    case .length: break
    }
  }

  /// A sum, product or quotient with a constant per channel, which the compiler folds into a
  /// convolution beside it.
  private static func scaled(_ call: inout ONNXCall, _ scale: ChannelScale) throws -> Bool {
    guard call.inputs.count == 2 else { return false }
    let isFirst = call.host(1) != nil
    guard let host = call.host(isFirst ? 1 : 0), isFirst || scale != .subtracted else {
      return false
    }
    let input = try call.network(isFirst ? 0 : 1)
    guard (input.layout.last ?? nil) != nil, host.count >= 1,
      HostTensor.broadcast(input.sizes, host.sizes) == input.sizes
    else { return false }
    // The layer has a factor for each channel; those of a row as long as a sequence would vary.
    // Scores of attention, in the rows of several heads, are fused with their factor.
    if let sizes = input.tensor.lengthSizes, sizes.last?.constant == nil,
      !isProduct(input.tensor) || sizes.dropLast().allSatisfy({ $0.constant == 1 })
    {
      return false
    }
    // All values lie along the last axes of the layout.
    let missing = input.rank - host.sizes.count
    let sizes = Array(repeating: 1, count: missing) + host.sizes
    let axes = input.layout.compactMap { $0 }
    let used = axes.firstIndex { sizes[$0] != 1 } ?? axes.count - 1
    let suffix = axes[used...]
    // Several axes, such as heads and their channels, become one for the layer.
    let isJoined = suffix.count > 1
    guard host.count == 1 || suffix.allSatisfy({ sizes[$0] == input.sizes[$0] }),
      host.count == 1 || host.count == suffix.reduce(1, { $0 * sizes[$1] }),
      !isJoined || (input.layout.count == axes.count && isSplit(input, host.count))
    else { return false }
    let others = sizes.indices.filter { !suffix.contains($0) }
    let values = try host.reshaped(sizes).transposed(others + suffix).floats()
    // A mask of infinities is not a bias.
    guard values.allSatisfy(\.isFinite) else { return false }
    let layer =
      switch scale {
      case .multiplied: Scale(by: values, name: call.layerName)
      case .subtracted: Scale(bias: values.map { -$0 }, name: call.layerName)
      case .added: Scale(bias: values, name: call.layerName)
      }
    guard isJoined else {
      call.set(try call.apply(layer, to: input.tensor), like: input)
      return true
    }
    let layoutSizes = input.layout.map { $0.map { input.sizes[$0] } ?? 1 }
    let joined = layoutSizes.dropLast(suffix.count) + [host.count]
    let flat = input.tensor.reshaped(to: Array(joined))
    let result = try call.apply(layer, to: flat)
    call.set(result.reshaped(to: layoutSizes, lengths: input.tensor.lengthSizes), like: input)
    return true
  }

  /// Whether a tensor is a product of two others, with its axes rearranged or not.
  private static func isProduct(_ tensor: Tensor) -> Bool {
    var tensor = tensor
    // Exporters write three rearrangements at most.
    for _ in 0..<4 {
      guard case .layer(let layer) = tensor.source else { return false }
      if layer is MatMul { return true }
      guard layer is Reshape || layer is Permute, let before = tensor.inputs.first else {
        return false
      }
      tensor = before
    }
    return false
  }

  /// Whether a tensor was made by splitting an axis of a size.
  private static func isSplit(_ input: FileTensor, _ size: Int) -> Bool {
    guard input.tensor.inputs.count == 1, let before = input.tensor.inputs[0].shape?.sizes,
      let after = input.tensor.shape?.sizes
    else { return false }
    return before.last == size && before.count < after.count
  }

  /// Combines all inputs of a node.
  static func combine(
    _ call: inout ONNXCall, type: ElementType, _ layer: (String?) -> some Layer
  ) throws {
    guard !call.inputs.isEmpty else { throw NodeFailure.invalid("no inputs") }
    if call.inputs.count == 1 {
      call.set(try call.value(0))
      return
    }
    let layout = try commonLayout(call)
    let tensors = try call.inputs.indices.map { try operand(call, $0, layout) }
    set(&call, try call.apply(layer(call.layerName), to: tensors), layout, type: type)
  }

  /// The layout of an elementwise result, in the axes of the file, and its sizes.
  struct CommonLayout {
    let layout: [Int?]
    let sizes: [Int]
  }

  /// The layout of the largest operand, extended to the sizes of the result.
  static func commonLayout(_ call: ONNXCall) throws -> CommonLayout {
    let values = try call.inputs.indices.map { try call.value($0) }
    return try commonLayout(values)
  }

  static func commonLayout(_ values: [FileValue]) throws -> CommonLayout {
    var sizes: [Int] = []
    for value in values {
      guard let both = HostTensor.broadcast(sizes, value.sizes) else {
        throw NodeFailure.invalid("sizes \(sizes) and \(value.sizes)")
      }
      sizes = both
    }
    var best: FileTensor?
    for case .network(let tensor) in values {
      let isBetter = best.map { $0.count < tensor.count } ?? true
      if isBetter { best = tensor }
    }
    guard let best else { return CommonLayout(layout: FileTensor.usualLayout(sizes), sizes: sizes) }
    let shift = sizes.count - best.rank
    let layout = best.layout.map { $0.map { $0 + shift } }
    // Axes along which the largest operand repeats are put outside.
    let missing = sizes.indices.filter { sizes[$0] != 1 && !layout.contains($0) }
    guard missing.isEmpty else {
      return CommonLayout(layout: missing + layout.compactMap { $0 }, sizes: sizes)
    }
    return CommonLayout(layout: layout, sizes: sizes)
  }

  /// An operand with its axes in the common layout.
  static func operand(_ call: ONNXCall, _ index: Int, _ common: CommonLayout) throws -> Tensor {
    try operand(try call.value(index), common)
  }

  static func operand(_ value: FileValue, _ common: CommonLayout) throws -> Tensor {
    let missing = common.sizes.count - value.sizes.count
    switch value {
    case .host(let host):
      let sizes = Array(repeating: 1, count: missing) + host.sizes
      return try ONNXCall.constant(host.reshaped(sizes), layout: common.layout).tensor
    case .network(let tensor):
      let sizes = Array(repeating: 1, count: missing) + tensor.sizes
      let axes = tensor.sizes.indices.map { $0 + missing }
      return tensor.relabelled(sizes: sizes, axes: axes).tensor(as: common.layout)
    case .length:
      throw NodeFailure.unsupported("a number that depends on the length of a sequence")
    }
  }

  static func set(
    _ call: inout ONNXCall, _ tensor: Tensor, _ common: CommonLayout, type: ElementType
  ) {
    call.set(FileTensor(tensor, sizes: common.sizes, layout: common.layout, type: type))
  }

  /// Combines two tensors of the network.
  static func combined(
    _ call: inout ONNXCall, _ a: FileTensor, _ b: FileTensor, _ layer: () -> some Layer
  ) throws -> FileTensor {
    let common = try commonLayout([.network(a), .network(b)])
    let tensors = [try operand(.network(a), common), try operand(.network(b), common)]
    return FileTensor(
      try call.apply(layer(), to: tensors), sizes: common.sizes, layout: common.layout,
      type: a.type)
  }
}
