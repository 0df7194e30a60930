import Forge

extension CoreMLLayerType {
  /// Layers that move, repeat or leave out elements.
  static let movements: [CoreMLLayerType] = [
    CoreMLLayerType("flatten", field: 301) { call in
      let input = try call.value()
      guard input.sizes.count >= 3 else {
        throw NodeFailure.unsupported("an input of rank \(input.sizes.count)")
      }
      let mode = try call.fields.int(1)
      guard (0...1).contains(mode) else { throw NodeFailure.unsupported("mode \(mode)") }
      let front = Array(input.sizes.dropLast(3))
      let count = input.sizes.suffix(3).reduce(1, *)
      let source = mode == 1 ? try channelsLast(input) : input
      call.set(try source.reshaped(to: front + [count, 1, 1]))
    },
    CoreMLLayerType("reshape", field: 300, reshapeImage),
    CoreMLLayerType("reshapeStatic", field: 1140, reshape),
    CoreMLLayerType("rankPreservingReshape", field: 1150, reshape),
    CoreMLLayerType("squeeze", field: 1120) { call in
      let (axesField, all) = (1, 2)
      let sizes = try call.value().sizes
      let axes =
        try call.fields.bool(all)
        ? sizes.indices.filter { sizes[$0] == 1 }
        : try CoreMLCall.axes(try call.fields.ints(axesField), rank: sizes.count)
      try call.map("Squeeze", [], ["axes": .ints(axes)])
      try call.keepOneAxis()
    },
    CoreMLLayerType("expandDims", field: 1125) { call in
      try call.map("Unsqueeze", [], ["axes": .ints(try call.fields.ints(1))])
    },
    CoreMLLayerType("flattenTo2D", field: 1130) { call in
      try call.map("Flatten", [], ["axis": .int(try call.fields.int(1))])
    },
    // The first versions count [sequence, C, H, W].
    CoreMLLayerType("permute", field: 310, permute),
    CoreMLLayerType("transpose", field: 985, permute),
    CoreMLLayerType("concat", field: 320) { call in
      let isSequence = try call.fields.bool(100)
      try concatenate(&call, axis: isSequence ? call.sequenceAxis : -3)
    },
    CoreMLLayerType("concatND", field: 980) { call in
      let (axis, interleaves) = (1, 2)
      guard try !call.fields.bool(interleaves) else { throw NodeFailure.unsupported("interleave") }
      try concatenate(&call, axis: try call.fields.int(axis))
    },
    CoreMLLayerType("stack", field: 925) { call in
      let values = try call.values()
      guard values.allSatisfy({ $0.sizes == values[0].sizes }) else {
        throw NodeFailure.invalid("tensors of several sizes")
      }
      call.set(try call.stack(values, axis: try call.axis(1, rank: values[0].sizes.count + 1)))
    },
    CoreMLLayerType("split", field: 330) { try split(&$0, axis: -3, sizes: []) },
    CoreMLLayerType("splitND", field: 975) { call in
      let (axis, sizes) = (1, 3)
      try split(&call, axis: try call.fields.int(axis), sizes: try call.fields.ints(sizes))
    },
    // Channels, rows or columns.
    CoreMLLayerType("slice", field: 350) { call in
      let (start, end, stride, axisField) = (1, 2, 3, 4)
      let input = try call.value()
      let axis = try call.fields.int(axisField)
      guard (0...2).contains(axis), input.sizes.count >= 3 else {
        throw NodeFailure.unsupported("axis \(axis)")
      }
      try call.map(
        "Slice", [nil, nil, nil, .integers([max(try call.size(stride), 1)])],
        [
          "axes": .ints([axis - 3]), "starts": .ints([try call.fields.int(start)]),
          "ends": .ints([try call.fields.int(end)]),
        ])
    },
    CoreMLLayerType("sliceStatic", field: 995) { call in
      let (starts, startMasks, ends, endMasks, steps, squeezed) = (1, 2, 3, 4, 5, 6)
      call.set(
        try call.slice(
          try call.value(), starts: try call.fields.ints(starts), ends: try call.fields.ints(ends),
          steps: try call.fields.ints(steps), startMasks: try call.fields.bools(startMasks),
          endMasks: try call.fields.bools(endMasks), squeezed: try call.fields.bools(squeezed)))
      try call.keepOneAxis()
    },
    CoreMLLayerType("tile", field: 920) { call in
      try call.map("Tile", [.integers(try call.fields.ints(1))])
    },
    // The sequence several times, one after the other.
    CoreMLLayerType("sequenceRepeat", field: 340) { call in
      let rank = try call.value().sizes.count
      var repeats = Array(repeating: 1, count: rank)
      // 0 stands for once.
      repeats[try ONNXCall.axis(call.sequenceAxis, rank: rank)] = max(try call.size(1), 1)
      try call.map("Tile", [.integers(repeats)])
    },
    CoreMLLayerType("reverse", field: 960) { call in
      let sizes = try call.value().sizes
      let isReversed = try call.fields.bools(1)
      guard isReversed.count == sizes.count else {
        throw NodeFailure.invalid(
          "\(isReversed.count) axes to reverse of a tensor of rank \(sizes.count)")
      }
      let axes = sizes.indices.filter { isReversed[$0] && sizes[$0] > 1 }
      call.set(axes.isEmpty ? try call.value() : try call.reversed(try call.value(), axes: axes))
    },
    CoreMLLayerType("broadcastToStatic", field: 1105) { call in
      let sizes = try call.sizes(1)
      let inputSizes = try call.value().sizes
      guard HostTensor.broadcast(inputSizes, sizes) == sizes else {
        throw NodeFailure.invalid("\(inputSizes) to \(sizes)")
      }
      try call.map("Expand", [.integers(sizes)])
    },
    CoreMLLayerType("copy", field: 600) { $0.set(try $0.value()) },
    CoreMLLayerType("loadConstant", field: 290, loadConstant),
    CoreMLLayerType("loadConstantND", field: 1070, loadConstant),
    CoreMLLayerType("fillStatic", field: 1085) { call in
      let (value, sizes) = (1, 2)
      let number = HostTensor.Storage.repeated(try call.fields.float(value))
      call.set(
        .host(HostTensor(type: .float32, sizes: try call.sizes(sizes), storage: number)))
    },
  ]

