import Forge

/// Functions of `keras.ops` that move, repeat and cut values; their axes include the batch.
enum KerasMovements {
  static let functions: [KerasFunction] = [
    KerasNodes.one("pad", body: pad), KerasNodes.one("stack", body: stack),
    KerasNodes.several("unstack", body: unstack), KerasNodes.one("tile", body: tile),
    KerasNodes.one("repeat", body: repeated),
    KerasNodes.one("broadcast_to", body: broadcast),
    KerasNodes.one("swapaxes") { nodes in
      let (call, x) = (nodes.call, try nodes.first())
      let first = try nodes.axis(
        try call.integer(call.value("axis1", at: 1), default: 0), rank: x.rank)
      let second = try nodes.axis(
        try call.integer(call.value("axis2", at: 2), default: 0), rank: x.rank)
      var order = Array(0..<x.rank)
      order.swapAt(first, second)
      return try nodes("Transpose", .network(x), with: ["perm": .ints(order)])
    },
    KerasNodes.one("moveaxis", body: moveAxis),
    KerasNodes.one("flip") { nodes in
      let x = try nodes.first()
      return try reversed(nodes, x, axes: try nodes.axes(x.rank))
    },
    KerasNodes.one("roll", body: roll), KerasNodes.one("slice", body: slice),
    KerasNodes.one("tril") { try triangle($0, isUpper: false) },
    KerasNodes.one("triu") { try triangle($0, isUpper: true) },
  ]

  /// The most elements of an axis whose elements are repeated.
  private static let mostElements = 1 << 20

  private static func pad(_ nodes: KerasNodes) throws -> FileValue {
    let (call, x) = (nodes.call, try nodes.first())
    guard let widths = call.value("pad_width", at: 1)?.json else {
      throw NodeFailure.unsupported("a pad_width that is not made of numbers")
    }
    var borders: [[Int]] = []
    for width in widths.array ?? [] {
      guard let pair = width.wholeNumbers, pair.count == 2 else {
        throw NodeFailure.unsupported("one pad_width for all axes, the batch included")
      }
      borders.append(pair)
    }
    guard borders.count == x.rank, borders.allSatisfy({ $0.allSatisfy { (0...(1 << 20)) ~= $0 } })
    else { throw NodeFailure.unsupported("a pad_width that does not name each axis") }
    guard borders[0] == [0, 0] else { throw NodeFailure.unsupported("a border of the batch") }
    let mode = call.value("mode", at: 2)?.json?.text ?? "constant"
    guard ["constant", "reflect", "edge", "wrap"].contains(mode) else {
      throw NodeFailure.unsupported("mode \"\(mode.prefix(20))\"")
    }
    let fill = try call.number(call.value("constant_values", at: 3)) ?? 0
    return try nodes(
      "Pad", .network(x), FileValue.integers(borders.map { $0[0] } + borders.map { $0[1] }),
      FileValue.number(fill), with: ["mode": .string(mode)])
  }

  /// The tensors of the first argument, which is a list.
  private static func list(_ nodes: KerasNodes) throws -> [FileTensor] {
    guard case .list(let list)? = nodes.call.value("x", "arrays", at: 0), !list.isEmpty else {
      throw NodeFailure.unsupported("an argument that is not a list of tensors")
    }
    return try list.map { item in
      guard case .network(let tensor) = try nodes.operand(item, "x") else {
        throw NodeFailure.unsupported("numbers among the tensors")
      }
      return tensor
    }
  }

  private static func stack(_ nodes: KerasNodes) throws -> FileValue {
    let tensors = try list(nodes)
    let axis = try nodes.axis(tensors[0].rank + 1, default: 0)
    let wide = try tensors.map { tensor in
      try nodes("Unsqueeze", .network(tensor), FileValue.integers([axis]))
    }
    return try nodes.all("Concat", wide, ["axis": .int(axis)])[0]
  }

  private static func unstack(_ nodes: KerasNodes) throws -> [FileValue] {
    let (call, x) = (nodes.call, try nodes.first())
    let axis = try nodes.axis(x.rank, at: 2, default: 0)
    let count = x.sizes[axis]
    guard try call.integer(call.value("num", at: 1), default: count) == count,
      (1...4096).contains(count)
    else { throw NodeFailure.unsupported("\(count) parts") }
    return try (0..<count).map { index in
      let part = try nodes(
        "Slice", .network(x), FileValue.integers([index]), FileValue.integers([index + 1]),
        FileValue.integers([axis]))
      return try nodes("Squeeze", part, FileValue.integers([axis]))
    }
  }

  private static func tile(_ nodes: KerasNodes) throws -> FileValue {
    let (call, x) = (nodes.call, try nodes.first())
    guard let stated = try call.integers(call.value("repeats", at: 1)), stated.count <= x.rank,
      stated.allSatisfy({ (1...(1 << 20)) ~= $0 })
    else { throw NodeFailure.unsupported("repeats of more axes than the tensor has") }
    let repeats = Array(repeating: 1, count: x.rank - stated.count) + stated
    guard repeats[0] == 1 else { throw NodeFailure.unsupported("a repeated batch") }
    return try nodes("Tile", .network(x), FileValue.integers(repeats))
  }

