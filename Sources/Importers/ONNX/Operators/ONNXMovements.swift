import Forge

extension ONNXOperators {
  /// Operations that move, repeat or leave out elements.
  static let movements: [ONNXOperator] = [
    .movement(
      "Reshape", import: reshape, fold: .known(ONNXFolding.reshape),
      length: .importedBy(ONNXLengths.reshape), sizes: .moved { $0 == 0 },
      rule: ONNXOpenRules.reshaped,
      arguments: [1], target: 1),
    .movement(
      "Flatten",
      import: { call in
        let input = try call.network(0)
        call.set(input.reshaped(to: try ONNXReshape.flattened(call, input.sizes)))
      }, fold: .known(ONNXFolding.flatten), length: .followed, sizes: .moved { _ in true },
      rule: ONNXOpenRules.reshaped, arguments: []),
    .movement(
      "Squeeze",
      import: { call in
        let input = try call.network(0)
        call.set(input.reshaped(to: try ONNXReshape.squeezed(call, input.sizes).sizes))
      }, fold: .known(ONNXFolding.squeeze), length: .followed, sizes: .moved { $0 == 0 },
      rule: ONNXOpenRules.reshaped, arguments: [1]),
    .movement(
      "Unsqueeze",
      import: { call in
        let input = try call.network(0)
        call.set(input.reshaped(to: try ONNXReshape.unsqueezed(call, input.sizes).sizes))
      }, fold: .known(ONNXFolding.unsqueeze), length: .followed, sizes: .moved { $0 == 0 },
      rule: ONNXOpenRules.reshaped, arguments: [1]),
    .movement(
      "Transpose",
      import: { call in
        let input = try call.network(0)
        call.set(try input.transposed(try ONNXReshape.order(call, rank: input.rank)))
      }, fold: .known(ONNXFolding.transpose), length: .followed, sizes: .moved { _ in true },
      rule: ONNXOpenRules.transpose, arguments: []),
    ONNXOperator(
      "Concat", import: concatenate, fold: .known(ONNXFolding.concatenate), bounds: .largest,
      length: .followed, sizes: .moved { _ in true },
      examples: .apart(ONNXOpenRules.concatenate)),
    // The import cuts known values itself.
    ONNXOperator(
      "Split", import: split, fold: .none, bounds: nil, length: .importedBy(ONNXLengths.split),
      sizes: .none, examples: .apart(ONNXOpenRules.split, arguments: [1])),
    .movement(
      "Slice",
      import: { call in
        let input = try call.network(0)
        call.set(try sliced(call, input, try ONNXSlice.parts(call, sizes: input.sizes)))
      }, fold: .known(ONNXFolding.slice), length: .importedBy(ONNXLengths.slice),
      sizes: .moved { $0 == 0 }, rule: ONNXOpenRules.slice, arguments: [1, 2, 3, 4]),
    .movement(
      "Gather", import: gather, fold: .rows(ONNXFolding.gather),
      length: .importedBy(ONNXLengths.gather),
      sizes: .moved { $0 == 0 }, rule: ONNXOpenRules.gather, arguments: [], bounds: .entries),
    .movement(
      "GatherElements", import: gatherElements, fold: .none, length: .followed, sizes: .none,
      rule: ONNXOpenRules.gatherElements, arguments: []),
    .movement(
      "GatherND", import: gatherND, fold: .none, length: .importedBy(ONNXLengths.gatherND),
      sizes: .none,
      rule: ONNXOpenRules.gatherND, arguments: []),
    .movement(
      "Expand", import: expand, fold: .known(ONNXFolding.expand),
      length: .importedBy(ONNXLengths.expand), sizes: .none, rule: ONNXOpenRules.expand,
      arguments: [1],
      target: 1),
    .movement(
      "Tile", import: tile, fold: .none, length: .followed, sizes: .none,
      rule: ONNXOpenRules.tile, arguments: [1]),
    ONNXOperator(
      "Pad", import: pad, fold: .none, bounds: nil, length: .followed, sizes: .none,
      examples: .apart(ONNXOpenRules.pad, arguments: [1, 3])),
    .perExample("DepthToSpace", import: depthToSpace, length: .followed),
    .perExample("SpaceToDepth", import: spaceToDepth, length: .followed),
  ]

  /// Other sizes for the same elements.
  private static func reshape(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    call.set(input.reshaped(to: try checked(try ONNXReshape.target(call, from: input.sizes))))
  }

  /// One element for each index.
  private static func gatherElements(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let axis = try ONNXCall.axis(call.node.int("axis"), rank: input.rank)
    let layout = FileTensor.fileLayout(input.sizes)
    let indices = try call.network(1)
    guard indices.rank == input.rank else { throw NodeFailure.invalid("indices of another rank") }
    let result = try call.apply(
      GatherElements(axis: axis),
      to: [input.tensor(as: layout), indices.tensor(as: FileTensor.fileLayout(indices.sizes))])
    call.set(
      FileTensor(
        result, sizes: indices.sizes, layout: FileTensor.fileLayout(indices.sizes),
        type: input.type))
  }

