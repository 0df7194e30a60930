import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

@Suite struct TreeEnsembleTests {
  private static let tree = DecisionTree(
    nodes: [.question(feature: 2, .lessOrEqual, 0.75, yes: 1, no: 2), .leaf, .leaf],
    votes: [.init(node: 1, weight: 2.5), .init(node: 2, weight: -1)])

  private func error(_ layer: TreeEnsemble, _ shape: Shape) -> ShapeError? {
    do throws(ShapeError) {
      _ = try layer.primitive.checkedShape(for: [shape])
      return nil
    } catch { return error }
  }

  @Test func shapes() throws {
    let layer = TreeEnsemble([Self.tree], targets: 4)
    for (input, output) in [([3], [4]), ([7, 3], [7, 4]), ([2, 5, 9], [2, 5, 4])] {
      #expect(try layer.primitive.checkedShape(for: [Shape(sizes: input)]) == Shape(sizes: output))
    }
    #expect(TreeEnsemble.summaryName == "Trees")
    #expect(layer.trees == [Self.tree] && layer.aggregate == .sum && layer.base == [])
  }

  @Test func mistakes() {
    let rows = Shape(sizes: [7, 3])
    #expect(error(TreeEnsemble([Self.tree]), Shape(sizes: [7, 2]))?.kind == .shapeMismatch)
    #expect(error(TreeEnsemble([Self.tree]), Shape([7, nil]))?.kind == .unknownSize)
    #expect(error(TreeEnsemble([]), rows)?.kind == .invalidArgument)
    #expect(error(TreeEnsemble([Self.tree], targets: 0), rows)?.kind == .invalidArgument)
    #expect(error(TreeEnsemble([Self.tree], base: [1, 2]), rows)?.kind == .invalidArgument)
    let wrong: [(DecisionTree, String)] = [
      (DecisionTree(nodes: [], votes: []), "the root of tree 0 is wrong"),
      (
        DecisionTree(nodes: [.question(feature: 0, .less, 0, yes: 0, no: 0)], votes: []),
        "a path of tree 0 is wrong"
      ),
      (
        DecisionTree(nodes: [.question(feature: 0, .less, 0, yes: 1, no: 2), .leaf], votes: []),
        "a child of tree 0 is wrong"
      ),
      (
        DecisionTree(nodes: [.question(feature: -1, .less, 0, yes: 1, no: 1), .leaf], votes: []),
        "a feature of tree 0 is wrong"
      ),
      (
        DecisionTree(nodes: [.question(feature: 0, .less, .nan, yes: 1, no: 1), .leaf], votes: []),
        "a threshold of tree 0 is wrong"
      ),
      (
        DecisionTree(nodes: [.leaf], votes: [.init(node: 1, weight: 1)]),
        "a vote of tree 0 is wrong"
      ),
      (
        DecisionTree(nodes: [.leaf], votes: [.init(node: 0, target: 1, weight: 1)]),
        "a vote of tree 0 is wrong"
      ),
      (
        DecisionTree(nodes: [.leaf], votes: [.init(node: 0, weight: .nan)]),
        "a vote of tree 0 is wrong"
      ),
    ]
    for (tree, text) in wrong {
      let found = error(TreeEnsemble([tree]), rows)
      #expect(found?.kind == .invalidArgument && found?.headline == text, "\(text)")
    }
  }
}
