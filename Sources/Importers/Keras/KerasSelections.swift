import Forge

/// Functions of `keras.ops` that choose values or tell what they are; their axes include the batch.
enum KerasSelections {
  static let functions: [KerasFunction] = [
    KerasNodes.one("where", body: choose), KerasNodes.one("take", body: take),
    KerasNodes.one("take_along_axis", body: takeAlongAxis),
    KerasNodes.one("one_hot", body: oneHot),
    KerasNodes.one("argmax") { try argument($0, "ArgMax") },
    KerasNodes.one("argmin") { try argument($0, "ArgMin") },
    KerasNodes.several("top_k") { nodes in
      let x = try nodes.first()
      let count = try nodes.call.integer(nodes.call.value("k", at: 1), default: 1)
      // Sorted or not, Keras makes no promise about the order of the largest.
      _ = nodes.call.value("sorted", at: 2)
      guard x.rank >= 2 else { throw NodeFailure.unsupported("the batch") }
      return try nodes.all("TopK", [.network(x), FileValue.integers([count])], outputs: 2)
    },
    KerasNodes.one("sort") { try sorted($0)[0] },
    KerasNodes.one("argsort") { try sorted($0)[1] },
    KerasNodes.one("cumsum") { nodes in
      let x = try nodes.first()
      let axis = try nodes.axis(x.rank)
      return try nodes("CumSum", .network(x), FileValue.integers([axis]))
    },
    KerasNodes.one("isnan") { try $0("IsNaN", .network(try $0.first())) },
    KerasNodes.one("isinf") { try $0("IsInf", .network(try $0.first())) },
    KerasNodes.one("isfinite") { nodes in
      let x = FileValue.network(try nodes.first())
      return try nodes("Not", try nodes("Or", try nodes("IsNaN", x), try nodes("IsInf", x)))
    },
    KerasNodes.one("nan_to_num", body: numbered),
  ]

  private static func choose(_ nodes: KerasNodes) throws -> FileValue {
    let call = nodes.call
    let condition = try nodes.operand(call.value("condition", at: 0), "condition")
    let first = try nodes.operand(call.value("x1", "x", at: 1), "x1")
    let second = try nodes.operand(call.value("x2", "y", at: 2), "x2")
    try nodes.checkBroadcast([condition, first, second])
    let holds = try nodes("Cast", condition, with: ["to": .int(9)])
    return try nodes("Where", holds, first, second)
  }

  /// Elements at indices that are known, or rows of known numbers at the indices of a tensor.
  private static func take(_ nodes: KerasNodes) throws -> FileValue {
    let call = nodes.call
    let x = try nodes.operand(call.value("x", at: 0), "x")
    let stated = try nodes.operand(call.value("indices", at: 1), "indices")
    switch (x, stated) {
    case (.network(let tensor), .host(let host)):
      let axis = try nodes.axis(tensor.rank, at: 2)
      let indices = HostTensor(integers: try host.integers(), sizes: host.sizes)
      return try nodes("Gather", x, .host(indices), with: ["axis": .int(axis)])
    case (.host, .network(var indices)):
      guard try call.integer(call.value("axis", at: 2), default: 1) == 0 else {
        throw NodeFailure.unsupported("an axis of known numbers besides the first")
      }
      indices.type = .int64
      return try nodes("Gather", x, .network(indices), with: ["axis": .int(0)])
    default: throw NodeFailure.unsupported("indices of another tensor, for each example")
    }
  }

  private static func takeAlongAxis(_ nodes: KerasNodes) throws -> FileValue {
    let x = try nodes.first()
    let axis = try nodes.axis(x.rank, at: 2)
    guard
      case .network(var indices) = try nodes.operand(nodes.call.value("indices", at: 1), "indices"),
      indices.rank == x.rank,
      x.sizes.indices.allSatisfy({ $0 == axis || x.sizes[$0] == indices.sizes[$0] })
    else { throw NodeFailure.unsupported("indices of other sizes") }
    indices.type = .int64
    return try nodes(
      "GatherElements", .network(x), .network(indices), with: ["axis": .int(axis)])
  }

  /// 1 at the index that each number is, 0 elsewhere; all 0 for an index out of range.
  private static func oneHot(_ nodes: KerasNodes) throws -> FileValue {
    let (call, x) = (nodes.call, try nodes.first())
    let count = try call.integer(call.value("num_classes", at: 1), default: 0)
    guard (1...(1 << 20)).contains(count) else { throw NodeFailure.unsupported("no num_classes") }
    if let type = call.value("dtype", at: 3)?.json?.text, !type.hasPrefix("float") {
      throw NodeFailure.unsupported("the type \(type.prefix(40))")
    }
    let axis = try nodes.axis(x.rank + 1, at: 2, default: -1)
    let wide = try nodes("Unsqueeze", .network(x), FileValue.integers([axis]))
    var sizes = Array(repeating: 1, count: x.rank + 1)
    sizes[axis] = count
    let classes = HostTensor(floats: (0..<count).map { Float($0) }, sizes: sizes)
    return try nodes("Equal", wide, .host(classes))
  }

  private static func argument(_ nodes: KerasNodes, _ type: String) throws -> FileValue {
    let x = try nodes.first()
    let axis = try nodes.axis(x.rank)
    let keepsAxis = try nodes.call.flag(nodes.call.value("keepdims", at: 2), default: false)
    return try nodes(
      type, .network(x), with: ["axis": .int(axis), "keepdims": .flag(keepsAxis)])
  }

  private static func sorted(_ nodes: KerasNodes) throws -> [FileValue] {
    let x = try nodes.first()
    let axis = try nodes.axis(x.rank, default: -1)
    return try nodes.all(
      "TopK", [.network(x), FileValue.integers([x.sizes[axis]])],
      ["axis": .int(axis), "largest": .int(0)], outputs: 2)
  }

  private static func numbered(_ nodes: KerasNodes) throws -> FileValue {
    let (call, x) = (nodes.call, FileValue.network(try nodes.first()))
    let nan = try call.number(call.value("nan", at: 1)) ?? 0
    let largest = Float.greatestFiniteMagnitude
    let positive = try call.number(call.value("posinf", at: 2)) ?? largest
    let negative = try call.number(call.value("neginf", at: 3)) ?? -largest
    var result = try nodes("Where", try nodes("IsNaN", x), FileValue.number(nan), x)
    for (bound, isPositive) in [(positive, true), (negative, false)] {
      let isInfinite = try nodes(
        "IsInf", x,
        with: [
          "detect_positive": .flag(isPositive), "detect_negative": .flag(!isPositive),
        ])
      result = try nodes("Where", isInfinite, FileValue.number(bound), result)
    }
    return result
  }
}
