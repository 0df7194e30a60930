import ForgeOperations
import ForgeShapes

/// Attention in the arithmetic of a graph.
struct AttentionPattern {
  typealias Value = OperationGraph.Value

  /// The factors and masks of the scores.
  private(set) var scores: AttentionScores
  /// The product of weights and values, as a position.
  private(set) var position: Int
  /// The last node of the pattern, as a position; its output is that of the attention.
  private(set) var last = 0
  /// How the image becomes the last output; `nil` if its elements have the same order.
  private(set) var separation: AxisWalk.Permutation?
  /// The rows of the images, the heads of queries, and those of keys and values.
  private(set) var rows = 1
  private(set) var heads = 1
  private(set) var groups = 1
  /// Queries, keys and values.
  private(set) var operands: [AxisWalk.Operand] = []
  /// The sizes of each mask as one of an image.
  private(set) var maskSizes: [[Int]] = []
  /// The factor of the products of queries and keys.
  private(set) var scale = 1.0

  /// The attention whose last product is at a position; `nil` if there is none.
  init?(at position: Int, in walk: AxisWalk) {
    let graph = walk.graph
    guard case .matrixProduct = graph.nodes[position].primitive, graph.isBare(position),
      let scores = AttentionScores(
        softmax: graph.nodes[position].inputs[0], in: graph, walk.index)
    else { return nil }
    self.scores = scores
    self.position = position
    let factors = graph.nodes[scores.product].inputs
    guard let q = graph.shape(of: factors[0]).sizes, let k = graph.shape(of: factors[1]).sizes,
      let w = graph.shape(of: graph.nodes[position].inputs[0]).sizes,
      let v = graph.shape(of: graph.nodes[position].inputs[1]).sizes,
      q.count == k.count, q.dropLast(2) == k.dropLast(2), w.dropLast(2) == v.dropLast(2),
      let count = Shape.product(of: Array(q.dropLast(2))),
      count == Shape.product(of: Array(v.dropLast(2)))
    else { return nil }
    // The parts of the batch, as the separation of the heads splits them.
    let outer = Array(q.dropLast(2))
    let axes = MovedAxes(
      outer.map { _ in .batch } + [.position, .channel], sizes: q)
    let batch = walk.back(from: factors[0], axes, passes: [.factors]) { _ in }
      .parts(of: .batch).map(\.size)
    let candidates = (0...batch.count).compactMap { rows in
      filled(rows: rows, batch, in: walk)
    }
    // Of splits that save equally many permutations, the one with the fewest rows wins: it comes
    // first.
    guard var best = candidates.first else { return nil }
    for candidate in candidates where candidate.saved > best.saved { best = candidate }
    self = best.pattern
  }

  /// The pattern whose images have the first parts of the batch as rows, the others as heads, and
  /// how many permutations it saves.
  private func filled(
    rows count: Int, _ batch: [Int], in walk: AxisWalk
  ) -> (pattern: AttentionPattern, saved: Int)? {
    let graph = walk.graph
    var result = self
    result.rows = batch[..<count].reduce(1, *)
    result.heads = batch[count...].reduce(1, *)
    for mask in scores.masks {
      guard let sizes = result.sizes(of: mask, in: graph) else { return nil }
      result.maskSizes.append(sizes)
    }
    let ends = graph.nodes[scores.product].inputs + [graph.nodes[position].inputs[1]]
    func operand(_ index: Int, sharesHeads: Bool) -> AxisWalk.Operand? {
      var passes: Set<AxisWalk.Pass> = index < 2 ? [.factors] : []
      if sharesHeads { passes.insert(.broadcasts) }
      return walk.operand(
        ends[index], batch, rows: count,
        index == 1 ? [.channel, .position] : [.position, .channel],
        passes: passes)
    }
    var operands = (0..<3).compactMap { operand($0, sharesHeads: $0 > 0) }
    if operands.count == 3, operands[1].sharing != operands[2].sharing {
      operands = (0..<3).compactMap { operand($0, sharesHeads: false) }
    }
    guard operands.count == 3,
      let end = walk.result(of: position, batch, rows: count)
    else { return nil }
    (result.last, result.separation) = (end.position, end.separation)
    result.operands = operands
    result.groups = result.heads / operands[1].sharing
    result.scale = operands.reduce(scores.factor * (scores.cap ?? 1)) { $0 * $1.factor }
    guard Float(result.scale).isFinite else { return nil }
    return (result, operands.reduce(end.saved) { $0 + $1.saved })
  }

  /// The sizes of a mask whose outer axes are rows and heads; `nil` if it repeats along a part of
  /// one of them.
  private func sizes(of mask: AttentionScores.Mask, in graph: OperationGraph) -> [Int]? {
    guard let maskSizes = graph.shape(of: mask.value).sizes else { return nil }
    guard maskSizes.count > 2 else { return maskSizes }
    let outer =
      Array(repeating: 1, count: mask.outer.count + 2 - maskSizes.count) + maskSizes.dropLast(2)
    for count in 0...outer.count
    where mask.outer[..<count].reduce(1, *) == rows && mask.outer[count...].reduce(1, *) == heads {
      let sizes = [outer[..<count].reduce(1, *), outer[count...].reduce(1, *)]
      guard zip(sizes, [rows, heads]).allSatisfy({ $0 == 1 || $0 == $1 }) else { return nil }
      return sizes + maskSizes.suffix(2)
    }
    return nil
  }
}
