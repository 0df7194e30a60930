import Forge

/// Slices whose places along several leading axes are stated, or computed in predictions.
extension ONNXOperators {
  /// Gathers slices: the last axis of the indices holds a place along each of the leading axes.
  static func gatherND(_ call: inout ONNXCall) throws {
    if call.node.int("batch_dims") != 0 { try statePlacesOfBatch(&call) }
    let input = try call.network(0)
    guard let indices = call.host(1) else { return try gatherComputed(&call, input) }
    let sizes = try input.lengthSizes()
    guard let depth = indices.sizes.last, (1...max(input.rank, 1)).contains(depth) else {
      throw NodeFailure.invalid("indices of sizes \(indices.sizes)")
    }
    guard sizes.allSatisfy({ $0.constant != nil }) else {
      throw NodeFailure.unsupported("stated indices into a sequence")
    }
    let (outer, inner) = (Array(input.sizes[..<depth]), Array(input.sizes[depth...]))
    let strides = Shape.strides(of: outer)
    let numbers = try indices.integers().map { Int($0) }
    let rows = try stride(from: 0, to: numbers.count, by: depth).map { start in
      try (0..<depth).reduce(0) { place, axis in
        place + (try ONNXCall.place(numbers[start + axis], of: outer[axis])) * strides[axis]
      }
    }
    guard !rows.isEmpty else { throw NodeFailure.unsupported("an empty tensor") }
    let flat = input.reshaped(to: [outer.reduce(1, *)] + inner)
    let layout = fullLayout(flat, axes: [0])
    let layer = Gather(indices: rows, axis: layout.firstIndex(of: 0) ?? 0)
    let result = try call.apply(layer, to: flat.tensor(as: layout))
    let gathered = FileTensor(result, layout: layout, rank: flat.rank, type: input.type)
    call.set(gathered.reshaped(to: Array(indices.sizes.dropLast()) + inner))
  }

  /// Puts the places along the axes of a batch in front of those that the indices state.
  private static func statePlacesOfBatch(_ call: inout ONNXCall) throws {
    let (data, indices) = (try call.network(0), try call.value(1))
    let batch = call.node.int("batch_dims")
    guard batch > 0, batch < min(data.rank, indices.sizes.count),
      Array(data.sizes[..<batch]) == Array(indices.sizes[..<batch])
    else {
      throw NodeFailure.invalid("a batch of \(batch) axes in \(data.sizes), \(indices.sizes)")
    }
    guard data.maximumLength == nil, call.maximumLength == nil else {
      throw NodeFailure.unsupported("a batch of sequences whose length varies")
    }
    let outer = Array(indices.sizes.dropLast())
    try ONNXCall.checkConstant(outer + [batch])
    let strides = Shape.strides(of: outer)
    let rows: Int = outer.reduce(1, *)
    let places = (0..<rows).flatMap { row -> [Int64] in
      (0..<batch).map { axis -> Int64 in Int64(row / strides[axis] % outer[axis]) }
    }
    let batchIndices = HostTensor(integers: places, sizes: outer + [batch], type: indices.type)
    switch indices {
    case .host(let stated):
      call.inputs[1] = .host(
        try HostTensor.concatenated([batchIndices, stated], axis: outer.count))
    default:
      let stated = try call.network(1)
      let layout = FileTensor.fileLayout(stated.sizes)
      let fullIndices = try call.apply(
        Concatenate(axis: outer.count),
        to: try ONNXCall.constant(batchIndices, layout: layout).tensor, stated.tensor(as: layout))
      var sizes = stated.sizes
      sizes[outer.count] += batch
      call.inputs[1] = .network(
        FileTensor(fullIndices, sizes: sizes, layout: layout, type: stated.type))
    }
  }

  /// Gathers rows at places that the network computes.
  ///
  /// Axes of size 1 have one place and are left out. The places along the others become one place
  /// in all of them; one that an axis does not have becomes their number, which no row has.
  private static func gatherComputed(_ call: inout ONNXCall, _ input: FileTensor) throws {
    let positions = try call.network(1)
    let (sizes, stated) = (try input.lengthSizes(), try positions.lengthSizes())
    guard let depth = stated.last?.constant, (1...max(input.rank, 1)).contains(depth) else {
      throw NodeFailure.invalid("indices of sizes \(positions.sizes)")
    }
    let axes = (0..<depth).filter { sizes[$0].constant != 1 }
    let outer = axes.map { sizes[$0] }
    guard axes.count <= 1 || outer.allSatisfy({ $0.constant != nil }),
      let rows = LengthSize.product(of: outer)
    else { throw NodeFailure.unsupported("indices along a sequence and another axis") }
    let order = FileTensor.fileLayout(positions.sizes)
    let all = positions.tensor(as: order)
    func column(_ axis: Int) throws -> Tensor {
      try call.apply(
        Slice(starts: [axis], ends: [axis + 1], axes: [positions.rank - 1]), to: all)
    }
    let places: Tensor =
      axes.count <= 1
      ? try column(axes.first ?? 0)
      : try flatPlaces(
        &call, try axes.map(column), outer.compactMap(\.constant), rank: positions.rank)
    let flat = try input.reshaped(to: [rows] + sizes[depth...])
    let chosen = try FileTensor(
      places, sizes: positions.sizes.dropLast() + [1], layout: order, type: positions.type
    ).reshaped(to: Array(stated.dropLast()))
    try gatherRows(&call, flat, at: chosen, axis: 0)
  }

  /// Computed places along an axis, where negative ones count from its end, counted from its start.
  static func countedFromStart(
    _ call: inout ONNXCall, _ places: Tensor, _ size: Int
  ) throws -> Tensor {
    let isNegative = try call.apply(Compare(.less, than: [0]), to: places)
    return try call.apply(
      Add(), to: places, try call.apply(Scale(by: [Float(size)]), to: isNegative))
  }

  /// The places in all of several axes, negative ones from the end of each.
  private static func flatPlaces(
    _ call: inout ONNXCall, _ columns: [Tensor], _ sizes: [Int], rank: Int
  ) throws -> Tensor {
    var flat: Tensor?
    var isInside: Tensor?
    for ((column, size), stride) in zip(zip(columns, sizes), Shape.strides(of: sizes)) {
      let counted = try countedFromStart(&call, column, size)
      let part = try call.apply(Scale(by: [Float(stride)]), to: counted)
      flat = try flat.map { try call.apply(Add(), to: $0, part) } ?? part
      for bound in [
        try call.apply(Compare(.greaterOrEqual, than: [0]), to: counted),
        try call.apply(Compare(.less, than: [Float(size)]), to: counted),
      ] {
        isInside = try isInside.map { try call.apply(Multiply(), to: $0, bound) } ?? bound
      }
    }
    guard let flat, let isInside else { throw NodeFailure.invalid("no places") }
    let none = HostTensor(
      floats: [Float(sizes.reduce(1, *))], sizes: Array(repeating: 1, count: rank))
    let outside = try ONNXCall.constant(none, layout: FileTensor.fileLayout(none.sizes)).tensor
    return try call.apply(Where(), to: [isInside, flat, outside])
  }
}
