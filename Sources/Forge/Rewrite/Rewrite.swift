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
    DropIdentities.self, FoldConstants.self, RecognizeActivations.self,
    RecognizeNormalization.self, RecognizeRotation.self, SliceProducts.self,
    RecognizeAttention.self,
    RecognizeChannelShuffle.self, JoinChannelSlices.self, FoldPadding.self, DropUnreachedTaps.self,
    RunSequencesAsImages.self, DropReshapesBack.self, FoldBatchNormalization.self,
    DropReshapeBeforeDense.self, MoveCropsEarlier.self, MoveAveragePoolingLater.self,
    FuseResidual.self, FuseActivation.self, RunPatchesAsPixels.self, MergeRearrangements.self,
    JoinProducts.self,
  ]

  /// The names of all rewrites, for ``CompileOptions/disabledRewrites``.
  public static let names: [String] = CompileOptions().rewriteNames

  /// Applies every rewrite that is not disabled, then removes unused nodes.
  static func apply(
    to graph: inout OperationGraph, constants: any ConstantSource, disabled: Set<String>
  ) throws -> [CompileReport.RewriteCount] {
    let counts = try all.filter { !disabled.contains($0.name) }.map { rewrite in
      CompileReport.RewriteCount(
        name: rewrite.name, places: try rewrite.apply(to: &graph, constants: constants))
    }
    graph.removeUnusedNodes()
    return counts
  }
}
