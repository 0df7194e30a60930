import Forge

/// Reads the trees of a node from its lists of nodes and votes.
struct ONNXTreeReader {
  private let call: ONNXCall
  /// What the attributes of votes begin with: `target` or `class`.
  private let votes: String

  init(_ call: ONNXCall, votes: String) {
    self.call = call
    self.votes = votes
  }

  /// Numbers of an attribute, or of the tensor that files of double precision have in its place.
  func numbers(_ name: String) -> [Float] { call.node.floats(name) ?? [] }

  /// The base values, as many as targets; none for 0.
  func base(_ targets: Int) throws -> [Float] {
    let base = numbers("base_values")
    guard base.isEmpty || base.count == targets else {
      throw NodeFailure.unsupported("\(base.count) base values for \(targets) targets")
    }
    return base
  }

  /// Refuses what only files of double precision have.
  private func refuseDoubles() throws {
    for name in ["nodes_values", "base_values", "\(votes)_weights"]
    where call.node.has(name + "_as_tensor") {
      throw NodeFailure.unsupported("\(name)_as_tensor")
    }
  }

  private func list(_ name: String, count: Int) throws -> [Int] {
    let list = call.node.ints(name) ?? []
    guard list.count == count else {
      throw NodeFailure.invalid("\(list.count) \(name) for \(count)")
    }
    return list
  }

  /// The trees of `TreeEnsembleRegressor` and `TreeEnsembleClassifier`.
  ///
  /// - Parameter targets: the number of targets or classes.
  /// - Returns: the trees with their votes.
  /// - Throws: ``NodeFailure``.
  func trees(targets: Int) throws -> [DecisionTree] {
    try refuseDoubles()
    let modes = call.node.strings("nodes_modes") ?? []
    let count = modes.count
    guard count > 0 else { throw NodeFailure.invalid("no nodes") }
    guard targets >= 1 else { throw NodeFailure.invalid("\(targets) targets") }
    try ImportBudget.keep(count, width: MemoryLayout<DecisionTree.Node>.stride)
    let treeIDs = try list("nodes_treeids", count: count)
    let nodeIDs = try list("nodes_nodeids", count: count)
    let features = try list("nodes_featureids", count: count)
    let yes = try list("nodes_truenodeids", count: count)
    let no = try list("nodes_falsenodeids", count: count)
    let thresholds = numbers("nodes_values")
    guard thresholds.count == count else {
      throw NodeFailure.invalid("\(thresholds.count) nodes_values for \(count)")
    }
    let nan = call.node.ints("nodes_missing_value_tracks_true") ?? []
    guard nan.isEmpty || nan.count == count else {
      throw NodeFailure.invalid("\(nan.count) nodes_missing_value_tracks_true for \(count)")
    }
    // The nodes of a tree are neighbors, of which the first is the root.
    var trees: [DecisionTree] = []
    var numbers: [Int: Int] = [:]
    var places: [[Int: Int]] = []
    var start = 0
    while start < count {
      let id = treeIDs[start]
      var end = start
      var place: [Int: Int] = [:]
      while end < count, treeIDs[end] == id {
        guard place.updateValue(end - start, forKey: nodeIDs[end]) == nil else {
          throw NodeFailure.invalid("two nodes \(nodeIDs[end]) of tree \(id)")
        }
        end += 1
      }
      guard numbers.updateValue(trees.count, forKey: id) == nil else {
        throw NodeFailure.unsupported("a tree whose nodes are not connected")
      }
      var nodes: [DecisionTree.Node] = []
      nodes.reserveCapacity(end - start)
      for index in start..<end {
        guard let comparison = try Self.comparison(modes[index]) else {
          nodes.append(.leaf)
          continue
        }
        guard let yes = place[yes[index]], let no = place[no[index]] else {
          throw NodeFailure.invalid("node \(nodeIDs[index]) of tree \(id) has no child")
        }
        nodes.append(
          .question(
            feature: features[index], comparison, thresholds[index], yes: yes, no: no,
            nanIsYes: !nan.isEmpty && nan[index] != 0))
      }
      trees.append(DecisionTree(nodes: nodes, votes: []))
      places.append(place)
      start = end
    }
    try addVotes(to: &trees, numbers, places)
    try checkLeaves(trees, thresholds)
    return trees
  }

  /// Adds the votes to their trees.
  private func addVotes(
    to trees: inout [DecisionTree], _ numbers: [Int: Int], _ places: [[Int: Int]]
  ) throws {
    let weights = self.numbers("\(votes)_weights")
    let treeIDs = try list("\(votes)_treeids", count: weights.count)
    let nodeIDs = try list("\(votes)_nodeids", count: weights.count)
    let targets = try list("\(votes)_ids", count: weights.count)
    try ImportBudget.keep(weights.count, width: MemoryLayout<DecisionTree.Vote>.stride)
    for index in weights.indices {
      guard let tree = numbers[treeIDs[index]], let node = places[tree][nodeIDs[index]] else {
        throw NodeFailure.invalid(
          "a vote of node \(nodeIDs[index]) of tree \(treeIDs[index]), which does not exist")
      }
      trees[tree].votes.append(
        .init(node: node, target: targets[index], weight: weights[index]))
    }
  }

  /// Refuses leaves without a vote but with a value, which runtimes count or do not count.
  private func checkLeaves(_ trees: [DecisionTree], _ thresholds: [Float]) throws {
    var start = 0
    for tree in trees {
      var hasVote = Array(repeating: false, count: tree.nodes.count)
      for vote in tree.votes { hasVote[vote.node] = true }
      for (index, node) in tree.nodes.enumerated()
      where node == .leaf && !hasVote[index] && thresholds[start + index] != 0 {
        throw NodeFailure.unsupported("a leaf with a value and without a weight")
      }
      start += tree.nodes.count
    }
  }

