import Forge

/// Sums of products that letters name, and products with known matrices.
enum KerasSums {
  static let functions: [KerasFunction] = [
    KerasNodes.one("einsum") { nodes in
      guard let formula = nodes.call.value("subscripts", at: 0)?.json?.text else {
        throw NodeFailure.unsupported("no subscripts")
      }
      let stated = nodes.call.layer.config["subscripts"] != nil
      let operands = nodes.call.arguments.indices.dropFirst(stated ? 0 : 1).compactMap {
        nodes.call.value(at: $0)
      }
      return try sum(nodes, formula, try operands.map { try nodes.operand($0, "an operand") })
    },
    KerasNodes.one("tensordot", body: tensorDot),
    KerasNodes.one("dot") { nodes in
      let (first, second) = try pair(nodes)
      return try product(nodes, first, second)
    },
  ]

  /// A sum of products that keeps the examples of a batch apart.
  static func sum(
    _ nodes: KerasNodes, _ formula: String, _ operands: [FileValue]
  ) throws -> FileValue {
    let text = formula.filter { !$0.isWhitespace }
    let sides = text.split(separator: "->", omittingEmptySubsequences: false)
    guard sides.count == 2 else { throw NodeFailure.unsupported("a formula without its result") }
    let terms = sides[0].split(separator: ",", omittingEmptySubsequences: false)
    guard terms.count == operands.count, let batch = sides[1].first else {
      throw NodeFailure.invalid("the formula \"\(text.prefix(80))\" of \(operands.count) operands")
    }
    for (term, operand) in zip(terms, operands) {
      // A letter, or an ellipsis that begins with the batch.
      if case .network = operand {
        guard term.first == batch else {
          throw NodeFailure.unsupported("a formula that mixes the examples of a batch")
        }
      } else if term.contains(batch) {
        throw NodeFailure.unsupported("numbers for each example of a batch")
      }
    }
    let values = try operands.map { operand in
      guard case .host(let host) = operand else { return operand }
      return FileValue.network(
        try ONNXCall.constant(host, layout: FileTensor.fileLayout(host.sizes)))
    }
    return try nodes.all("Einsum", values, ["equation": .string(text)])[0]
  }

  /// A tensor and a known array.
  private static func pair(_ nodes: KerasNodes) throws -> (FileTensor, HostTensor) {
    let first = try nodes.operand(nodes.call.value("x1", "a", at: 0), "x1")
    let second = try nodes.operand(nodes.call.value("x2", "b", at: 1), "x2")
    guard case .network(let tensor) = first, case .host(let host) = second else {
      throw NodeFailure.unsupported("operands other than a tensor and known numbers")
    }
    return (tensor, host)
  }

  /// The letters of `count` axes from the `start`-th one on.
  private static func letters(_ count: Int, from start: Int) throws -> String {
    guard start + count <= 26 else { throw NodeFailure.unsupported("more than 26 axes") }
    return String((start..<start + count).map { Character(UnicodeScalar(UInt8(97 + $0))) })
  }

  /// The product of the last axis of a tensor and the last but one of an array, or its only one.
  static func product(
    _ nodes: KerasNodes, _ first: FileTensor, _ second: HostTensor
  ) throws -> FileValue {
    let rank = second.sizes.count
    guard first.rank >= 2, rank >= 1 else { throw NodeFailure.unsupported("a product of numbers") }
    let firstLetters = try letters(first.rank, from: 0)
    var other = Array(try letters(rank, from: first.rank))
    let contracted = max(rank - 2, 0)
    let result =
      firstLetters.dropLast() + other.enumerated().filter { $0.offset != contracted }.map(\.element)
    other[contracted] = firstLetters.last ?? "a"
    return try sum(
      nodes, "\(firstLetters),\(String(other))->\(String(result))",
      [.network(first), .host(second)])
  }

  private static func tensorDot(_ nodes: KerasNodes) throws -> FileValue {
    let (first, second) = try pair(nodes)
    let rank = second.sizes.count
    var (from, to): ([Int], [Int])
    switch nodes.call.value("axes", at: 2)?.json {
    case nil: (from, to) = ([first.rank - 2, first.rank - 1], [0, 1])
    case let json?:
      if let count = json.wholeNumber {
        guard 1..<first.rank ~= count, count <= rank else {
          throw NodeFailure.unsupported("axes \(count)")
        }
        (from, to) = (Array(first.rank - count..<first.rank), Array(0..<count))
      } else if let lists = json.array, lists.count == 2, let a = lists[0].wholeNumbers,
        let b = lists[1].wholeNumbers, a.count == b.count
      {
        from = try a.map { try nodes.axis($0, rank: first.rank) }
        to = try b.map { try ONNXCall.axis($0, rank: rank) }
      } else {
        throw NodeFailure.unsupported("axes of another form")
      }
    }
    guard to.allSatisfy({ $0 < rank }), Set(from).count == from.count, Set(to).count == to.count
    else { throw NodeFailure.unsupported("repeated axes") }
    let valueLetters = Array(try letters(first.rank, from: 0))
    var other = Array(try letters(rank, from: first.rank))
    let kept = valueLetters.indices.filter { !from.contains($0) }.map { valueLetters[$0] }
    let added = other.indices.filter { !to.contains($0) }.map { other[$0] }
    for (a, b) in zip(from, to) { other[b] = valueLetters[a] }
    return try sum(
      nodes, "\(String(valueLetters)),\(String(other))->\(String(kept + added))",
      [.network(first), .host(second)])
  }
}
