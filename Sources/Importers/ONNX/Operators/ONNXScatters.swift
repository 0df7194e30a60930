import Forge

extension ONNXOperators {
  /// Operators that put values into a tensor.
  static let scatters: [ONNXOperator] =
    ["ScatterElements", "Scatter"].map { type in
      ONNXOperator(
        type, import: scatterElements, fold: .known(foldElements), bounds: ONNXScatter.bound,
        length: .refused, sizes: .none,
        examples: .apart { node in
          // Each example has data, places and updates of its own.
          let axis = try node.axis(node.call.node.int("axis"))
          guard let data = node.place(0), data.axis != axis, node.place(1) == data,
            node.place(2) == data
          else { throw ONNXOpenNode.Mixes() }
          return [data]
        })
    } + [
      ONNXOperator(
        "ScatterND", import: scatterND, fold: .known(foldND), bounds: ONNXScatter.bound,
        length: .refused, sizes: .none,
        examples: .apart { node in
          // The examples lie along an axis of the slices, from which no place chooses.
          let depth = try node.sizes(1).last ?? 0
          let outer = try node.rank(1) - 1
          guard let data = node.place(0), data.axis >= depth, node.place(1) == nil,
            node.place(2) == data.on(outer + data.axis - depth)
          else { throw ONNXOpenNode.Mixes() }
          return [data]
        })
    ]

  // MARK: Known values

  private static let foldElements: ONNXFolding.Fold = { call, hosts in
    guard hosts.count == 3, call.inputs.count == 3 else { return false }
    let combination = try ONNXScatter.combination(of: call.node)
    try ONNXScatter.check(call, combination)
    let places = try ONNXScatterPlaces.elements(
      hosts[1], data: hosts[0].sizes, updates: hosts[2].sizes,
      axis: try ONNXCall.axis(call.node.int("axis"), rank: hosts[0].sizes.count))
    call.set(.host(try places.scattered(hosts[0], hosts[2], combination)))
    return true
  }

  private static let foldND: ONNXFolding.Fold = { call, hosts in
    guard hosts.count == 3, call.inputs.count == 3 else { return false }
    let combination = try ONNXScatter.combination(of: call.node)
    try ONNXScatter.check(call, combination)
    let places = try ONNXScatterPlaces.slices(
      hosts[1], data: hosts[0].sizes, updates: hosts[2].sizes)
    call.set(.host(try places.scattered(hosts[0], hosts[2], combination)))
    return true
  }

  // MARK: Values of the network

  private static func scatterElements(_ call: inout ONNXCall) throws {
    let combination = try ONNXScatter.combination(of: call.node)
    try ONNXScatter.check(call, combination)
    let (sizes, updateSizes) = (try call.value(0).sizes, try call.value(2).sizes)
    let axis = try ONNXCall.axis(call.node.int("axis"), rank: sizes.count)
    try ONNXScatterPlaces.checkElements(
      try call.value(1).sizes, data: sizes, updates: updateSizes, axis: axis)
    if let known = call.host(1) { try ONNXScatterPlaces.checkIndices(known, of: sizes[axis]) }
    let wrapped = try ONNXScatter.wrappedType(call, combination)
    guard !updateSizes.contains(0) else { return call.set(try call.value(0)) }
    let (data, updates) = (try call.network(0), try call.network(2))
    let places = ONNXScatter.unrepeated(try call.network(1))
    // Where the data lacks an axis, updates and places have size 1, too.
    let layout = data.layout.contains(axis) ? data.layout : FileTensor.fileLayout(sizes)
    let layer = ScatterElements(
      axis: layout.firstIndex(of: axis) ?? 0, combination: combination, name: call.layerName)
    let result = try call.apply(layer, to: [data, places, updates].map { $0.tensor(as: layout) })
    try set(
      &call, FileTensor(result, sizes: sizes, layout: layout, type: data.type), wrapped: wrapped)
  }

