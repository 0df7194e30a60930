import CForgeKernels
import Testing

/// Decision trees against walks in Swift, on every level, for numbers of rows around the tile.
@Suite struct TreeTests {
  private struct Tree {
    var nodes: [forge_tree_node] = []
    var roots: [Int32] = []
    var starts: [Int32] = [0]
    var targets: [Int32] = []
    var weights: [Float] = []
  }

  private static func bits(_ nan: Bool, _ question: forge_tree_question) -> Int32 {
    ((nan ? 1 : 0) | Int32(question.rawValue) << 1) << Int32(FORGE_TREE_FEATURE_BITS)
  }

  private static func forest(
    _ count: Int, columns: Int, targets: Int, isSingle: Bool, questions: forge_tree_questions,
    _ random: inout SeededGenerator
  ) -> Tree {
    var tree = Tree()
    func grow(_ depth: Int) -> Int32 {
      let own = Int32(tree.nodes.count)
      if depth == 0 || random.next() % 5 == 0 {
        let number = UInt32(tree.starts.count - 1)
        for _ in 0..<(isSingle ? 1 : Int(random.next() % 3)) {
          tree.targets.append(Int32(random.next() % UInt64(targets)))
          tree.weights.append(random.values(1)[0])
        }
        tree.starts.append(Int32(tree.weights.count))
        let value = isSingle ? tree.weights[tree.weights.count - 1] : Float(bitPattern: number)
        tree.nodes.append(forge_tree_node(feature: 0, threshold: value, children: (own, own)))
        return own
      }
      let kind: forge_tree_question =
        switch questions {
        case FORGE_TREES_LESS_OR_EQUAL, FORGE_TREES_LESS_OR_EQUAL_OR_NAN: FORGE_TREE_LESS_OR_EQUAL
        case FORGE_TREES_LESS, FORGE_TREES_LESS_OR_NAN: FORGE_TREE_LESS
        default: forge_tree_question(rawValue: UInt32(random.next() % 3))
        }
      let plain = questions == FORGE_TREES_LESS_OR_EQUAL || questions == FORGE_TREES_LESS
      let feature = Int32(random.next() % UInt64(columns))
      tree.nodes.append(forge_tree_node())
      let threshold = Float(random.next() % 5) - 2
      let (yes, no) = (grow(depth - 1), grow(depth - 1))
      tree.nodes[Int(own)] = forge_tree_node(
        feature: feature | bits(!plain && random.next() % 2 == 0, kind), threshold: threshold,
        children: (yes, no))
      return own
    }
    for _ in 0..<count { tree.roots.append(grow(6)) }
    return tree
  }

  private static func leaf(_ tree: Tree, _ root: Int32, _ row: ArraySlice<Float>) -> Int {
    let width = Int32(FORGE_TREE_FEATURE_BITS)
    var at = Int(root)
    while tree.nodes[at].children.0 != Int32(at) {
      let node = tree.nodes[at]
      let x = row[row.startIndex + Int(node.feature & (1 << width - 1))]
      let holds =
        switch forge_tree_question(rawValue: UInt32(node.feature >> (width + 1))) {
        case FORGE_TREE_LESS_OR_EQUAL: x <= node.threshold
        case FORGE_TREE_LESS: x < node.threshold
        default: x == node.threshold
        }
      at = Int(
        holds || x.isNaN && node.feature >> width & 1 == 1 ? node.children.0 : node.children.1)
    }
    return at
  }