  /// Repeats axes of size 1.
  private static func expand(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let wanted = try call.knownInts(1, "the shape") ?? []
    guard let sizes = HostTensor.broadcast(input.sizes, wanted), wanted.allSatisfy({ $0 >= 1 })
    else { throw NodeFailure.invalid("\(input.sizes) to \(wanted)") }
    let layout = FileTensor.fileLayout(try checked(sizes))
    let missing = sizes.count - input.rank
    let axes = input.sizes.indices.map { $0 + missing }
    let fullSizes = Array(repeating: 1, count: missing) + input.sizes
    let tensor = input.relabelled(sizes: fullSizes, axes: axes).tensor(as: layout)
    call.set(
      FileTensor(
        try call.apply(Expand(to: sizes.isEmpty ? [1] : sizes), to: tensor), sizes: sizes,
        layout: layout, type: input.type))
  }

  /// Repeats a tensor along its axes.
  private static func tile(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let repeats = try call.knownInts(1, "the repeats") ?? []
    guard repeats.count == input.rank, repeats.allSatisfy({ $0 >= 1 }) else {
      throw NodeFailure.invalid("repeats \(repeats) of a tensor of rank \(input.rank)")
    }
    let layout = fullLayout(input, axes: input.sizes.indices.filter { repeats[$0] > 1 })
    let factors = layout.map { $0.map { repeats[$0] } ?? 1 }
    let result = try call.apply(Tile(factors), to: input.tensor(as: layout))
    call.set(FileTensor(result, layout: layout, rank: input.rank, type: input.type))
  }

  /// Channels become blocks of pixels.
  private static func depthToSpace(_ call: inout ONNXCall) throws {
    let block = call.node.int("blocksize")
    let order: DepthToSpace.Order =
      call.node.string("mode", "DCR") == "CRD" ? .columnRowDepth : .depthColumnRow
    try perImage(&call) { DepthToSpace(block: block, order: order, name: $0) }
  }

  /// Blocks of pixels become channels.
  private static func spaceToDepth(_ call: inout ONNXCall) throws {
    let block = call.node.int("blocksize")
    guard call.node.string("mode", "DCR") == "CRD" else {
      try perImage(&call) { SpaceToDepth(block: block, name: $0) }
      return
    }
    let input = try call.network(0)
    guard input.rank == 4, block >= 1, input.sizes[2].isMultiple(of: block),
      input.sizes[3].isMultiple(of: block)
    else { throw NodeFailure.invalid("blocks of \(block) in \(input.sizes)") }
    let (n, c) = (input.sizes[0], input.sizes[1])
    let (h, w) = (input.sizes[2] / block, input.sizes[3] / block)
    let blocks = input.reshaped(to: [n, c, h, block, w, block])
    call.set(
      try blocks.transposed([0, 1, 3, 5, 2, 4]).reshaped(to: [n, c * block * block, h, w]))
  }

  /// Sizes within the bounds of Forge's tensors.
  private static func checked(_ sizes: [Int]) throws -> [Int] {
    guard !sizes.contains(0) else { throw NodeFailure.unsupported("an empty tensor") }
    guard sizes.count <= Shape.maximumRank, Shape.product(of: sizes) != nil else {
      throw NodeFailure.invalid("sizes \(sizes)")
    }
    return sizes
  }

  /// A layout that has the given axes even if their size is 1.
  static func fullLayout(_ input: FileTensor, axes: [Int]) -> [Int?] {
    let missing = axes.filter { !input.layout.contains($0) }
    guard !missing.isEmpty else { return input.layout }
    return missing + input.layout.compactMap { $0 }
  }

  private static func concatenate(_ call: inout ONNXCall) throws {
    let values = try call.inputs.indices.map { try call.value($0) }
    guard let first = values.first else { throw NodeFailure.invalid("no inputs") }
    let rank = first.sizes.count
    let stated = call.node.int("axis", call.opset < 4 ? 1 : 0)
    let axis = try ONNXCall.axis(stated, rank: rank)
    var layout = FileTensor.usualLayout(first.sizes)
    var best = 0
    for case .network(let tensor) in values where tensor.count > best {
      (layout, best) = (tensor.layout, tensor.count)
    }
    // An axis of size 1 in one operand may be larger in another.
    for other in first.sizes.indices.reversed()
    where !layout.contains(other)
      && (other == axis || values.contains { $0.sizes.count == rank && $0.sizes[other] != 1 })
    {
      layout = [other] + layout.compactMap { $0 }
    }
    let parts = values.filter { !$0.sizes.contains(0) }
    let tensors = try parts.map { value -> Tensor in
      guard value.sizes.count == rank else { throw NodeFailure.invalid("tensors of several ranks") }
      switch value {
      case .network(let tensor): return tensor.tensor(as: layout)
      case .host(let host): return try ONNXCall.constant(host, layout: layout).tensor
      case .length:
        throw NodeFailure.unsupported("a number that depends on the length of a sequence")
      }
    }
    let position = layout.firstIndex(of: axis) ?? 0
    let layer = Concatenate(axis: position, name: call.layerName)
    guard !tensors.isEmpty else { throw NodeFailure.unsupported("an empty tensor") }
    let result = try call.apply(layer, to: tensors)
    call.set(FileTensor(result, layout: layout, rank: rank, type: first.type))
  }

