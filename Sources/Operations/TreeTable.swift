import ForgeShapes

/// Checked decision trees in flat arrays, as kernels read them.
///
/// Nodes have numbers of their own, in the order in which a walk from the root meets them, `yes`
/// before `no`. A leaf is a node whose children are itself, so that a walk needs no test for the
/// end. Only three comparisons are left: the others are these with the children swapped.
package struct TreeTable: Sendable {
  /// A question or a leaf.
  package struct Node: Sendable {
    /// The number of the feature, and flags from bit ``TreeTable/featureBits`` on: whether NaN is
    /// yes, then two bits of ``TreeTable/Question``; 0 for a leaf.
    package var feature: Int32
    /// The threshold; for a leaf the bits of its number, or its weight in a table that
    /// ``TreeTable/isSingle``.
    package var threshold: Float
    /// The numbers of the children.
    package var yes, no: Int32
  }

  /// The comparisons of a table.
  package enum Question: Int32, Sendable {
    case lessOrEqual
    case less
    case equal
  }

  /// The questions of a table, which decide the kernel's loop.
  package enum Questions: Int32, Sendable {
    case lessOrEqual
    case less
    case lessOrEqualOrNaN
    case lessOrNaN
    case mixed
  }

  /// The bits of a node's feature number.
  package static let featureBits: Int32 = 27
  /// The most nodes, votes and targets.
  package static let largest = 1 << 28

  /// All nodes.
  package private(set) var nodes: [Node] = []
  /// The number of the root of each tree.
  package private(set) var roots: [Int32] = []
  /// For each leaf its first vote, then the number of votes.
  package private(set) var starts: [Int32] = []
  /// The targets of the votes.
  package private(set) var targets: [Int32] = []
  /// The weights of the votes.
  package private(set) var weights: [Float] = []
  /// What is added to each target; none for 0.
  package private(set) var base: [Float] = []
  /// Whether there is one target, and each leaf has one vote, which its node holds.
  package private(set) var isSingle = false
  /// Which questions there are.
  package private(set) var questions = Questions.lessOrEqual
  /// The number of features that are read.
  package private(set) var featureCount = 0
  /// The longest paths of all trees together.
  package private(set) var depth = 0

  /// Checks trees and lays them out.
  ///
  /// - Throws: ``ShapeError`` of kind `invalidArgument` or `tooLarge`.
  init(
    _ trees: [DecisionTree], targets targetCount: Int, aggregate: TreeAggregate, base: [Float]
  ) throws(ShapeError) {
    try ArgumentRule.require(
      (1...Self.largest).contains(targetCount), "targets", "\(targetCount)",
      needs: "1 to \(Self.largest)")
    try ArgumentRule.require(!trees.isEmpty, "trees", "none", needs: "at least one")
    try ArgumentRule.require(
      base.isEmpty || base.count == targetCount, "base", "\(base.count) numbers",
      needs: "none or \(targetCount)")
    let count = trees.reduce(0) { $0.addingSaturated(max($1.nodes.count, $1.votes.count)) }
    guard count <= Self.largest else {
      throw ShapeError(
        .tooLarge, "the trees have too many nodes", received: "\(count)",
        needs: "at most \(Self.largest)")
    }
    self.base = base
    var walk = TreeWalk()
    for (index, tree) in trees.enumerated() {
      try append(tree, number: index, targetCount: targetCount, &walk)
    }
    starts.append(Int32(weights.count))
    questions = walk.questions
    isSingle =
      targetCount == 1 && starts.indices.dropLast().allSatisfy { starts[$0 + 1] - starts[$0] == 1 }
    if isSingle {
      for index in nodes.indices where nodes[index].yes == Int32(index) {
        nodes[index].threshold = weights[Int(nodes[index].threshold.bitPattern)]
      }
    }
  }

  /// Adds a tree.
  private mutating func append(
    _ tree: DecisionTree, number: Int, targetCount: Int, _ walk: inout TreeWalk
  ) throws(ShapeError) {
    func fail(_ what: String, _ received: String, needs: String) -> ShapeError {
      ShapeError(
        .invalidArgument, "\(what) of tree \(number) is wrong", received: received, needs: needs)
    }
    // The votes of a node are neighbors behind a counting sort.
    var places = Array(repeating: 0, count: tree.nodes.count + 1)
    for vote in tree.votes {
      guard tree.nodes.indices.contains(vote.node) else {
        throw fail("a vote", "node \(vote.node)", needs: "0 to \(tree.nodes.count - 1)")
      }
      guard (0..<targetCount).contains(vote.target) else {
        throw fail("a vote", "target \(vote.target)", needs: "0 to \(targetCount - 1)")
      }
      guard !vote.weight.isNaN else { throw fail("a vote", "NaN", needs: "a number") }
      places[vote.node + 1] += 1
    }
    for index in tree.nodes.indices { places[index + 1] += places[index] }
    var order = Array(repeating: 0, count: tree.votes.count)
    var next = places
    for (index, vote) in tree.votes.enumerated() {
      order[next[vote.node]] = index
      next[vote.node] += 1
    }
    guard !tree.nodes.isEmpty else { throw fail("the root", "no nodes", needs: "at least one") }
    let first = Int32(nodes.count)
    let found: [Int]
    switch walk.order(of: tree) {
    case .success(let nodes): found = nodes
    case .failure(let fault): throw fail(fault.what, fault.received, needs: fault.needs)
    }
    var numbers = Array(repeating: Int32(0), count: tree.nodes.count)
    for (index, node) in found.enumerated() { numbers[node] = first + Int32(index) }
    roots.append(first)
    depth = depth.addingSaturated(walk.depth)
    featureCount = max(featureCount, walk.featureCount)
    for node in found {
      switch tree.nodes[node] {
      case .question(let feature, let comparison, let threshold, let yes, let no, let nanIsYes):
        nodes.append(
          Self.node(
            feature, comparison, threshold, yes: numbers[yes], no: numbers[no], nanIsYes: nanIsYes))
      case .leaf:
        let number = numbers[node]
        nodes.append(
          Node(
            feature: 0, threshold: Float(bitPattern: UInt32(starts.count)), yes: number, no: number)
        )
        starts.append(Int32(weights.count))
        for index in order[places[node]..<places[node + 1]] {
          targets.append(Int32(tree.votes[index].target))
          weights.append(tree.votes[index].weight)
        }
      }
    }
  }

  /// A question as one of the three that are left.
  private static func node(
    _ feature: Int, _ comparison: Comparison, _ threshold: Float, yes: Int32, no: Int32,
    nanIsYes: Bool
  ) -> Node {
    let (question, isSwapped) = reduced(comparison)
    // NaN is where it was before the swap: at `yes` of `≠`, else where the flag says.
    let nan =
      switch comparison {
      case .notEqual: false
      case .greater, .greaterOrEqual: !nanIsYes
      default: nanIsYes
      }
    let flags = (nan ? 1 : 0) | question.rawValue << 1
    return Node(
      feature: Int32(feature) | flags << featureBits, threshold: threshold,
      yes: isSwapped ? no : yes, no: isSwapped ? yes : no)
  }

  /// The question that a comparison becomes, and whether its answers are swapped.
  static func reduced(_ comparison: Comparison) -> (Question, isSwapped: Bool) {
    switch comparison {
    case .lessOrEqual: (.lessOrEqual, false)
    case .greater: (.lessOrEqual, true)
    case .less: (.less, false)
    case .greaterOrEqual: (.less, true)
    case .equal: (.equal, false)
    case .notEqual: (.equal, true)
    }
  }
}