  /// The comparison of a mode; `nil` for a leaf.
  private static func comparison(_ mode: String) throws -> Comparison? {
    switch mode {
    case "BRANCH_LEQ": .lessOrEqual
    case "BRANCH_LT": .less
    case "BRANCH_GTE": .greaterOrEqual
    case "BRANCH_GT": .greater
    case "BRANCH_EQ": .equal
    case "BRANCH_NEQ": .notEqual
    case "LEAF": nil
    default: throw NodeFailure.unsupported("mode \(mode)")
    }
  }

  /// The targets for which every row has a vote: those that all leaves of a tree vote for.
  static func targetsWithVotes(_ trees: [DecisionTree], count: Int) -> Set<Int> {
    var sure: Set<Int> = []
    for tree in trees {
      // A leaf counts once for a target.
      var last: [Int: Int] = [:]
      var votes: [Int: Int] = [:]
      for vote in tree.votes.sorted(by: { $0.node < $1.node })
      where tree.nodes[vote.node] == .leaf
        && last.updateValue(vote.node, forKey: vote.target) != vote.node
      {
        votes[vote.target, default: 0] += 1
      }
      let leaves = tree.nodes.count { $0 == .leaf }
      sure.formUnion(votes.filter { $1 == leaves }.keys)
    }
    return sure
  }
}

extension ONNXTreeReader {
  /// The trees of `TreeEnsemble`, whose leaves are a list of their own.
  ///
  /// - Parameter targets: the number of targets.
  /// - Returns: the trees, and the type of their thresholds.
  /// - Throws: ``NodeFailure``, and what reading the file throws.
  func ensemble(targets: Int) throws -> ([DecisionTree], ElementType) {
    guard targets >= 1 else { throw NodeFailure.invalid("\(targets) targets") }
    if call.node.has("membership_values") { throw NodeFailure.unsupported("membership_values") }
    guard let splits = try call.stored("nodes_splits"), let modes = try call.stored("nodes_modes"),
      let weights = try call.stored("leaf_weights")
    else { throw NodeFailure.invalid("no nodes_splits, nodes_modes or leaf_weights") }
    let count = modes.count
    let thresholds = try splits.floats()
    let kinds = try modes.integers()
    let leafWeights = try weights.floats()
    guard thresholds.count == count, weights.type == splits.type else {
      throw NodeFailure.invalid("\(thresholds.count) nodes_splits for \(count) nodes_modes")
    }
    let features = try list("nodes_featureids", count: count)
    let yes = try list("nodes_truenodeids", count: count)
    let no = try list("nodes_falsenodeids", count: count)
    let yesIsLeaf = try list("nodes_trueleafs", count: count)
    let noIsLeaf = try list("nodes_falseleafs", count: count)
    let leafTargets = try list("leaf_targetids", count: leafWeights.count)
    let nan = call.node.ints("nodes_missing_value_tracks_true") ?? []
    guard nan.isEmpty || nan.count == count else {
      throw NodeFailure.invalid("\(nan.count) nodes_missing_value_tracks_true for \(count)")
    }
    let names: [Comparison] = [
      .lessOrEqual, .less, .greaterOrEqual, .greater, .equal, .notEqual,
    ]
    var trees: [DecisionTree] = []
    // Trees may share nodes; what they hold together is bounded by the import's memory.
    for root in call.node.ints("tree_roots") ?? [] {
      // Numbers in the tree: nodes first come, first served; leaves are copied where they are read.
      var numbers: [Int: Int] = [:]
      var order: [Int] = []
      var nodes: [DecisionTree.Node] = []
      var votes: [DecisionTree.Vote] = []
      func number(_ node: Int) throws -> Int {
        guard (0..<count).contains(node) else {
          throw NodeFailure.invalid("node \(node) of \(count)")
        }
        if let known = numbers[node] { return known }
        numbers[node] = nodes.count
        order.append(node)
        nodes.append(.leaf)
        return nodes.count - 1
      }
      func leaf(_ leaf: Int) throws -> Int {
        guard leafWeights.indices.contains(leaf) else {
          throw NodeFailure.invalid("leaf \(leaf) of \(leafWeights.count)")
        }
        votes.append(
          .init(node: nodes.count, target: leafTargets[leaf], weight: leafWeights[leaf]))
        nodes.append(.leaf)
        return nodes.count - 1
      }
      _ = try number(root)
      var next = 0
      while next < order.count {
        let node = order[next]
        next += 1
        guard kinds[node] >= 0,
          let comparison = names.dropFirst(Int(clamping: kinds[node])).first
        else {
          throw NodeFailure.unsupported("nodes_modes \(kinds[node])")
        }
        let yes = yesIsLeaf[node] != 0 ? try leaf(yes[node]) : try number(yes[node])
        let no = noIsLeaf[node] != 0 ? try leaf(no[node]) : try number(no[node])
        nodes[numbers[node] ?? 0] = .question(
          feature: features[node], comparison, thresholds[node], yes: yes, no: no,
          nanIsYes: !nan.isEmpty && nan[node] != 0)
      }
      try ImportBudget.keep(nodes.count, width: MemoryLayout<DecisionTree.Node>.stride)
      trees.append(DecisionTree(nodes: nodes, votes: votes))
    }
    return (trees, splits.type)
  }
}
