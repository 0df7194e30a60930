import Forge

extension ONNXOperators {
  /// Normalizations and softmax.
  static let normalizations: [ONNXOperator] = [
    ONNXOperator(
      "BatchNormalization", import: batchNormalize, fold: .none, bounds: nil, length: .followed,
      sizes: .none, examples: .apart(ONNXOpenRules.batchNormalization, uniform: true)),
    .perExample("InstanceNormalization", import: instanceNormalize, length: .followed),
    .perExample("GroupNormalization", import: groupNormalize, length: .followed),
    .computed(
      "LayerNormalization", import: layerNormalize, rule: ONNXOpenRules.layerNormalization),
    .computed(
      "RMSNormalization", import: rootMeanSquareNormalize,
      rule: ONNXOpenRules.layerNormalization),
    .perExample("LRN", import: normalizeResponses, length: .followed),
    .computed(
      "LpNormalization", import: normalizeLength, rule: ONNXOpenRules.lpNormalization),
    .computed(
      "MeanVarianceNormalization", import: standardize,
      rule: ONNXOpenRules.meanVarianceNormalization),
    .computed(
      "Softmax", import: { try softmax(&$0, { Softmax(axis: $0, name: $1) }) },
      rule: ONNXOpenRules.softmax),
    .computed(
      "LogSoftmax", import: { try softmax(&$0, { LogSoftmax(axis: $0, name: $1) }) },
      rule: ONNXOpenRules.softmax),
  ]

  /// Normalizes each channel of an example.
  private static func instanceNormalize(_ call: inout ONNXCall) throws {
    let epsilon = call.node.float("epsilon", 1e-5)
    try perChannel(&call) { name, isStored in
      InstanceNormalization(epsilon: epsilon, center: isStored, scale: isStored, name: name)
    }
  }

  /// Normalizes groups of channels of an example.
  private static func groupNormalize(_ call: inout ONNXCall) throws {
    let epsilon = call.node.float("epsilon", 1e-5)
    let groups = call.node.int("num_groups", 1)
    // Before operator set 21 scale and shift have one value per group.
    if call.opset < 21 { try repeatPerGroup(&call, groups: groups) }
    try perChannel(&call) { name, isStored in
      GroupNormalization(
        groups: groups, epsilon: epsilon, center: isStored, scale: isStored, name: name)
    }
  }

  /// Divides by sums over neighboring channels.
  private static func normalizeResponses(_ call: inout ONNXCall) throws {
    let size = call.node.int("size")
    let (alpha, beta) = (call.node.float("alpha", 1e-4), call.node.float("beta", 0.75))
    let bias = call.node.float("bias", 1)
    try perImage(&call) { name in
      LocalResponseNormalization(size: size, alpha: alpha, beta: beta, bias: bias, name: name)
    }
  }

  /// Divides rows by their norms.
  private static func normalizeLength(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let axis = try ONNXCall.axis(call.node.int("axis", -1), rank: input.rank)
    let kind: Reduction
    switch call.node.int("p", 2) {
    case 1: kind = .l1
    case 2: kind = .l2
    case let p: throw NodeFailure.unsupported("p \(p)")
    }
    let sum = try reduced(&call, input, kind, axes: [axis], keepsDimensions: true)
    // A row of zeros stays zero.
    let least = Maximum(constant: [.leastNonzeroMagnitude])
    let norm = FileTensor(
      try call.apply(least, to: sum.tensor), sizes: sum.sizes, layout: sum.layout)
    call.set(try combined(&call, input, norm) { Divide() })
  }

  /// Subtracts means and divides by deviations along axes.
  private static func standardize(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let axes = try (call.node.ints("axes") ?? [0, 2, 3]).map {
      try ONNXCall.axis($0, rank: input.rank)
    }
    let mean = try reduced(&call, input, .mean, axes: axes, keepsDimensions: true)
    let centered = try combined(&call, input, mean) { Subtract() }
    let deviation = try deviation(&call, of: centered, axes: axes)
    let shifted = FileTensor(
      try call.apply(Scale(1, bias: 1e-9), to: deviation.tensor), sizes: deviation.sizes,
      layout: deviation.layout)
    call.set(try combined(&call, centered, shifted) { Divide() })
  }

  /// The root of the mean square of what has the mean 0.
  private static func deviation(
    _ call: inout ONNXCall, of centered: FileTensor, axes: [Int]
  ) throws -> FileTensor {
    let sizes = try centered.lengthSizes()
    guard axes.allSatisfy({ sizes[$0].constant != nil }) else {
      // The number of values follows the length.
      let squares = FileTensor(
        try call.apply(Unary(.square), to: centered.tensor), sizes: centered.sizes,
        layout: centered.layout)
      let mean = try reduced(&call, squares, .mean, axes: axes, keepsDimensions: true)
      return FileTensor(
        try call.apply(Unary(.squareRoot), to: mean.tensor), sizes: mean.sizes,
        layout: mean.layout)
    }
    // A norm does not overflow where the squares do.
    let norm = try reduced(&call, centered, .l2, axes: axes, keepsDimensions: true)
    let count = axes.reduce(1) { $0.multipliedSaturated(by: centered.sizes[$1]) }
    return FileTensor(
      try call.apply(Scale(1 / Float(count).squareRoot()), to: norm.tensor), sizes: norm.sizes,
      layout: norm.layout)
  }