  /// The value with height, width and channels in this order: [1, H, W, C] for [1, C, H, W].
  private static func channelsLast(_ value: FileValue) throws -> FileValue {
    let rank = value.sizes.count
    return try value.transposed(Array(0..<(rank - 3)) + [rank - 2, rank - 1, rank - 3])
  }

  /// The layer `reshape`, to [C, H, W] or [sequence, C, H, W].
  private static func reshapeImage(_ call: inout CoreMLCall) throws {
    let (target, modeField) = (1, 2)
    let input = try call.value()
    var sizes = try call.fields.ints(target)
    guard (3...4).contains(sizes.count), input.sizes.count >= 3 else {
      throw NodeFailure.unsupported("a reshape of \(input.sizes) to \(sizes)")
    }
    // Three sizes are those of each time of a sequence.
    if !call.isExact, sizes.count == 3 { sizes = [input.sizes[0]] + sizes }
    switch try call.fields.int(modeField) {
    case 0: call.set(try input.reshaped(to: sizes))
    case 1:
      let rank = sizes.count
      let front = Array(sizes.dropLast(3))
      let last = try channelsLast(input).reshaped(
        to: front + [sizes[rank - 2], sizes[rank - 1], sizes[rank - 3]])
      call.set(try last.transposed(Array(0..<(rank - 3)) + [rank - 1, rank - 3, rank - 2]))
    case let mode: throw NodeFailure.unsupported("mode \(mode)")
    }
  }

  /// The layers to stated sizes, where −1 is inferred and 0 is the input's.
  private static func reshape(_ call: inout CoreMLCall) throws {
    try call.map("Reshape", [.integers(try call.fields.ints(1))])
  }

  private static func permute(_ call: inout CoreMLCall) throws {
    let rank = try call.value().sizes.count
    let axes = try call.fields.ints(1)
    let order = axes.isEmpty ? Array(0..<rank) : try CoreMLCall.axes(axes, rank: rank)
    try call.map("Transpose", [], ["perm": .ints(order)])
  }

  private static func concatenate(_ call: inout CoreMLCall, axis: Int) throws {
    let values = try call.values()
    let rank = values[0].sizes.count
    let axis = try ONNXCall.axis(axis, rank: rank)
    for value in values {
      guard value.sizes.count == rank else { throw NodeFailure.invalid("tensors of several ranks") }
      for other in 0..<rank where other != axis && value.sizes[other] != values[0].sizes[other] {
        throw NodeFailure.invalid("\(value.sizes) next to \(values[0].sizes) along axis \(axis)")
      }
    }
    call.set(try call.node("Concat", values, ["axis": .int(axis)]))
  }

  /// Consecutive parts of an axis, one per output; of equal sizes if none are stated.
  private static func split(_ call: inout CoreMLCall, axis: Int, sizes: [Int]) throws {
    let input = try call.value()
    let axis = try ONNXCall.axis(axis, rank: input.sizes.count)
    let count = call.outputs.count
    let parts =
      sizes.isEmpty
      ? Array(repeating: input.sizes[axis] / max(count, 1), count: count) : sizes
    guard parts.count == count, parts.allSatisfy({ $0 >= 1 }) else {
      throw NodeFailure.invalid("\(count) parts \(parts) of a size of \(input.sizes[axis])")
    }
    let results = try call.nodes(
      "Split", [input], ["axis": .int(axis), "split": .ints(parts)], outputs: count)
    for (index, result) in results.enumerated() { call.set(result, output: index) }
  }

  private static func loadConstant(_ call: inout CoreMLCall) throws {
    let (shape, data) = (1, 2)
    let sizes = try call.sizes(shape)
    let value = FileValue.host(try call.weights(data).tensor(sizes))
    call.set(call.isExact ? value : value.withRank(max(4, sizes.count)))
  }
}
