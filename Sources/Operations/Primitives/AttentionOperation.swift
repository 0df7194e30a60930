import ForgeShapes
import ForgeSystem

/// The means of values, weighted by the softmax of the products of queries and keys, per head.
///
/// For head `h` and the group `g = h · groups / heads` of keys and values:
/// `s(t, i) = scale · Σ_c q(t, h, c) · k(i, g, c)`, capped and masked,
/// `y(t, h, c) = Σᵢ softmaxᵢ(s(t, i)) · v(i, g, c)`. A query that sees no key yields 0. What is
/// hidden from a query has no part in its result, even if it is NaN.
///
/// Operands: three images whose rows are independent and whose columns are positions: queries
/// [rows][queries][heads · channels], keys [rows][keys][groups · channels], values
/// [rows][keys][groups · value channels]; optionally a mask. With a position the keys and values
/// are tables [positions][groups · channels], the queries have one row, a mask has a place for each
/// row of the tables, and the last operand is the position [1] of the first query.
package struct AttentionOperation: PrimitiveOperation {
  let rule: AttentionRule

  package var name: String { "attention" }
  package var traits: OperationTraits {
    let count = 3 + (rule.mask == .none ? 0 : 1) + (rule.hasPosition ? 1 : 0)
    return OperationTraits(
      operands: count...count, multiplyAdds: .onePerKey, isLinear: false, addsResidual: false,
      takesActivation: false,
      packsOperands: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) { try rule.validate() }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    let (queries, keys, values) = (operands[0], operands[1], operands[2])
    for shape in rule.hasPosition ? operands.prefix(1) : operands.prefix(3) where !shape.isImage {
      throw ShapeError(
        .shapeMismatch, "attention reads sequences of vectors", received: shape.description,
        needs: "three axes: rows, positions, channels")
    }
    let channels = try Self.perHead(queries, rule.heads, "the queries")
    let keyChannels = try Self.perHead(keys, rule.groups, "the keys")
    guard channels == keyChannels else {
      throw ShapeError(
        .shapeMismatch, "the queries and the keys do not fit",
        received: "\(channels) and \(keyChannels) channels per head", needs: "equally many")
    }
    let valueChannels = try Self.perHead(values, rule.groups, "the values")
    if rule.hasPosition {
      for table in [keys, values] {
        try TableRule.check(table, image: queries, position: operands[operands.count - 1])
      }
      try Self.same(keys.dimensions[0], values.dimensions[0], "keys and values")
    } else {
      try Self.same(keys.dimensions[1], values.dimensions[1], "keys and values")
      try Self.same(queries.dimensions[0], keys.dimensions[0], "rows of queries and keys")
      try Self.same(keys.dimensions[0], values.dimensions[0], "rows of keys and values")
    }
    if rule.mask != .none {
      try checkMask(operands[3], queries, keys: keys.dimensions[rule.hasPosition ? 0 : 1])
    }
    return Shape([
      queries.dimensions[0], queries.dimensions[1],
      rule.heads.multipliedSaturated(by: valueChannels),
    ])
  }

  /// The channels of one head.
  private static func perHead(
    _ shape: Shape, _ heads: Int, _ what: String
  ) throws(ShapeError) -> Int {
    let channels = try ArgumentRule.lastAxis(of: shape)
    guard heads > 0, channels.isMultiple(of: heads) else {
      throw ShapeError(
        .channelsNotDivisible, "the heads do not divide the channels of \(what)",
        received: "\(channels) channels", needs: "a multiple of \(heads)")
    }
    return channels / heads
  }

  private static func same(_ a: Int?, _ b: Int?, _ what: String) throws(ShapeError) {
    guard let a, let b, a != b else { return }
    throw ShapeError(
      .shapeMismatch, "the \(what) differ in number", received: "\(a) and \(b)",
      needs: "equally many")
  }

  private func checkMask(
    _ mask: Shape, _ queries: Shape, keys: Int?
  ) throws(ShapeError) {
    let full = [queries.dimensions[0], rule.heads, queries.dimensions[1], keys]
    let fits =
      (1...4).contains(mask.rank)
      && zip(mask.dimensions, full.suffix(mask.rank)).allSatisfy { size, needed in
        size == 1 || size == nil || needed == nil || size == needed
      }
    guard fits else {
      func text(_ sizes: [Int?]) -> String {
        sizes.map { $0.map(String.init) ?? "?" }.joined(separator: "×")
      }
      let needed = text(full)
      throw ShapeError(
        .shapeMismatch, "the mask does not fit", received: text(mask.dimensions),
        needs: "\(needed) (rows, heads, queries, keys) or the last of these axes, with 1 for each "
          + "that repeats")
    }
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let queries = call.operands[0]
    let (keys, values) = (image(call.operands[1]), image(call.operands[2]))
    let mask = rule.mask == .none ? nil : call.operands[3]
    let count = keys.sizes[1]
    let position =
      rule.hasPosition
      ? ExactRule.position(
        call.operands[call.operands.count - 1].values[0], last: count - queries.sizes[1]) : 0
    let channels = queries.sizes[2] / rule.heads
    let valueChannels = values.sizes[2] / rule.groups
    let scale = rule.scale.map(Double.init) ?? 1 / Double(channels).squareRoot()
    // Scores are stored before they are masked, so that a large mask swallows them.
    func stored(_ value: Double) -> Double { call.roundsToFloats ? Double(Float(value)) : value }
    var result = ReferenceTensor(call.output) { _ in 0 }
    for row in 0..<call.output[0] {
      for head in 0..<rule.heads {
        let group = head * rule.groups / rule.heads
        for t in 0..<call.output[1] {
          /// The keys that the query sees with their scores.
          let scores: [(key: Int, score: Double)] = (0..<count).compactMap { key in
            if let offset = rule.causalOffset, key > (t + position).addingSaturated(offset) {
              return nil
            }
            var sum = 0.0
            for c in 0..<channels {
              sum +=
                queries.values[queries.offset(of: [row, t, head * channels + c])]
                * keys.values[keys.offset(of: [row, key, group * channels + c])]
            }
            var score = stored(sum * scale)
            if let cap = rule.cap.map(Double.init) { score = cap * tanh(score / cap) }
            if let mask {
              let position = zip([row, head, t, key].suffix(mask.sizes.count), mask.sizes)
              let value = mask.values[mask.offset(of: position.map { $1 == 1 ? 0 : $0 })]
              if value == (rule.mask == .visible ? 0 : -.infinity) { return nil }
              if rule.mask == .added { score = stored(score + value) }
            }
            return score == -.infinity ? nil : (key, score)
          }
          let largest = scores.reduce(-Double.infinity) { $1.score > $0 ? $1.score : $0 }
          let weights = scores.map { exp($0.score - largest) }
          let sum = weights.reduce(0, +)
          for c in 0..<valueChannels where !scores.isEmpty {
            let total = zip(scores, weights).reduce(0) { total, pair in
              total + pair.1
                * values.values[values.offset(of: [row, pair.0.key, group * valueChannels + c])]
            }
            result.values[result.offset(of: [row, t, head * valueChannels + c])] = total / sum
          }
        }
      }
    }
    return result
  }

  /// A table of keys or values as the image of its only row.
  private func image(_ operand: ReferenceTensor) -> ReferenceTensor {
    rule.hasPosition
      ? ReferenceTensor(unchecked: [1] + operand.sizes, operand.values) : operand
  }
}

extension AttentionOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    let (queries, keys, values) = (operands[0], operands[1], operands[2])
    let (rows, positions) = (part.ranges[0], part.ranges[1])
    let channels = rule.heads * (values[values.count - 1] / rule.groups)
    guard !rule.hasPosition, part.ranges[2] == 0..<channels else { return nil }
    let full = TensorPart([rows, 0..<rule.heads, positions, 0..<keys[1]])
    return PartialComputation(
      .attention(rule.forQueries(from: positions.lowerBound)),
      [
        TensorPart([rows, positions, 0..<queries[2]]),
        TensorPart([rows, 0..<keys[1], 0..<keys[2]]),
        TensorPart([rows, 0..<values[1], 0..<values[2]]),
      ] + operands.dropFirst(3).map { full.broadcast(to: $0) })
  }
}