  @Test(arguments: 0..<5)
  func forests(questions: UInt32) {
    var random = SeededGenerator(seed: 71 + UInt64(questions))
    let kind = forge_tree_questions(rawValue: questions)
    for (rows, columns, trees, targets, isSingle) in [
      (1, 3, 1, 1, true), (1, 5, 19, 1, true), (7, 1, 8, 3, false), (8, 4, 9, 1, false),
      (63, 3, 5, 2, false), (64, 2, 3, 1, true), (131, 7, 23, 4, false),
    ] {
      for aggregate in [
        FORGE_TREES_SUM, FORGE_TREES_AVERAGE, FORGE_TREES_MINIMUM, FORGE_TREES_MAXIMUM,
      ] {
        let forest = Self.forest(
          trees, columns: columns, targets: targets, isSingle: isSingle, questions: kind, &random)
        let numbers = (0..<(rows * columns)).map { _ -> Float in
          random.next() % 11 == 0 ? .nan : Float(random.next() % 9) / 2 - 2
        }
        let base = random.values(targets)
        var wanted: [Float] = []
        for row in 0..<rows {
          var scores = [Double?](repeating: nil, count: targets)
          for root in forest.roots {
            let leaf = Self.leaf(forest, root, numbers[(row * columns)..<((row + 1) * columns)])
            let node = forest.nodes[leaf]
            let votes: [(Int, Float)] =
              isSingle
              ? [(0, node.threshold)]
              : (forest.starts[
                Int(node.threshold.bitPattern)]..<forest.starts[
                  Int(node.threshold.bitPattern) + 1]).map {
                  (Int(forest.targets[Int($0)]), forest.weights[Int($0)])
                }
            for (target, weight) in votes {
              let (old, vote) = (scores[target], Double(weight))
              scores[target] =
                switch aggregate {
                case FORGE_TREES_MINIMUM: min(old ?? vote, vote)
                case FORGE_TREES_MAXIMUM: max(old ?? vote, vote)
                default: (old ?? 0) + vote
                }
            }
          }
          for (target, score) in scores.enumerated() {
            let divisor = aggregate == FORGE_TREES_AVERAGE ? Double(trees) : 1
            wanted.append(Float((score ?? 0) / divisor + Double(base[target])))
          }
        }
        for level in Level.available {
          let input = Buffer(numbers)
          let out = Buffer(count: rows * targets + 8)
          let scratch = Buffer(count: rows * targets * 2)
          forest.nodes.withUnsafeBufferPointer { nodes in
            forest.roots.withUnsafeBufferPointer { roots in
              forest.starts.withUnsafeBufferPointer { starts in
                forest.targets.withUnsafeBufferPointer { voteTargets in
                  forest.weights.withUnsafeBufferPointer { weights in
                    base.withUnsafeBufferPointer { base in
                      var arguments = forge_tree_ensemble_arguments()
                      arguments.in.base = 0
                      arguments.out.base = 1
                      arguments.out.offset = 4
                      arguments.scratch.base = 2
                      arguments.nodes = nodes.baseAddress
                      arguments.roots = roots.baseAddress
                      arguments.starts = isSingle ? nil : starts.baseAddress
                      arguments.vote_targets = isSingle ? nil : voteTargets.baseAddress
                      arguments.weights = isSingle ? nil : weights.baseAddress
                      arguments.base = base.baseAddress
                      arguments.rows = Int64(rows)
                      arguments.columns = Int64(columns)
                      arguments.trees = Int64(trees)
                      arguments.targets = Int64(targets)
                      arguments.questions = Int32(questions)
                      arguments.aggregate = Int32(aggregate.rawValue)
                      arguments.is_single = isSingle ? 1 : 0
                      let call = Call(
                        level.kernels.tree_ensemble, arguments, bases: [input, out, scratch],
                        out: out, tiles: forge_tree_ensemble_tiles)
                      expectIndependentTiles(call, "\(level), \(rows) rows")
                    }
                  }
                }
              }
            }
          }
          let around = Array(0..<4) + Array((rows * targets + 4)..<(rows * targets + 8))
          #expect(around.allSatisfy { out.bits[$0] == canary }, "around the result")
          #expect(
            Array(out.bits[4..<(rows * targets + 4)]) == wanted.map(\.bitPattern),
            "\(level), \(rows)×\(columns), \(trees) trees, \(targets) targets")
        }
      }
    }
  }
}
