import Forge

/// Places along axes that predictions choose, whose number depends on the values.
///
/// The network computes as many as there may be; those that were chosen come first.
extension ONNXOperators {
  /// The most elements of which the network chooses places; Float32 has all of their numbers.
  private static let mostPlaces = 1 << 20

  /// Operators that choose places.
  static let chosenPlaces: [ONNXOperator] = [
    ONNXOperator(
      "NonZero", import: nonZero, fold: .known(knownNonZero), bounds: nil,
      length: .refused, sizes: .none, examples: .mixed),
    // Places that a short sequence lacks fit no length.
    .computed("Compress", import: compress, rule: ONNXOpenRules.compress),
  ]

  /// The coordinates of elements that are not 0, an axis of the input after the other.
  private static func nonZero(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    guard input.rank > 0 else { throw NodeFailure.unsupported("a tensor without axes") }
    let flat = try call.apply(
      Reshape(to: [input.count]),
      to: input.tensor(as: FileTensor.fileLayout(input.sizes)))
    let (places, count) = try chosen(call, flat, of: input.count)
    // The last row stands for places that were not chosen.
    let strides = Shape.strides(of: input.sizes)
    var coordinates: [Float] = []
    for place in 0..<input.count {
      for (size, stride) in zip(input.sizes, strides) {
        coordinates.append(Float(place / stride % size))
      }
    }
    coordinates += Array(repeating: -1, count: input.rank)
    let table = HostTensor(floats: coordinates, sizes: [input.count + 1, input.rank])
    let result = try call.apply(
      GatherRows(axis: 0), to: try ONNXCall.constant(table, layout: [0, 1]).tensor, places)
    call.set(FileTensor(result, layout: [1, 0], rank: 2, type: .int64))
    call.chosenRows = ONNXChosenRows(axis: 1, count: count)
  }

  /// The coordinates of elements that are not 0 and known while importing.
  private static func knownNonZero(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    let values = try hosts[0].cast(to: .bool).integers()
    let strides = Shape.strides(of: hosts[0].sizes)
    let count = values.count { $0 != 0 }
    // The places and, for each axis, their indices.
    let held = try ImportBudget.hold(
      count.multipliedSaturated(by: strides.count + 1), width: MemoryLayout<Int64>.size)
    let places = values.indices.filter { values[$0] != 0 }
    let rows = zip(strides, hosts[0].sizes).flatMap { stride, size in
      places.map { Int64($0 / stride % max(size, 1)) }
    }
    var result = HostTensor(integers: rows, sizes: [hosts[0].sizes.count, places.count])
    result.held = held
    ONNXFolding.set(&call, result)
    return true
  }

  /// The entries of an axis, or of all elements, that a condition names.
  private static func compress(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let flat = call.node.has("axis") ? input : input.reshaped(to: [input.count])
    let axis = try ONNXCall.axis(call.node.int("axis"), rank: flat.rank)
    let layout = fullLayout(flat, axes: [axis])
    let tensor = flat.tensor(as: layout)
    let memoryAxis = layout.firstIndex(of: axis) ?? 0
    let result: Tensor
    if let condition = call.host(1) {
      let indices = try condition.integers().prefix(flat.sizes[axis]).enumerated()
        .filter { $0.element != 0 }.map(\.offset)
      guard !indices.isEmpty else {
        var sizes = flat.sizes
        sizes[axis] = 0
        call.set(.host(HostTensor(type: flat.type, sizes: sizes)))
        return
      }
      result = try call.apply(Gather(indices: indices, axis: memoryAxis), to: tensor)
    } else {
      let condition = try call.network(1)
      guard condition.rank == 1, condition.sizes[0] <= flat.sizes[axis] else {
        throw NodeFailure.invalid(
          "a condition of \(condition.sizes) for an axis of \(flat.sizes[axis])")
      }
      try ONNXChosenRows.refuseLengths([input, condition])
      let size = condition.sizes[0]
      let (places, count) = try chosen(call, condition.tensor(as: [0]), of: size)
      // Of places that were not chosen it takes the last entry, which does not count.
      let valid = try call.apply(Minimum(constant: [Float(size - 1)]), to: places)
      result = try call.apply(GatherRows(axis: memoryAxis), to: tensor, valid)
      call.chosenRows = ONNXChosenRows(axis: axis, count: count)
    }
    call.set(FileTensor(result, layout: layout, rank: flat.rank, type: flat.type))
  }

  /// Finds the places of elements that are not 0.
  ///
  /// - Returns: the places in order, followed by `size` for each element that is 0; and the number
  ///   of places.
  static func chosen(
    _ call: ONNXCall, _ flat: Tensor, of size: Int
  ) throws -> (places: Tensor, count: Tensor) {
    guard size <= mostPlaces else {
      throw NodeFailure.unsupported("more than \(mostPlaces) elements of which places are chosen")
    }
    let truths = try call.apply(Compare(.notEqual, than: [0]), to: flat)
    // The larger a number, the earlier the place; 0 stands for those that are not chosen.
    let ranks = HostTensor(floats: (0..<size).map { Float(size - $0) }, sizes: [size])
    let ranked = try call.apply(
      Multiply(), to: truths, try ONNXCall.constant(ranks, layout: [0]).tensor)
    let sorted = try call.apply(TopK(count: size, axis: 0), to: ranked)
    return (
      try call.apply(Scale(-1, bias: Float(size)), to: sorted),
      try call.apply(Reduce(.sum, axes: [0], keepsDimensions: true), to: truths)
    )
  }
}

/// The rows that a node chooses from the values.
struct ONNXChosenRows {
  /// Their axis in the results of the node, which has the largest number of them.
  let axis: Int
  /// How many of them count, in a tensor of one element.
  let count: Tensor
  /// The outputs of the node, by index, that do not have these rows.
  var wholeOutputs: Set<Int> = []

  /// Refuses to choose from sequences whose length predictions choose.
  static func refuseLengths(_ tensors: [FileTensor]) throws {
    guard tensors.allSatisfy({ $0.tensor.lengths.maximum == nil }) else {
      throw NodeFailure.unsupported("a computed choice from a sequence of open length")
    }
  }
}
