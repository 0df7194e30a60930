import ForgeShapes

/// What a tree ensemble computes: trees, how their votes are combined, and what is added.
public struct TreeEnsembleRule: Hashable, Sendable, Encodable {
  /// The trees.
  public let trees: [DecisionTree]
  /// The number of targets.
  public let targets: Int
  /// How the votes for a target are combined.
  public let aggregate: TreeAggregate
  /// A number for each target that is added; none for 0.
  public let base: [Float]
  /// The trees as kernels read them, or what is wrong with them.
  package var table: Result<TreeTable, ShapeError> { checked.value }
  private let checked: NotKeyed<Result<TreeTable, ShapeError>>

  /// Creates a rule, which is checked where it is used.
  ///
  /// - Parameters:
  ///   - trees: the trees.
  ///   - targets: the number of targets.
  ///   - aggregate: how the votes for a target are combined.
  ///   - base: a number for each target that is added; none for 0.
  public init(
    trees: [DecisionTree], targets: Int, aggregate: TreeAggregate = .sum, base: [Float] = []
  ) {
    self.trees = trees
    self.targets = targets
    self.aggregate = aggregate
    self.base = base
    do throws(ShapeError) {
      checked = NotKeyed(
        .success(try TreeTable(trees, targets: targets, aggregate: aggregate, base: base)))
    } catch {
      checked = NotKeyed(.failure(error))
    }
  }
}

extension TreeEnsembleRule {
  /// Whether two rules compute the same; the table follows from the rest.
  public static func == (a: TreeEnsembleRule, b: TreeEnsembleRule) -> Bool {
    a.targets == b.targets && a.aggregate == b.aggregate && a.base == b.base && a.trees == b.trees
  }

  /// Hashes what a rule computes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(targets)
    hasher.combine(aggregate)
    hasher.combine(base)
    hasher.combine(trees)
  }
}