  static func split(_ call: inout ONNXCall) throws {
    let input = try call.value(0)
    let axis = try ONNXCall.axis(call.node.int("axis"), rank: input.sizes.count)
    let size = input.sizes[axis]
    let count = call.outputs.count
    let parts: [Int]
    if let stated = try call.ints("split", input: 1) {
      parts = stated
    } else {
      // The last part is smaller where the size is not a multiple.
      let each = (size + count - 1) / count
      parts = (0..<count).map { max(min(each, size - $0 * each), 0) }
    }
    guard parts.count == count, parts.allSatisfy({ (0...size).contains($0) }),
      parts.reduce(0, { $0.addingSaturated($1) }) == size
    else {
      throw NodeFailure.invalid("parts \(parts) of a size of \(size)")
    }
    var start = 0
    for (index, part) in parts.enumerated() {
      let range = ONNXSlice.Part(axis: axis, start: start, count: part, step: 1)
      switch input {
      case .host(let host):
        let values = try host.sliced(axis: axis, start: start, count: part, step: 1)
        call.set(.host(values), output: index)
      case .network(let tensor): call.set(try sliced(call, tensor, [range]), output: index)
      case .length: throw NodeFailure.unsupported("parts of sizes")
      }
      start += part
    }
  }

  /// The ranges of a tensor; they are known if one is empty.
  static func sliced(
    _ call: ONNXCall, _ input: FileTensor, _ parts: [ONNXSlice.Part]
  ) throws -> FileValue {
    let real = parts.filter { $0.count != input.sizes[$0.axis] || $0.step != 1 }
    guard !real.isEmpty else { return .network(input) }
    guard !real.contains(where: { $0.count == 0 }) else {
      var sizes = input.sizes
      for part in real { sizes[part.axis] = part.count }
      return .host(HostTensor(type: input.type, sizes: sizes))
    }
    let layout = fullLayout(input, axes: real.map(\.axis))
    let axes = real.map { part in layout.firstIndex(of: part.axis) ?? 0 }
    let layer = Slice(
      starts: real.map(\.start),
      // An end before the first element is stated far in front of it.
      ends: real.map { part in
        let end = part.start.addingSaturated(part.count.multipliedSaturated(by: part.step))
        return end < 0 ? -(1 << 40) : end
      },
      axes: axes, steps: real.map(\.step))
    let result = try call.apply(layer, to: input.tensor(as: layout))
    return .network(FileTensor(result, layout: layout, rank: input.rank, type: input.type))
  }

  /// Rows of a stored table at places that are computed.
  private static func embedded(
    _ call: inout ONNXCall, _ table: HostTensor, _ places: FileTensor
  ) throws {
    let (count, channels) = (table.sizes[0], table.sizes[1])
    let name = call.layerName
    // A layer has no weights of integers.
    let rows =
      table.isInteger ? HostTensor(floats: try table.floats(), sizes: table.sizes) : table
    call.parameter(.weights, of: name, rows, layout: .axes([.inputs, .outputs]))
    let result = try call.apply(
      Embedding(vocabulary: count, channels: channels, name: name),
      to: places.tensor(as: FileTensor.fileLayout(places.sizes)))
    let sizes = try checked(places.sizes + [channels])
    call.set(
      FileTensor(
        result, sizes: sizes, layout: FileTensor.fileLayout(sizes), type: table.type))
  }

