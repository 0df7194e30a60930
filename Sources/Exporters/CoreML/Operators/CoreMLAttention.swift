import Forge
import ForgeOperations
import ForgeShapes

/// Attention, and the rotation of its queries and keys.
extension CoreMLGraphWriter {
  mutating func attention(
    _ call: CoreMLOperation, _ rule: AttentionRule
  ) throws(ExportRefusal) {
    guard !rule.hasPosition else {
      throw ExportRefusal(what: "attention over tables that are kept between predictions")
    }
    let (q, k, v) = (sizes(call.inputs[0]), sizes(call.inputs[1]), sizes(call.inputs[2]))
    let (rows, queries, keys) = (q[0], q[1], k[1])
    let channels = q[2] / rule.heads
    let group = rule.heads / rule.groups
    // [rows][heads][positions][channels]; heads of a group are rows of one matrix.
    let stacked = try heads(call.inputs[0], [rows, queries, rule.heads, channels])
    let grouped = try reshaped(stacked, to: [rows, rule.groups, group * queries, channels])
    let turned = try heads(call.inputs[1], [rows, keys, rule.groups, channels])
    let values = try heads(call.inputs[2], [rows, keys, rule.groups, v[2] / rule.groups])
    let scale = rule.scale ?? Float(1 / Double(channels).squareRoot())
    var scores = try scaled(try product(grouped, turned, transposesB: true), by: scale)
    if let cap = rule.cap { scores = try activated(scores, .scaledTanh(cap, 1 / cap)) }
    scores = try reshaped(scores, to: [rows, rule.heads, queries, keys])
    if let offset = rule.causalOffset {
      let isHidden = try computed("later_than_\(offset)", sizes: [1, 1, queries, keys]) {
        (0..<queries).flatMap { t in
          (0..<keys).map { $0 > t.addingSaturated(offset) ? 1 : 0 }
        }
      }
      scores = try selected(isHidden, try number(-.infinity), scores)
    }
    if rule.mask != .none {
      let mask = try plain(call.inputs[3], rank: 4)
      if rule.mask == .added {
        scores = try combined(.add, scores, mask)
      } else {
        let isVisible = try compared(.notEqual, mask, to: 0)
        scores = try selected(isVisible, scores, try number(-.infinity))
      }
    }
    var weights = try softmax(scores, axis: 3)
    if rule.mask != .none || rule.causalOffset != nil {
      // A query that sees no key has the result 0.
      let largest = try reduced(.reduceMax, scores, axes: [3])
      let isBlind = try combined(.equal, largest, try number(-.infinity))
      weights = try selected(isBlind, try number(0), weights)
    }
    let together = try reshaped(weights, to: [rows, rule.groups, group * queries, keys])
    let sums = try reshaped(
      try product(together, values), to: [rows, rule.heads, queries, v[2] / rule.groups])
    let back = try transposed(sums, [0, 2, 1, 3])
    let result = try reshaped(
      back, to: [rows, queries, rule.heads * (v[2] / rule.groups)],
      named: name(for: call.output))
    set(call.output, .plain, result)
  }

  /// [rows][positions][heads · channels] as [rows][heads][positions][channels].
  private mutating func heads(
    _ value: OperationGraph.Value, _ split: [Int]
  ) throws(ExportRefusal) -> String {
    let x = try name(of: value, in: .plain)
    return try transposed(try reshaped(x, to: split), [0, 2, 1, 3])
  }

  mutating func rotate(_ call: CoreMLOperation, _ rule: RotationRule) throws(ExportRefusal) {
    guard !rule.hasPosition else {
      throw ExportRefusal(what: "rotations from a position that is kept between predictions")
    }
    let (inputSizes, factors) = (sizes(call.inputs[0]), sizes(call.inputs[1]))
    let channels = inputSizes[2] / rule.heads
    let rotated = factors[2]
    let x = try name(of: call.inputs[0], in: .plain)
    let split = try reshaped(x, to: [inputSizes[0], inputSizes[1], rule.heads, channels])
    let turning = try sliced(split, axis: 3, from: 0, count: rotated)
    let pairs = (0..<rotated).map { rule.partner(of: $0, rotated: rotated) }
    let partner = try gathered(turning, axis: 3, pairs.map(\.channel))
    let signs = try numbers(
      pairs.map { Float($0.sign) }, sizes: [1, 1, 1, rotated], named: "signs")
    var tables: [String] = []
    for input in call.inputs[1...2] {
      let table = try name(of: input, in: .plain)
      tables.append(try reshaped(table, to: [factors[0], factors[1], 1, rotated]))
    }
    let sines = try combined(.multiply, tables[1], signs)
    var result = try combined(
      .add, try combined(.multiply, turning, tables[0]),
      try combined(.multiply, partner, sines))
    if rotated < channels {
      let rest = try sliced(split, axis: 3, from: rotated, count: channels - rotated)
      result = try joined([result, rest], axis: 3)
    }
    set(
      call.output, .plain, try reshaped(result, to: inputSizes, named: name(for: call.output)))
  }
}
