/// A decision tree: questions about the features of a row, and the votes of its leaves.
///
/// The first node is the root. A row goes from question to question until it reaches a leaf, whose
/// votes count.
///
/// ```swift
/// // 2.5 where feature 3 is at most 0.75, otherwise −1.
/// let tree = DecisionTree(
///   nodes: [.question(feature: 3, .lessOrEqual, 0.75, yes: 1, no: 2), .leaf, .leaf],
///   votes: [.init(node: 1, weight: 2.5), .init(node: 2, weight: -1)])
/// ```
public struct DecisionTree: Hashable, Sendable, Encodable {
  /// A question or a leaf.
  public enum Node: Hashable, Sendable, Encodable {
    /// Goes to the node `yes` if the feature compares so with the threshold, otherwise to `no`.
    ///
    /// A feature that is NaN goes where the comparison sends it, or to `yes` if `nanIsYes`.
    case question(
      feature: Int, _ comparison: Comparison, _ threshold: Float, yes: Int, no: Int,
      nanIsYes: Bool = false)
    /// The end of a path.
    case leaf
  }

  /// The weight that a leaf gives to a target.
  public struct Vote: Hashable, Sendable, Encodable {
    /// The number of the leaf among the nodes.
    public var node: Int
    /// The target, such as a class.
    public var target: Int
    /// The weight.
    public var weight: Float

    /// Creates a vote.
    ///
    /// - Parameters:
    ///   - node: the number of the leaf among the nodes.
    ///   - target: the target, such as a class.
    ///   - weight: the weight.
    public init(node: Int, target: Int = 0, weight: Float) {
      self.node = node
      self.target = target
      self.weight = weight
    }
  }

  /// The questions and leaves, of which the first is the root.
  public var nodes: [Node]
  /// The votes of the leaves, in any order; votes of questions do not count.
  public var votes: [Vote]

  /// Creates a tree, which is checked where a layer uses it.
  ///
  /// - Parameters:
  ///   - nodes: the questions and leaves, of which the first is the root.
  ///   - votes: the votes of the leaves.
  public init(nodes: [Node], votes: [Vote]) {
    self.nodes = nodes
    self.votes = votes
  }
}

/// How the votes of several trees for a target become one number.
public enum TreeAggregate: Hashable, Sendable, Encodable {
  /// Their sum.
  case sum
  /// Their sum over the number of trees.
  case average
  /// The smallest; 0 if there is none.
  case minimum
  /// The largest; 0 if there is none.
  case maximum
}