  static func gather(_ call: inout ONNXCall) throws {
    if case .host(let table) = try call.value(0), table.sizes.count == 2,
      call.node.int("axis") == 0, !table.sizes.contains(0),
      !table.isInteger || table.type == .int8 || table.type == .uint8,
      case .network(let places) = try call.value(1), places.rank > 0
    {
      return try embedded(&call, table, places)
    }
    let input = try call.network(0)
    let axis = try ONNXCall.axis(call.node.int("axis"), rank: input.rank)
    guard let indices = call.host(1) else {
      return try gatherRows(&call, input, at: try call.network(1), axis: axis)
    }
    let size = input.sizes[axis]
    let positions = try indices.integers().map { try ONNXCall.place(Int($0), of: size) }
    let layout = fullLayout(input, axes: [axis])
    let layer = Gather(indices: positions, axis: layout.firstIndex(of: axis) ?? 0)
    let result = try call.apply(layer, to: input.tensor(as: layout))
    let gathered = FileTensor(result, layout: layout, rank: input.rank, type: input.type)
    // The axis of the positions becomes the axes of the indices.
    let sizes = Array(input.sizes[..<axis]) + indices.sizes + input.sizes[(axis + 1)...]
    call.set(gathered.reshaped(to: try checked(sizes)))
  }

  /// Gathers the entries of an axis at places that the network computes.
  static func gatherRows(
    _ call: inout ONNXCall, _ input: FileTensor, at positions: FileTensor, axis: Int
  ) throws {
    let result = try call.apply(
      GatherRows(axis: axis),
      to: [
        input.tensor(as: FileTensor.fileLayout(input.sizes)),
        positions.tensor(as: FileTensor.fileLayout(positions.sizes)),
      ])
    let sizes = Array(input.sizes[..<axis]) + positions.sizes + input.sizes[(axis + 1)...]
    // An index without axes counts as a vector of one.
    let layout: [Int?] =
      positions.sizes.isEmpty
      ? (0..<axis).map { $0 } + [nil] + (axis..<max(sizes.count, axis)).map { $0 }
      : FileTensor.fileLayout(sizes)
    call.set(FileTensor(result, sizes: try checked(sizes), layout: layout, type: input.type))
  }

  private static func pad(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    guard let amounts = try call.ints("pads", input: 1) else {
      throw NodeFailure.invalid("no pads")
    }
    let axes = try (try call.knownInts(3, "axes") ?? Array(0..<input.rank)).map {
      try ONNXCall.axis($0, rank: input.rank)
    }
    guard amounts.count == 2 * axes.count else {
      throw NodeFailure.invalid("\(amounts.count) pads of \(axes.count) axes")
    }
    let mode: PadMode
    var computedValue: FileTensor?
    switch call.node.string("mode", "constant") {
    case "constant":
      if case .network(let value)? = call.inputs.dropFirst(2).first ?? nil {
        guard input.maximumLength == nil, value.maximumLength == nil else {
          throw NodeFailure.unsupported("a computed value around a sequence")
        }
        computedValue = value
        mode = .constant(0)
      } else {
        mode = .constant(try call.knownFloats(2, "the value")?.first ?? call.node.float("value"))
      }
    case "reflect": mode = .reflect
    case "edge": mode = .edge
    case "wrap": mode = .wrap
    case let other: throw NodeFailure.unsupported("mode \"\(other)\"")
    }
    var (before, after) = (
      Array(repeating: 0, count: input.rank), Array(repeating: 0, count: input.rank)
    )
    for (index, axis) in axes.enumerated() {
      (before[axis], after[axis]) = (amounts[index], amounts[index + axes.count])
    }
    let padded = input.sizes.indices.filter { before[$0] != 0 || after[$0] != 0 }
    guard !padded.isEmpty else {
      call.set(input)
      return
    }
    let layout = fullLayout(input, axes: padded)
    var result: Tensor
    if layout == [2, 3, 1], padded.allSatisfy({ $0 >= 2 }), mode == .constant(0),
      padded.allSatisfy({ before[$0] >= 0 && after[$0] >= 0 })
    {
      // The compiler merges zeros around an image into the convolution after it.
      let layer = ZeroPadding(
        top: before[2], left: before[3], bottom: after[2], right: after[3])
      result = try call.apply(layer, to: input.tensor(as: layout))
    } else {
      let layer = Pad(
        before: layout.map { $0.map { before[$0] } ?? 0 },
        after: layout.map { $0.map { after[$0] } ?? 0 }, mode: mode)
      result = try call.apply(layer, to: input.tensor(as: layout))
    }
    if let computedValue {
      try ImportBudget.keep(input.count, width: MemoryLayout<Float>.size)
      let inside = Constant(
        Array(repeating: 1, count: input.count),
        shape: Shape(sizes: layout.map { $0.map { input.sizes[$0] } ?? 1 }))
      let mask = try call.apply(
        Pad(
          before: layout.map { $0.map { before[$0] } ?? 0 },
          after: layout.map { $0.map { after[$0] } ?? 0 }), to: Tensor.applying(inside, to: []))
      let ones = layout.map { _ in 1 }
      let value = try call.apply(Reshape(to: ones), to: computedValue.tensor)
      result = try call.apply(Where(), to: [mask, result, value])
    }
    call.set(FileTensor(result, layout: layout, rank: input.rank, type: input.type))
  }
}
