import ForgeOperations

/// One rewrite of a graph: it changes how results are made and never what they mean.
///
/// A value keeps its meaning through every rewrite: it may lose the node that makes it, but no node
/// ever puts something else into it. That is what lets `keep` and `verify` name results afterwards.
protocol Rewrite: Sendable {
  /// The name under which it is reported and switched off.
  static var name: String { get }
  /// Rewrites the graph; the number of places changed.
  static func apply(to graph: inout OperationGraph, constants: ParameterStore) throws -> Int
}

/// Stage 4: the rewrites in their order.
public enum Rewrites {
  static let all: [any Rewrite.Type] = [
    DropIdentities.self, FoldConstants.self, FoldPadding.self, FoldBatchNormalization.self,
    DropReshapeBeforeDense.self, MoveCropsEarlier.self, MoveAveragePoolingLater.self,
    FuseResidual.self, FuseActivation.self,
  ]

  /// Parts of a concatenation that are written where they belong.
  static let concatenateInPlace = "concatenateInPlace"
  /// Elementwise steps that write over their input.
  static let reuseInPlace = "reuseInPlace"
  /// Convolutions that write the maximum pooling after them.
  static let fusePooling = "fusePooling"
  /// What the plan rewrites: convolutions by algorithms that can be switched off, and the others.
  static let ofPlan =
    ConvolutionAlgorithms.rewriteNames + [fusePooling, concatenateInPlace, reuseInPlace]

  /// The names of all rewrites, for ``CompileOptions/disabledRewrites``.
  public static let names: [String] = all.map { $0.name } + ofPlan

  /// What was rewritten: the name and the number of places.
  typealias Count = (name: String, places: Int)

  /// Applies every rewrite that is not disabled, then removes what nothing needs any more.
  static func apply(
    to graph: inout OperationGraph, constants: ParameterStore, disabled: Set<String>
  ) throws -> [Count] {
    var counts: [Count] = []
    for rewrite in all where !disabled.contains(rewrite.name) {
      counts.append((rewrite.name, try rewrite.apply(to: &graph, constants: constants)))
    }
    graph.removeUnusedNodes()
    return counts
  }
}
