import Forge

/// The different values of a tensor that is known while importing: how many there are is a size.
extension ONNXOperators {
  /// The operators of different values.
  static let uniques: [ONNXOperator] = [
    .known("Unique", fold: .known(unique), length: .refused, sizes: .none)
  ]

  /// Equal elements, or slices, by the first of them.
  private struct Group {
    let first: Int
    let members: Range<Int>
  }

  private static func unique(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
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