  /// Makes scales and shifts of groups those of the channels.
  private static func repeatPerGroup(_ call: inout ONNXCall, groups: Int) throws {
    let sizes = try call.value(0).sizes
    guard sizes.count >= 2, groups >= 1, sizes[1].isMultiple(of: groups) else {
      throw NodeFailure.invalid("\(groups) groups in \(sizes)")
    }
    for index in 1...2 {
      guard let values = call.host(index) else {
        throw NodeFailure.unsupported("computed scales of groups, in operator set \(call.opset)")
      }
      guard values.sizes == [groups] else {
        throw NodeFailure.invalid("scales of sizes \(values.sizes) for \(groups) groups")
      }
      let each = sizes[1] / groups
      call.inputs[index] = .host(
        try values.reshaped([groups, 1]).expanded(to: [groups, each]).reshaped([sizes[1]]))
    }
  }

  private static func softmax(
    _ call: inout ONNXCall, _ layer: (Int, String?) -> some Layer
  ) throws {
    let input = try call.network(0)
    guard call.opset < 13 else {
      let axis = try ONNXCall.axis(call.node.int("axis", -1), rank: input.rank)
      let layout = fullLayout(input, axes: [axis])
      let result = try call.apply(
        layer(layout.firstIndex(of: axis) ?? 0, call.layerName), to: input.tensor(as: layout))
      call.set(FileTensor(result, sizes: input.sizes, layout: layout, type: input.type))
      return
    }
    // Before operator set 13 all axes from `axis` on are one.
    let stated = call.node.int("axis", 1)
    let axis = stated == input.rank ? stated : try ONNXCall.axis(stated, rank: input.rank)
    let later = (axis..<input.rank).filter { input.sizes[$0] != 1 }
    if later.count == 1 {
      let position = input.position(of: later[0]) ?? 0
      let result = try call.apply(layer(position, call.layerName), to: input.tensor)
      call.set(result, like: input)
      return
    }
    let rows = [input.sizes[..<axis].reduce(1, *), input.sizes[axis...].reduce(1, *)]
    let matrix = input.reshaped(to: rows)
    let result = try call.apply(layer(1, call.layerName), to: matrix.tensor(as: [0, 1]))
    call.set(
      FileTensor(result, sizes: rows, layout: [0, 1], type: input.type).reshaped(to: input.sizes))
  }

  /// The sizes of a parameter per channel beside a tensor of a rank: [1, C, 1, …].
  private static func channelwise(_ call: ONNXCall, _ index: Int, rank: Int) throws -> FileTensor {
    let values = try call.network(index)
    return values.reshaped(to: [1, values.count] + Array(repeating: 1, count: max(rank - 2, 0)))
  }

  private static func batchNormalize(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    guard input.rank >= 2 else { throw NodeFailure.invalid("a tensor of rank \(input.rank)") }
    guard call.node.int("spatial", 1) == 1 else { throw NodeFailure.unsupported("spatial 0") }
    guard call.node.int("training_mode") == 0, call.node.outputs.count(where: { !$0.isEmpty }) == 1
    else { throw NodeFailure.unsupported("training") }
    let epsilon = call.node.float("epsilon", 1e-5)
    let channels = input.sizes[1]
    let types: [ParameterType] = [.gamma, .beta, .mean, .variance]
    let stored = try (1...4).map { index -> HostTensor? in
      guard try call.value(index).sizes == [channels] else {
        throw NodeFailure.invalid("\(types[index - 1]) has sizes \(try call.value(index).sizes)")
      }
      return call.host(index)
    }
    if stored.allSatisfy({ $0 != nil }) {
      let layout = input.layout.last == 1 ? input.layout : input.layout.filter { $0 != 1 } + [1]
      let name = call.layerName
      for (type, values) in zip(types, stored) {
        if let values { call.parameter(type, of: name, values) }
      }
      let layer = BatchNormalization(epsilon: epsilon, name: name)
      let result = try call.apply(layer, to: input.tensor(as: layout))
      call.set(FileTensor(result, sizes: input.sizes, layout: layout, type: input.type))
      return
    }
    let (gamma, beta) = (
      try channelwise(call, 1, rank: input.rank), try channelwise(call, 2, rank: input.rank)
    )
    let (mean, variance) = (
      try channelwise(call, 3, rank: input.rank), try channelwise(call, 4, rank: input.rank)
    )
    let shifted = try call.apply(Scale(1, bias: epsilon), to: variance.tensor)
    let root = FileTensor(
      try call.apply(Unary(.squareRoot), to: shifted), sizes: variance.sizes,
      layout: variance.layout)
    var result = try combined(&call, input, mean) { Subtract() }
    result = try combined(&call, result, root) { Divide() }
    result = try combined(&call, result, gamma) { Multiply() }
    call.set(try combined(&call, result, beta) { Add() })
  }

