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
    let combination = try ONNXScatter.Combination(call.node)
    try ONNXScatter.check(call, combination)
    let places = try ONNXScatterPlaces.elements(
      hosts[1], data: hosts[0].sizes, updates: hosts[2].sizes,
      axis: try ONNXCall.axis(call.node.int("axis"), rank: hosts[0].sizes.count))
    call.set(.host(try places.scattered(hosts[0], hosts[2], combination)))
    return true
  }

  private static let foldND: ONNXFolding.Fold = { call, hosts in
    guard hosts.count == 3, call.inputs.count == 3 else { return false }
    let combination = try ONNXScatter.Combination(call.node)
    try ONNXScatter.check(call, combination)
    let places = try ONNXScatterPlaces.slices(
      hosts[1], data: hosts[0].sizes, updates: hosts[2].sizes)
    call.set(.host(try places.scattered(hosts[0], hosts[2], combination)))
    return true
  }

  // MARK: Values of the network

  private static func scatterElements(_ call: inout ONNXCall) throws {
    let combination = try ONNXScatter.Combination(call.node)
    try ONNXScatter.check(call, combination)
    let (data, updates) = (try call.value(0).sizes, try call.value(2).sizes)
    let axis = try ONNXCall.axis(call.node.int("axis"), rank: data.count)
    guard let indices = call.host(1) else {
      let places = try call.network(1)
      try ONNXScatterPlaces.checkElements(places.sizes, data: data, updates: updates, axis: axis)
      try scatter(
        &call, combination, axis: axis, at: ONNXScatterCompare.unrepeated(places),
        try call.network(0), try call.network(2))
      return
    }
    try scatter(
      &call, combination,
      try .elements(indices, data: data, updates: updates, axis: axis))
  }

  private static func scatterND(_ call: inout ONNXCall) throws {
    let combination = try ONNXScatter.Combination(call.node)
    try ONNXScatter.check(call, combination)
    let (data, updates) = (try call.value(0).sizes, try call.value(2).sizes)
    guard let indices = call.host(1) else {
      return try scatterComputed(&call, combination, data, updates)
    }
    try scatter(&call, combination, try .slices(indices, data: data, updates: updates))
  }

  /// Slices at places along several axes that a prediction computes.
  private static func scatterComputed(
    _ call: inout ONNXCall, _ combination: ONNXScatter.Combination, _ data: [Int], _ updates: [Int]
  ) throws {
    let indices = try call.network(1)
    let depth = try ONNXScatterPlaces.checkSlices(indices.sizes, data: data, updates: updates)
    let (outer, row) = (Array(data[..<depth]), data[depth...].reduce(1, *))
    let (count, rows) = (indices.count / depth, outer.reduce(1, *))
    guard rows <= 1 << 24 else { throw NodeFailure.unsupported("places in \(data)") }
    let table = indices.reshaped(to: [count, depth]).tensor(as: [0, 1])
    var flat: Tensor?
    for (axis, stride) in HostTensor.strides(outer).enumerated() {
      let column = try call.apply(Slice(starts: [axis], ends: [axis + 1], axes: [1]), to: table)
      let indices = try ONNXScatterCompare.counted(
        call, FileTensor(column, sizes: [count, 1], layout: [0, 1]), outer[axis])
      let part = try call.apply(Scale(by: [Float(stride)]), to: indices.tensor)
      flat = try flat.map { try call.apply(Add(), to: $0, part) } ?? part
    }
    guard let flat else { throw NodeFailure.invalid("no places") }
    let result = try ONNXScatterCompare(axis: 0, combination: combination).scattered(
      &call, try call.network(0).reshaped(to: [rows, row]),
      at: FileTensor(flat, sizes: [count, 1], layout: [0, 1], type: .int64),
      try call.network(2).reshaped(to: [count, row]))
    call.set(result.reshaped(to: data))
  }

  /// Puts updates at known places.
  private static func scatter(
    _ call: inout ONNXCall, _ combination: ONNXScatter.Combination, _ places: ONNXScatterPlaces
  ) throws {
    try refuseIntegers(call, combination)
    guard !places.targets.isEmpty, places.row > 0 else { return call.set(try call.value(0)) }
    call.set(
      try places.combined(&call, try call.network(0), try call.network(2), combination))
  }

  /// Puts updates at computed places along an axis.
  private static func scatter(
    _ call: inout ONNXCall, _ combination: ONNXScatter.Combination, axis: Int,
    at places: FileTensor, _ data: FileTensor, _ updates: FileTensor
  ) throws {
    try refuseIntegers(call, combination)
    let counted = try ONNXScatterCompare.counted(call, places, data.sizes[axis])
    call.set(
      try ONNXScatterCompare(axis: axis, combination: combination)
        .scattered(&call, data, at: counted, updates))
  }

  /// Refuses sums and products of integers that Float32 may not hold.
  private static func refuseIntegers(
    _ call: ONNXCall, _ combination: ONNXScatter.Combination
  ) throws {
    if combination == .add || combination == .mul { try call.refuseIntegers() }
  }
}