  private static func repeated(_ nodes: KerasNodes) throws -> FileValue {
    let (call, x) = (nodes.call, try nodes.first())
    let axis = try nodes.axis(x.rank, at: 2)
    guard var counts = try call.integers(call.value("repeats", at: 1)) else {
      throw NodeFailure.unsupported("no repeats")
    }
    if counts.count == 1 { counts = Array(repeating: counts[0], count: x.sizes[axis]) }
    let all = counts.reduce(0) { $0.addingSaturated(max($1, 0)) }
    guard counts.count == x.sizes[axis], counts.allSatisfy({ $0 >= 0 }),
      (1...mostElements).contains(all)
    else { throw NodeFailure.unsupported("repeats of other sizes") }
    let indices = counts.enumerated().flatMap { Array(repeating: $0.offset, count: $0.element) }
    return try nodes(
      "Gather", .network(x), FileValue.integers(indices), with: ["axis": .int(axis)])
  }

  /// The first size is that of the batch, which is the same for all tensors of a call.
  private static func broadcast(_ nodes: KerasNodes) throws -> FileValue {
    let x = try nodes.first()
    guard var shape = try nodes.call.integers(nodes.call.value("shape", at: 1)),
      shape.count == x.rank, shape.dropFirst().allSatisfy({ $0 > 0 })
    else { throw NodeFailure.unsupported("a shape of more axes than the tensor has") }
    shape[0] = 1
    return try nodes("Expand", .network(x), FileValue.integers(shape))
  }

  private static func moveAxis(_ nodes: KerasNodes) throws -> FileValue {
    let (call, x) = (nodes.call, try nodes.first())
    guard let source = try call.integers(call.value("source", at: 1)),
      let destination = try call.integers(call.value("destination", at: 2)),
      source.count == destination.count
    else { throw NodeFailure.unsupported("axes that do not match") }
    let from = try source.map { try nodes.axis($0, rank: x.rank) }
    let to = try destination.map { try nodes.axis($0, rank: x.rank) }
    guard Set(from).count == from.count, Set(to).count == to.count else {
      throw NodeFailure.invalid("an axis is repeated")
    }
    var order = (0..<x.rank).filter { !from.contains($0) }
    for (place, axis) in zip(to, from).sorted(by: { $0.0 < $1.0 }) { order.insert(axis, at: place) }
    return try nodes("Transpose", .network(x), with: ["perm": .ints(order)])
  }

  private static func reversed(
    _ nodes: KerasNodes, _ x: FileTensor, axes: [Int]
  ) throws -> FileValue {
    let steps = FileValue.integers(axes.map { _ in -1 })
    return try nodes(
      "Slice", .network(x), steps, FileValue.integers(axes.map { _ in Int.min }),
      FileValue.integers(axes), steps)
  }

  private static func roll(_ nodes: KerasNodes) throws -> FileValue {
    let (call, x) = (nodes.call, try nodes.first())
    let axes = try nodes.axes(x.rank, at: 2)
    guard let shifts = try call.integers(call.value("shift", at: 1)),
      shifts.count == axes.count, axes.count == 1
    else { throw NodeFailure.unsupported("several shifts") }
    let size = x.sizes[axes[0]]
    let shift = ((shifts[0] % size) + size) % size
    guard shift != 0 else { return .network(x) }
    func part(_ start: Int, _ end: Int) throws -> FileValue {
      try nodes(
        "Slice", .network(x), FileValue.integers([start]), FileValue.integers([end]),
        FileValue.integers(axes))
    }
    let parts = [try part(size - shift, size), try part(0, size - shift)]
    return try nodes.all("Concat", parts, ["axis": .int(axes[0])])[0]
  }

  private static func slice(_ nodes: KerasNodes) throws -> FileValue {
    let (call, x) = (nodes.call, try nodes.first())
    guard let starts = try call.integers(call.value("start_indices", at: 1)),
      let shape = try call.integers(call.value("shape", at: 2)), starts.count == x.rank,
      shape.count == x.rank
    else { throw NodeFailure.unsupported("starts that do not name each axis") }
    guard starts[0] == 0 else { throw NodeFailure.unsupported("a part of the batch") }
    for axis in 1..<x.rank {
      guard starts[axis] >= 0, shape[axis] >= 1,
        starts[axis].addingSaturated(shape[axis]) <= x.sizes[axis]
      else { throw NodeFailure.invalid("a slice beyond axis \(axis)") }
    }
    let axes = Array(1..<x.rank)
    return try nodes(
      "Slice", .network(x), FileValue.integers(axes.map { starts[$0] }),
      FileValue.integers(axes.map { starts[$0] + shape[$0] }), FileValue.integers(axes))
  }

  private static func triangle(_ nodes: KerasNodes, isUpper: Bool) throws -> FileValue {
    let (call, x) = (nodes.call, try nodes.first())
    guard x.rank >= 3 else { throw NodeFailure.unsupported("a triangle along the batch") }
    let offset = try call.integer(call.value("k", at: 1), default: 0)
    return try nodes(
      "Trilu", .network(x), FileValue.integers([offset]),
      with: ["upper": .flag(isUpper)])
  }
}