  /// A normalization of each example whose scale and shift are one value per channel.
  private static func perChannel(
    _ call: inout ONNXCall, _ layer: (String?, Bool) -> some Layer
  ) throws {
    let input = try call.network(0)
    guard input.rank >= 3 else { throw NodeFailure.invalid("a tensor of rank \(input.rank)") }
    let layout: [Int?] = Array(2..<input.rank) + [1]
    if let scale = call.host(1), let bias = call.host(2) {
      let name = sharedName(call, input)
      call.parameter(.gamma, of: name, scale)
      call.parameter(.beta, of: name, bias)
      call.set(try examples(call, input, layout: layout) { layer($0, true) })
      return
    }
    let normal = try examples(call, input, layout: layout) { layer($0, false) }
    let (scale, bias) = (
      try channelwise(call, 1, rank: input.rank), try channelwise(call, 2, rank: input.rank)
    )
    let scaled = try combined(&call, normal, scale) { Multiply() }
    call.set(try combined(&call, scaled, bias) { Add() })
  }

  private static func layerNormalize(_ call: inout ONNXCall) throws {
    guard call.node.int("stash_type", 1) == 1 else {
      throw NodeFailure.unsupported("stash_type \(call.node.int("stash_type"))")
    }
    let input = try call.network(0)
    let axis = try ONNXCall.axis(call.node.int("axis", -1), rank: input.rank)
    let axes = Array(axis..<input.rank)
    let epsilon = call.node.float("epsilon", 1e-5)
    // The axes are last, in the order of the file.
    let outer = input.layout.compactMap { $0 }.filter { $0 < axis }
    let layout: [Int?] = outer + axes
    let positions = axes.indices.map { outer.count + $0 }
    let sizes = axes.map { input.sizes[$0] }
    let name = call.layerName
    let parameterAxes: [ParameterType] = [.gamma, .beta]
    let hosts = (1...2).map { call.host($0) }
    let areStored = hosts.compactMap { $0 }.allSatisfy { host in
      HostTensor.broadcast(host.sizes, sizes) == sizes
    }
    let isStored =
      hosts[0] != nil && (!call.has(2) || hosts[1] != nil) && axes.count == 1 && areStored
    if isStored {
      for (type, values) in zip(parameterAxes, hosts) {
        if let values {
          call.parameter(type, of: name, try values.expanded(to: sizes))
        }
      }
    }
    let layer = LayerNormalization(
      axes: positions, epsilon: epsilon, center: isStored && hosts[1] != nil, scale: isStored,
      name: name)
    let normal = FileTensor(
      try call.apply(layer, to: input.tensor(as: layout)), sizes: input.sizes, layout: layout,
      type: input.type)
    var result = normal
    if !isStored {
      if call.has(1) { result = try combined(&call, result, try call.network(1)) { Multiply() } }
      if call.has(2) { result = try combined(&call, result, try call.network(2)) { Add() } }
    }
    call.set(result)
    guard call.node.outputs.dropFirst().contains(where: { !$0.isEmpty }) else { return }
    let mean = try reduced(&call, input, .mean, axes: axes, keepsDimensions: true)
    call.set(mean, output: 1)
    let centered = try combined(&call, input, mean) { Subtract() }
    let squared = FileTensor(
      try call.apply(Unary(.square), to: centered.tensor), sizes: centered.sizes,
      layout: centered.layout)
    let variance = try reduced(&call, squared, .mean, axes: axes, keepsDimensions: true)
    let shifted = try call.apply(Scale(1, bias: epsilon), to: variance.tensor)
    call.set(
      FileTensor(
        try call.apply(Unary(.reciprocalSquareRoot), to: shifted), sizes: variance.sizes,
        layout: variance.layout),
      output: 2)
  }

  /// A normalization by the root of the mean of squares along the last axes.
  private static func rootMeanSquareNormalize(_ call: inout ONNXCall) throws {
    try call.refuseIntegers()
    let input = try call.network(0)
    let axis = try ONNXCall.axis(call.node.int("axis", -1), rank: input.rank)
    let epsilon = call.node.float("epsilon", 1e-5)
    let columns = input.sizes[axis...].reduce(1, *)
    let rows = input.reshaped(to: Array(input.sizes[..<axis]) + [columns])
    // The normalized axis is last.
    let layout: [Int?] = rows.layout.filter { $0 != axis } + [axis]
    let name = call.layerName
    var stored = call.host(1)
    if stored?.sizes != [columns] || axis != input.rank - 1 { stored = nil }
    if let stored { call.parameter(.gamma, of: name, stored) }
    let layer = RMSNormalization(epsilon: epsilon, scale: stored != nil, name: name)
    let result = FileTensor(
      try call.apply(layer, to: rows.tensor(as: layout)), sizes: rows.sizes, layout: layout,
      type: input.type
    ).reshaped(to: input.sizes)
    if stored == nil, call.has(1) {
      call.set(try combined(&call, result, try call.network(1)) { Multiply() })
    } else {
      call.set(result)
    }
  }
}
