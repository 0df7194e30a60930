import Forge
import ForgeOperations
import ForgeShapes

/// Attention, and the rotation of its queries and keys.
extension ONNXGraphWriter {
  mutating func attention(_ call: ONNXOperation, _ rule: AttentionRule) throws(ExportRefusal) {
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
      [0, 1] + heads.indices.map { $0 + 3 } + last.map { $0 == 0 ? 2 : heads.count + 3 }
    }
    let turned = try zip(
      call.inputs,
      [
        ([rows, queries] + heads + [channels], order([0, 1])),
        ([rows, keys] + keyHeads + [channels], order([1, 0])),
        ([rows, keys] + keyHeads + [valueChannels], order([0, 1])),
      ]
    ).map { input, form throws(ExportRefusal) in
      let split = add("Reshape", [try name(of: input, in: .plain), integers([0] + form.0)])
      return add("Transpose", [split], ("perm", .ints(form.1)))
    }
    let scale = rule.scale ?? Float(1 / Double(channels).squareRoot())
    var scores = add("Mul", [add("MatMul", [turned[0], turned[1]]), number(scale)])
    if let cap = rule.cap {
      scores = add(
        "Mul", [add("Tanh", [add("Div", [scores, number(cap)])]), number(cap)])
    }
    if let offset = rule.causalOffset {
      let hidden = (0..<queries).flatMap { t in
        (0..<keys).map { $0 > t.addingSaturated(offset) ? -Float.infinity : 0 }
      }
      scores = add(
        "Add", [scores, numbers(hidden, sizes: [queries, keys], named: "causal")])
    }
    if rule.mask != .none {
      let mask = try attentionMask(call.inputs[3], heads: heads)
      scores =
        rule.mask == .added
        ? add("Add", [scores, mask])
        : add("Where", [isTrue(mask), scores, number(-.infinity)])
    }
    var weights = add("Softmax", [scores], ("axis", .int(-1)))
    if rule.mask != .none || rule.causalOffset != nil {
      // A query that sees no key has the result 0.
      let largest = add("ReduceMax", [scores, integers([-1])], ("keepdims", .int(1)))
      let isBlind = add("Equal", [largest, number(-.infinity)])
      weights = add("Where", [isBlind, number(0), weights])
    }
    let sums = add("MatMul", [weights, turned[2]])
    let back = [0, 1, heads.count + 2] + heads.indices.map { $0 + 2 } + [heads.count + 3]
    let together = add("Transpose", [sums], ("perm", .ints(back)))
    let result = add(
      "Reshape", [together, integers([0, rows, queries, rule.heads * valueChannels])],
      named: name(for: call.output))
    set(call.output, .plain, result, isBatched: try isBatched(call.inputs))
  }

  /// A mask, repeated along [rows][heads][queries][keys], with the heads in as many axes as the
  /// scores have.
  private mutating func attentionMask(
    _ mask: OperationGraph.Value, heads: [Int]
  ) throws(ExportRefusal) -> String {
    let maskSizes = sizes(mask)
    let full = Array(repeating: 1, count: max(4 - maskSizes.count, 0)) + maskSizes
    let count = full[1]
    let split = count == 1 ? heads.map { _ in 1 } : heads
    let target = [0, full[0]] + split + [full[2], full[3]]
    let plain = try name(of: mask, in: .plain)
    return add("Reshape", [plain, integers(target)])
  }

  mutating func rotate(_ call: ONNXOperation, _ rule: RotationRule) throws(ExportRefusal) {
    guard !rule.hasPosition else {
      throw ExportRefusal(what: "rotations from a position that is kept between predictions")
    }
    let (inputSizes, factors) = (sizes(call.inputs[0]), sizes(call.inputs[1]))
    let channels = inputSizes[2] / rule.heads
    let rotated = factors[2]
    let x = try name(of: call.inputs[0], in: .plain)
    let split = add(
      "Reshape", [x, integers([0, inputSizes[0], inputSizes[1], rule.heads, channels])])
    var turning = split
    if rotated < channels {
      turning = add("Slice", [split, integers([0]), integers([rotated]), integers([-1])])
    }
    let pairs = (0..<rotated).map { rule.partner(of: $0, rotated: rotated) }
    let partner = add(
      "Gather", [turning, integers(pairs.map(\.channel))], ("axis", .int(-1)))
    let signs = numbers(pairs.map { Float($0.sign) }, sizes: [rotated], named: "signs")
    var tables: [String] = []
    for input in call.inputs[1...2] {
      let table = try name(of: input, in: .plain)
      tables.append(
        add("Reshape", [table, integers([0, factors[0], factors[1], 1, rotated])]))
    }
    let sines = add("Mul", [tables[1], signs])
    var result = add(
      "Add", [add("Mul", [turning, tables[0]]), add("Mul", [partner, sines])])
    if rotated < channels {
      let rest = add(
        "Slice", [split, integers([rotated]), integers([channels]), integers([-1])])
      result = add("Concat", [result, rest], ("axis", .int(-1)))
    }
    let joined = add(
      "Reshape", [result, integers([0] + inputSizes)], named: name(for: call.output))
    set(call.output, .plain, joined, isBatched: try isBatched(call.inputs))
  }
}
