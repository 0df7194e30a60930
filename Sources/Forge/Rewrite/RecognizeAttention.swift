import ForgeOperations
import ForgeShapes

/// Replaces the products and the softmax that exporters write for attention by the operation, which
/// keeps no matrix of scores in memory.
///
/// Recognized is `softmax(scale · Q · Kᵀ + mask) · V`, where factors may also be at Q and K, a
/// score may be capped, keys may be hidden by a selection, and a guard against NaN may follow the
/// softmax. Reshapes and permutations that separate and join the heads are left out, and so is the
/// repetition of keys and values that several heads share.
enum RecognizeAttention: Rewrite {
  static let name = "recognizeAttention"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    let walk = AxisWalk(graph)
    var added: [Int: [OperationGraph.Node]] = [:]
    for position in graph.nodes.indices {
      guard let pattern = AttentionPattern(at: position, in: walk) else { continue }
      var builder = AttentionBuilder(pattern, in: graph)
      guard (try? builder.build()) != nil else { continue }
      graph = builder.graph
      added[pattern.last] = builder.nodes
    }
    return graph.replacePatterns(added)
  }
}

/// Makes the nodes of an attention.
private struct AttentionBuilder: PatternBuilder {
  var graph: OperationGraph
  var nodes: [OperationGraph.Node] = []
  let layers: [Int]
  private let pattern: AttentionPattern

  init(_ pattern: AttentionPattern, in graph: OperationGraph) {
    self.graph = graph
    self.pattern = pattern
    let positions = pattern.scores.nodes.union([pattern.position]).sorted()
    layers = positions.flatMap { graph.nodes[$0].layers }
  }

  /// Makes the nodes, whose last one has the output of the pattern.
  mutating func build() throws(ShapeError) {
    let output = graph.nodes[pattern.last].output
    var operands: [Value] = []
    for operand in pattern.operands { operands.append(try image(operand)) }
    let masks = try masks()
    if let mask = masks.value { operands.append(mask) }
    let rule = AttentionRule(
      heads: pattern.heads, groups: pattern.groups, scale: Float(pattern.scale),
      causalOffset: masks.causalOffset, cap: pattern.scores.cap.map { Float($0) },
      mask: masks.kind)
    try finish(try add(.attention(rule), operands), pattern.separation, as: output)
  }

  /// The value with other sizes, which is itself if it has them.
  private mutating func reshaped(_ value: Value, _ sizes: [Int]) throws(ShapeError) -> Value {
    guard graph.shape(of: value).sizes != sizes else { return value }
    if let recipe = graph.constant(value) {
      return graph.addValue(Shape(sizes: sizes), .constant(recipe))
    }
    return try add(.reshape(sizes), [value])
  }

  private mutating func image(_ operand: AxisWalk.Operand) throws(ShapeError) -> Value {
    var value = operand.value
    if let permutation = operand.permutation {
      value = try reshaped(value, permutation.sizes)
      value = try add(.permute(permutation.order), [value])
    }
    return try reshaped(value, operand.sizes)
  }

  // MARK: Masks

  private struct Masks {
    var value: Value?
    var kind: AttentionRule.Mask = .none
    var causalOffset: Int?
  }

  /// The masks as one, of which those that hide later keys are left out.
  private mutating func masks() throws(ShapeError) -> Masks {
    var result = Masks()
    var left: [(value: Value, kind: AttentionScores.Mask.Kind)] = []
    for (mask, sizes) in zip(pattern.scores.masks, pattern.maskSizes) {
      if let offset = causalOffset(mask, sizes) {
        // One that hides nothing is left out too.
        if offset < sizes[sizes.count - 1] - 1 {
          result.causalOffset = min(offset, result.causalOffset ?? offset)
        }
        continue
      }
      left.append((try reshaped(mask.value, sizes), mask.kind))
    }
    guard let first = left.first else { return result }
    if left.count == 1, first.kind == .visible || first.kind == .hidden {
      result.kind = .visible
      result.value =
        if first.kind == .visible {
          first.value
        } else if let negated = mapped(first.value, { $0 == 0 ? 1 : 0 }) {
          negated
        } else {
          try add(.unary(.logicalNot), [first.value])
        }
      return result
    }
    result.kind = .added
    for mask in left {
      let added = try self.added(mask.value, mask.kind)
      result.value =
        if let sum = result.value { try add(.binary(.add), [sum, added]) } else { added }
    }
    return result
  }

  /// A mask as numbers that are added.
  private mutating func added(
    _ value: Value, _ kind: AttentionScores.Mask.Kind
  ) throws(ShapeError) -> Value {
    let (number, isVisible): (Float, Bool)
    switch kind {
    case .added: return value
    case .visible: (number, isVisible) = (-.infinity, true)
    case .hidden: (number, isVisible) = (-.infinity, false)
    case .replaced(let by): (number, isVisible) = (by, true)
    case .hiddenReplaced(let by): (number, isVisible) = (by, false)
    }
    if let constant = mapped(value, { ($0 != 0) == isVisible ? 0 : number }) { return constant }
    let shape = Shape(sizes: [1])
    let numbers = [0, number].map { graph.addValue(shape, .constant(.literal([$0]))) }
    return try add(.select, [value] + (isVisible ? numbers : numbers.reversed()))
  }

  /// A constant whose values are those of another one under a function; `nil` for other values.
  private mutating func mapped(_ value: Value, _ function: (Float) -> Float) -> Value? {
    guard case .literal(let values) = graph.constant(value) else { return nil }
    return graph.addValue(
      graph.shape(of: value), .constant(.literal(values.map(function))))
  }

  /// Query `t` sees the keys up to `t` + this number, if a constant mask says only this.
  ///
  /// A finite number that hides keys (at most −1e30 if it is added, at most −1e9 if it replaces
  /// scores) becomes exact hiding. Beside a key that is seen, such a number leaves a weight of 0,
  /// so nothing changes for queries that see a key. By this mask alone each query sees one. A
  /// further mask may hide all keys that this one shows to a query, and only such queries change.
  /// The file then gives weight to the keys whose masked scores are highest, and some of these may
  /// be keys that this mask hides; here those always have weight 0. What is left are the keys that
  /// this mask shows, weighed by their masked scores, if the further mask has finite numbers; if it
  /// hides exactly, with −∞ or Booleans, no key is left and the result is 0.
  private func causalOffset(_ mask: AttentionScores.Mask, _ sizes: [Int]) -> Int? {
    guard case .literal(let values) = graph.constant(mask.value), let keys = sizes.last,
      values.count == Shape.product(of: sizes), keys > 0
    else { return nil }
    let queries = sizes.count > 1 ? sizes[sizes.count - 2] : 1
    func isVisible(_ value: Float) -> Bool? {
      switch mask.kind {
      case .added: value == 0 ? true : value <= -1e30 ? false : nil
      case .visible, .replaced: value != 0
      case .hidden, .hiddenReplaced: value == 0
      }
    }
    let first = values.prefix(keys).prefix { isVisible($0) == true }.count
    // One row for all queries hides nothing.
    guard first >= 1, queries > 1 || first == keys else { return nil }
    for (offset, value) in values.enumerated()
    where isVisible(value) != (offset % keys < first + offset / keys % queries) { return nil }
    return first - 1
  }
}
