import ForgeOperations

/// One rewrite of a graph: it changes how results are computed, never their meaning.
///
/// A value keeps its meaning through every rewrite: it may lose the node that makes it, but no node
/// ever stores another result in it. `keep` and `verify` rely on this to name results afterwards.
protocol Rewrite: Sendable {
  /// The name by which it is reported and disabled.
  static var name: String { get }
  /// Rewrites the graph and returns the number of places changed.
  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) throws -> Int
}

/// Stage 4: the rewrites in their order.
public enum Rewrites {
  static let all: [any Rewrite.Type] = [
    DropIdentities.self, FoldConstants.self, FoldPadding.self, FoldBatchNormalization.self,
    DropReshapeBeforeDense.self, MoveCropsEarlier.self, MoveAveragePoolingLater.self,
    FuseResidual.self, FuseActivation.self,
  ]

  /// The names of all rewrites, for ``CompileOptions/disabledRewrites``.
  public static let names: [String] = CompileOptions().rewriteNames

  /// The name of a rewrite and the number of places it changed.
  typealias Count = (name: String, places: Int)

  /// Applies every rewrite that is not disabled, then removes unused nodes.
  static func apply(
    to graph: inout OperationGraph, constants: any ConstantSource, disabled: Set<String>
  ) throws -> [Count] {
    var counts: [Count] = []
    for rewrite in all where !disabled.contains(rewrite.name) {
      counts.append((rewrite.name, try rewrite.apply(to: &graph, constants: constants)))
    }
    graph.removeUnusedNodes()
    return counts
  }
}
