import Forge
import ForgeOperations
import ForgeShapes

/// Attention, and the rotation of its queries and keys.
extension KerasGraphWriter {
  mutating func attention(_ call: KerasOperation, _ rule: AttentionRule) throws(ExportRefusal) {
    guard !rule.hasPosition else {
      throw ExportRefusal(what: "attention over tables that are kept between predictions")
    }
    let (q, k, v) = (sizes(call.inputs[0]), sizes(call.inputs[1]), sizes(call.inputs[2]))
    let (rows, queries, keys) = (q[0], q[1], k[1])
    let channels = q[2] / rule.heads
    let valueChannels = v[2] / rule.groups
    let group = rule.heads / rule.groups
    // [rows][groups][heads of a group][positions][channels]; one axis for heads without groups.
    let heads = group == 1 ? [rule.heads] : [rule.groups, group]
    let keyHeads = group == 1 ? [rule.heads] : [rule.groups, 1]
    func order(_ last: [Int]) -> [Int] {
      [0] + heads.indices.map { $0 + 2 } + last.map { $0 == 0 ? 1 : heads.count + 2 }
    }
    func split(
      _ writer: inout KerasGraphWriter, _ place: Int, _ sizes: [Int], _ last: [Int]
    ) throws(ExportRefusal) -> KerasTensor {
      let x = try writer.plain(call.inputs[place])
      return writer.permuted(writer.reshaped(x, to: sizes), order(last))
    }
    let query = try split(&self, 0, [rows, queries] + heads + [channels], [0, 1])
    let key = try split(&self, 1, [rows, keys] + keyHeads + [channels], [1, 0])
    let values = try split(&self, 2, [rows, keys] + keyHeads + [valueChannels], [0, 1])
    let made = [rows] + heads + [queries, keys]
    let scale = rule.scale ?? Float(1 / Double(channels).squareRoot())
    var scores = pair("Multiply", pair("Matmul", query, key, sizes: made), scale)
    if let cap = rule.cap {
      scores = pair("Multiply", numpy("Tanh", pair("Divide", scores, cap)), cap)
    }
    if let offset = rule.causalOffset {
      // Places of keys and of the last keys that queries see: no matrix is in the description.
      let ones = made.dropLast(2).map { _ in 1 }
      let places = one(
        .numpy("Add"),
        [
          .tensor(zeros(rank: made.count)),
          numbers((0..<keys).map { Float($0) }, sizes: [keys]),
        ], sizes: ones + [1, keys])
      let last = (0..<queries).map { Float($0.addingSaturated(offset)) }
      let isHidden = one(
        .numpy("Greater"), [.tensor(places), numbers(last, sizes: [queries, 1])],
        sizes: ones + [queries, keys], type: "bool")
      scores = one(
        .numpy("Where"), [.tensor(isHidden), .json(.number(-.infinity)), .tensor(scores)],
        sizes: made)
    }
    if rule.mask != .none {
      let mask = try attentionMask(call.inputs[3], heads: heads)
      scores =
        rule.mask == .added
        ? pair("Add", scores, mask)
        : one(
          .numpy("Where"),
          [.tensor(isTrue(mask)), .tensor(scores), .json(.number(-.infinity))], sizes: made)
    }
    var weights = layer("Softmax", scores, [("axis", .integer(-1))], sizes: made)
    if rule.mask != .none || rule.causalOffset != nil {
      // A query that sees no key has the result 0.
      let largest = one(
        .numpy("Max"), [.tensor(scores)], [("axis", .integer(-1)), ("keepdims", .flag(true))],
        sizes: made.dropLast() + [1])
      let isBlind = pair("Less", largest, -.greatestFiniteMagnitude, type: "bool")
      weights = one(
        .numpy("Where"), [.tensor(isBlind), .json(.number(0)), .tensor(weights)], sizes: made)
    }
    let sums = pair("Matmul", weights, values, sizes: made.dropLast() + [valueChannels])
    let back = [0, heads.count + 1] + heads.indices.map { $0 + 1 } + [heads.count + 2]
    set(
      call.output,
      to: reshaped(
        permuted(sums, back), to: [rows, queries, rule.heads * valueChannels],
        named: isResult(call.output)))
  }

  /// A mask, repeated along [rows][heads][queries][keys], with the heads in as many axes as the
  /// scores have.
  private mutating func attentionMask(
    _ mask: OperationGraph.Value, heads: [Int]
  ) throws(ExportRefusal) -> KerasTensor {
    let own = sizes(mask)
    let full = Array(repeating: 1, count: max(4 - own.count, 0)) + own
    let split = full[1] == 1 ? heads.map { _ in 1 } : heads
    return try tensor(mask, sizes: [full[0]] + split + [full[2], full[3]])
  }

  mutating func rotate(_ call: KerasOperation, _ rule: RotationRule) throws(ExportRefusal) {
    guard !rule.hasPosition else {
      throw ExportRefusal(what: "rotations from a position that is kept between predictions")
    }
    let (own, factors) = (sizes(call.inputs[0]), sizes(call.inputs[1]))
    let channels = own[2] / rule.heads
    let rotated = factors[2]
    let split = try tensor(call.inputs[0], sizes: [own[0], own[1], rule.heads, channels])
    func part(
      _ writer: inout KerasGraphWriter, _ start: Int, _ end: Int
    ) -> KerasTensor {
      let all = KerasArgument.json(.slice(nil, nil, nil))
      return writer.one(
        .numpy("GetItem"),
        [.tensor(split), .list([all, all, all, all, .json(.slice(start, end, 1))])],
        sizes: [own[0], own[1], rule.heads, end - start])
    }
    let turning = rotated < channels ? part(&self, 0, rotated) : split
    let pairs = (0..<rotated).map { rule.partner(of: $0, rotated: rotated) }
    let partner = one(
      .numpy("Take"), [.tensor(turning), integers(pairs.map(\.channel))],
      [("axis", .integer(4))], sizes: turning.sizes)
    let signed = one(
      .numpy("Multiply"),
      [.tensor(partner), numbers(pairs.map { Float($0.sign) }, sizes: [rotated])],
      sizes: turning.sizes)
    var products: [KerasTensor] = []
    for (operand, x) in zip(call.inputs[1...2], [turning, signed]) {
      let table = [factors[0], factors[1], 1, rotated]
      let factor: KerasArgument =
        isConstant(operand)
        ? try constant(operand, sizes: table) : .tensor(try tensor(operand, sizes: table))
      products.append(one(.numpy("Multiply"), [.tensor(x), factor], sizes: turning.sizes))
    }
    var result = pair("Add", products[0], products[1])
    if rotated < channels {
      result = one(
        .layer("Concatenate"), [.list([.tensor(result), .tensor(part(&self, rotated, channels))])],
        [("axis", .integer(-1))], sizes: split.sizes)
    }
    set(call.output, to: reshaped(result, to: own, named: isResult(call.output)))
  }
}
