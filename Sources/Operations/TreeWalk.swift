import ForgeShapes

/// Walks over trees that are not checked yet, without recursion.
struct TreeWalk {
  /// What is wrong with a tree.
  struct Fault: Error {
    let what, received, needs: String
  }

  /// The number of questions on the longest path of the last tree.
  private(set) var depth = 0
  /// The number of features that the last tree reads.
  private(set) var featureCount = 0
  /// The questions of all trees so far.
  private var kinds: Set<TreeTable.Question> = []
  /// Whether NaN answers a question with yes, after its answers are swapped.
  private var hasNaN = false

  /// Which questions all trees have.
  var questions: TreeTable.Questions {
    guard kinds.count <= 1 else { return .mixed }
    switch kinds.first {
    case .lessOrEqual?, nil: return hasNaN ? .lessOrEqualOrNaN : .lessOrEqual
    case .less?: return hasNaN ? .lessOrNaN : .less
    case .equal?: return .mixed
    }
  }

  /// The nodes that can be reached, each once, in the order in which a walk meets them.
  ///
  /// Several questions may lead to one node, but no path may come back.
  mutating func order(of tree: DecisionTree) -> Result<[Int], Fault> {
    // The longest path below a node whose children are done; −1 on the way to it, −2 before.
    var heights = Array(repeating: -2, count: tree.nodes.count)
    var order: [Int] = []
    var path = [0]
    featureCount = 0
    while let node = path.last {
      guard heights[node] < 0 else {
        path.removeLast()
        continue
      }
      guard
        case .question(let feature, let comparison, let threshold, let yes, let no, let nan) =
          tree.nodes[node]
      else {
        heights[node] = 0
        order.append(node)
        path.removeLast()
        continue
      }
      if heights[node] == -1 {
        heights[node] = max(heights[yes], heights[no]) + 1
        path.removeLast()
        continue
      }
      heights[node] = -1
      order.append(node)
      for child in [yes, no] where !tree.nodes.indices.contains(child) {
        return .failure(
          Fault(what: "a child", received: "\(child)", needs: "0 to \(tree.nodes.count - 1)"))
      }
      for child in [yes, no] where heights[child] == -1 {
        return .failure(
          Fault(what: "a path", received: "a cycle through node \(child)", needs: "an end"))
      }
      let features = 1 << Int(TreeTable.featureBits)
      guard (0..<features).contains(feature) else {
        return .failure(
          Fault(what: "a feature", received: "\(feature)", needs: "0 to \(features - 1)"))
      }
      guard !threshold.isNaN else {
        return .failure(Fault(what: "a threshold", received: "NaN", needs: "a number"))
      }
      featureCount = max(featureCount, feature + 1)
      let (kind, isSwapped) = TreeTable.reduced(comparison)
      kinds.insert(kind)
      // A swapped question has NaN where it would not have it otherwise.
      if kind == .equal || nan != isSwapped { hasNaN = true }
      path.append(no)
      path.append(yes)
    }
    depth = heights[0]
    return .success(order)
  }
}
