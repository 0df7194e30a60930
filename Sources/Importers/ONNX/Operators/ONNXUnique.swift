import Forge

/// The different values of a tensor, and how often each is there.
extension ONNXOperators {
  /// The operators of different values.
  static let uniques: [ONNXOperator] = [
    ONNXOperator(
      "Unique", import: unique, fold: .known(knownUnique), bounds: .chosenByOrder,
      length: .refused, sizes: .none, examples: .mixed)
  ]

  /// The different elements of a computed tensor: in order, those that differ from the one before.
  private static func unique(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    guard input.rank == 1 || !call.node.has("axis") else {
      throw NodeFailure.unsupported("different slices of a computed tensor")
    }
    try ONNXChosenRows.refuseLengths([input])
    let size = input.count
    let numbers = ONNXOrderedNumbers(call: call, count: size)
    let flat = try call.apply(
      Reshape(to: [size]), to: input.tensor(as: FileTensor.fileLayout(input.sizes)))
    let values = try numbers.ordered(flat, .values)
    let order = try numbers.ordered(flat, .indices)
    let isFirst = try numbers.differences(values)
    let (places, count) = try chosen(call, isFirst, of: size)
    // Of places that were not chosen they are the last entries, which do not count.
    let valid = try call.apply(Minimum(constant: [Float(size - 1)]), to: places)
    var results = try [values, order].map { try numbers.taken(from: $0, at: valid) }
    results.append(try call.apply(Subtract(), to: try numbers.next(places), places))
    let groups = try call.apply(CumulativeSum(axis: 0), to: isFirst)
    // The places that sort a permutation are its inverse.
    var inverse = try numbers.taken(
      from: try call.apply(Scale(1, bias: -1), to: groups),
      at: try numbers.ordered(order, .indices))
    if call.node.int("sorted", 1) == 0 {
      // In the order of the first elements, those that do not count at the end.
      let isRest = try call.apply(
        Compare(.greaterOrEqual, than: [Float(size)]), to: places)
      let keys = try call.apply(
        Add(), to: results[1], try call.apply(Scale(Float(size)), to: isRest))
      let turn = try numbers.ordered(keys, .indices)
      results = try results.map { try numbers.taken(from: $0, at: turn) }
      inverse = try numbers.taken(from: try numbers.ordered(turn, .indices), at: inverse)
    }
    for (index, result) in [results[0], results[1], inverse, results[2]].enumerated() {
      call.set(
        FileTensor(result, layout: [0], rank: 1, type: index == 0 ? input.type : .int64),
        output: index)
    }
    call.chosenRows = ONNXChosenRows(axis: 0, count: count, wholeOutputs: [2])
  }

  /// Equal elements, or slices, by the first of them.
  private struct Group {
    let first: Int
    let members: Range<Int>
  }

  /// The different elements, or slices, of a tensor that is known while importing.
  private static func knownUnique(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    guard let host = hosts.first else { return false }
    let isWhole = !call.node.has("axis")
    let stated = isWhole ? host.reshaped([host.count]) : host
    let axis = try ONNXCall.axis(call.node.int("axis"), rank: stated.sizes.count)
    let rows = stated.sizes[axis]
    guard stated.count > 0 else { throw NodeFailure.unsupported("an empty tensor") }
    let others = stated.sizes.indices.filter { $0 != axis }
    let keys = try keys(try stated.transposed([axis] + others))
    let width = keys.count / rows
    // A sort compares each row with as many as the number of rows has bits.
    try ImportBudget.take(
      keys.count.multipliedSaturated(by: Int.bitWidth - rows.leadingZeroBitCount), width: 0)
    try ImportBudget.take(rows, width: 6 * MemoryLayout<Int>.size)
    func slice(_ row: Int) -> ArraySlice<Int64> { keys[(row * width)..<((row + 1) * width)] }
    let order = (0..<rows).sorted { a, b in
      let (x, y) = (slice(a), slice(b))
      return x.lexicographicallyPrecedes(y) || (a < b && x.elementsEqual(y))
    }
    var groups: [Group] = []
    var start = 0
    for end in 1...rows
    where end == rows || !slice(order[start]).elementsEqual(slice(order[end])) {
      groups.append(Group(first: order[start], members: start..<end))
      start = end
    }
    if call.node.int("sorted", 1) == 0 { groups.sort { $0.first < $1.first } }
    var inverse = Array(repeating: Int64(0), count: rows)
    for (index, group) in groups.enumerated() {
      for member in group.members { inverse[order[member]] = Int64(index) }
    }
    let places = groups.map(\.first)
    call.set(.host(try stated.gathered(axis: axis, at: places, sizes: [places.count])))
    let lists = [
      places.map { Int64($0) }, inverse, groups.map { Int64($0.members.count) },
    ]
    for (index, list) in lists.enumerated() {
      call.set(.host(HostTensor(integers: list, sizes: [list.count])), output: index + 1)
    }
    return true
  }

  /// Integers in the order of the values, equal for equal ones.
  private static func keys(_ host: HostTensor) throws -> [Int64] {
    guard !host.isInteger else { return try host.integers() }
    return try host.floats().map { value in
      guard !value.isNaN else {
        throw NodeFailure.unsupported("values that are not numbers")
      }
      let magnitude = Int64(value.magnitude.bitPattern)
      return value < 0 ? -magnitude : magnitude
    }
  }
}

/// Arithmetic on vectors of as many numbers.
private struct ONNXOrderedNumbers {
  let call: ONNXCall
  let count: Int

  /// The numbers from the smallest on, or their places.
  func ordered(_ numbers: Tensor, _ output: TopK.Output) throws -> Tensor {
    try call.apply(TopK(count: count, axis: 0, largest: false, output: output), to: numbers)
  }

  /// The numbers at some places.
  func taken(from numbers: Tensor, at places: Tensor) throws -> Tensor {
    try call.apply(GatherRows(axis: 0), to: numbers, places)
  }

  /// 1 for the first number and for each that differs from the one before, 0 for the others.
  func differences(_ numbers: Tensor) throws -> Tensor {
    // The place of the only number is 0; outputs must depend on an input.
    guard count > 1 else {
      return try call.apply(
        Compare(.greaterOrEqual, than: [0]), to: try ordered(numbers, .indices))
    }
    let differs = try call.apply(
      Compare(.notEqual), to: try part(of: numbers, 1..<count),
      try part(of: numbers, 0..<count - 1))
    return try call.apply(Pad(before: [1], after: [0], mode: .constant(1)), to: differs)
  }

  /// The number after each one; their count after the last.
  func next(_ numbers: Tensor) throws -> Tensor {
    guard count > 1 else {
      return try ONNXCall.constant(HostTensor(floats: [Float(count)], sizes: [1]), layout: [0])
        .tensor
    }
    return try call.apply(
      Pad(before: [0], after: [1], mode: .constant(Float(count))),
      to: try part(of: numbers, 1..<count))
  }

  private func part(of numbers: Tensor, _ range: Range<Int>) throws -> Tensor {
    try call.apply(
      Slice(starts: [range.lowerBound], ends: [range.upperBound], axes: [0]), to: numbers)
  }
}