  private static func scatterND(_ call: inout ONNXCall) throws {
    let combination = try ONNXScatter.combination(of: call.node)
    try ONNXScatter.check(call, combination)
    let (data, updates) = (try call.value(0).sizes, try call.value(2).sizes)
    let wrapped = try ONNXScatter.wrappedType(call, combination)
    guard let indices = call.host(1) else {
      return try scatterComputed(&call, combination, data, updates, wrapped: wrapped)
    }
    let places = try ONNXScatterPlaces.slices(indices, data: data, updates: updates)
    guard !places.targets.isEmpty, places.row > 0 else { return call.set(try call.value(0)) }
    let blocks = places.inBlocks()
    let targets = HostTensor(
      integers: blocks.targets.map { Int64($0) }, sizes: [blocks.targets.count])
    try scatterRows(
      &call, combination, at: try ONNXCall.constant(targets, layout: [0]), count: blocks.rowCount,
      row: blocks.row, wrapped: wrapped)
  }

  /// Slices at places along several axes that a prediction computes.
  private static func scatterComputed(
    _ call: inout ONNXCall, _ combination: ScatterCombination, _ data: [Int], _ updates: [Int],
    wrapped: ElementType?
  ) throws {
    let indices = try call.network(1)
    let depth = try ONNXScatterPlaces.checkSlices(indices.sizes, data: data, updates: updates)
    guard !updates.contains(0) else { return call.set(try call.value(0)) }
    let (outer, row) = (Array(data[..<depth]), data[depth...].reduce(1, *))
    let (count, rows) = (indices.count / depth, outer.reduce(1, *))
    guard rows <= 1 << 24 else { throw NodeFailure.unsupported("places in \(data)") }
    let table = indices.reshaped(to: [count, depth]).tensor(as: [0, 1])
    var flat: Tensor?
    for (axis, stride) in Shape.strides(of: outer).enumerated() where depth > 1 {
      let column = try call.apply(Slice(starts: [axis], ends: [axis + 1], axes: [1]), to: table)
      let part = try call.apply(
        Scale(by: [Float(stride)]), to: try counted(call, column, outer[axis]))
      flat = try flat.map { try call.apply(Add(), to: $0, part) } ?? part
    }
    let places = FileTensor(flat ?? table, sizes: [count, 1], layout: [0, 1], type: .int64)
    try scatterRows(
      &call, combination, at: places.reshaped(to: [count]), count: rows, row: row,
      wrapped: wrapped)
  }

  /// Places along an axis of some size, counted from 0; others are an error of the prediction.
  private static func counted(_ call: ONNXCall, _ places: Tensor, _ size: Int) throws -> Tensor {
    let table = HostTensor(floats: (0..<size).map { Float($0) }, sizes: [size])
    return try call.apply(
      GatherRows(axis: 0), to: try ONNXCall.constant(table, layout: [0]).tensor, places)
  }

  /// Puts updates into the data, seen as `count` rows.
  private static func scatterRows(
    _ call: inout ONNXCall, _ combination: ScatterCombination, at places: FileTensor, count: Int,
    row: Int, wrapped: ElementType?
  ) throws {
    let (data, updates) = (try call.network(0), try call.network(2))
    let result = try call.apply(
      ScatterRows(combination: combination, name: call.layerName),
      to: [
        data.reshaped(to: [count, row]).tensor(as: [0, 1]), places.tensor(as: [0]),
        updates.reshaped(to: [places.count, row]).tensor(as: [0, 1]),
      ])
    let rows = FileTensor(result, sizes: [count, row], layout: [0, 1], type: data.type)
    try set(&call, rows.reshaped(to: data.sizes), wrapped: wrapped)
  }

  /// Sets the result, whose integers of 8 bits wrap around.
  private static func set(
    _ call: inout ONNXCall, _ result: FileTensor, wrapped type: ElementType?
  ) throws {
    guard let type else { return call.set(result) }
    call.set(try wrapped(call, result.tensor, to: type), like: result)
  }
}
