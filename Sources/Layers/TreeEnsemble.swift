import ForgeOperations
import ForgeShapes

/// Decision trees that vote: a random forest, boosted trees, or one tree.
///
/// `y(…, t) = base(t) + Σ w`, where the sum is over the votes for the target t of the leaves that
/// the row of features reaches; an average, or the smallest or largest vote instead of the sum.
/// Votes are added in double precision in the order of the trees, and rounded once.
///
/// - Input shape: any; the last axis holds the features of a row.
/// - Output shape: the same with `targets` numbers in place of the features.
/// - Parameters: none; the trees are part of the layer.
/// - Errors: `invalidArgument` for trees with a child, a feature, a target or a vote that does not
///   exist, with a cycle, or with a NaN, and for a base of another length; `shapeMismatch` for
///   fewer features than the trees read; `unknownSize` for an unknown number of features;
///   `tooLarge` for more than 2²⁸ nodes.
/// - Names elsewhere: ONNX TreeEnsemble, TreeEnsembleRegressor and TreeEnsembleClassifier;
///   scikit-learn's forests and gradient boosting, LightGBM, XGBoost.
///
/// ```swift
/// let tree = DecisionTree(
///   nodes: [.question(feature: 2, .lessOrEqual, 0.75, yes: 1, no: 2), .leaf, .leaf],
///   votes: [.init(node: 1, weight: 2.5), .init(node: 2, weight: -1)])
/// let price = Input(shape: [3]) --> TreeEnsemble([tree])  // [1]
/// ```
public struct TreeEnsemble: PrimitiveLayer {
  /// `Trees` for short.
  public static var summaryName: String { "Trees" }
  package let label: LayerLabel
  private let rule: TreeEnsembleRule
  /// The trees.
  public var trees: [DecisionTree] { rule.trees }
  /// The number of targets, such as classes.
  public var targets: Int { rule.targets }
  /// How the votes for a target are combined.
  public var aggregate: TreeAggregate { rule.aggregate }
  /// A number for each target that is added; none for 0.
  public var base: [Float] { rule.base }
  package var primitive: Primitive { .treeEnsemble(rule) }

  /// Creates a tree ensemble.
  ///
  /// - Parameters:
  ///   - trees: the trees.
  ///   - targets: the number of targets, such as classes.
  ///   - aggregate: how the votes for a target are combined.
  ///   - base: a number for each target that is added; none for 0.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ trees: [DecisionTree], targets: Int = 1, aggregate: TreeAggregate = .sum, base: [Float] = [],
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    rule = TreeEnsembleRule(trees: trees, targets: targets, aggregate: aggregate, base: base)
    label = LayerLabel(name, fileID, line, column)
  }
}
