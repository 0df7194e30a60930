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
  static let all = onNumbers + onIntegers

  /// Those before a ``QuantizationTable`` is applied.
  static let onNumbers: [any Rewrite.Type] = [
    DropIdentities.self, FoldConstants.self, RecognizeQuantization.self, RunDynamicProducts.self,
    RecognizeActivations.self, RecognizeNormalization.self, RecognizeRotation.self,
    SliceProducts.self, RecognizeAttention.self, RecognizeChannelShuffle.self,
    JoinChannelSlices.self, FoldPadding.self, DropUnreachedTaps.self, RunSequencesAsImages.self,
    DropReshapesBack.self, FoldBatchNormalization.self, DropReshapeBeforeDense.self,
    SliceEarlier.self,
  ]

  /// Those afterwards.
  static let onIntegers: [any Rewrite.Type] = [
    ReshapeIntegers.self, RunQuantized.self, RunBlockProducts.self, MoveCropsEarlier.self,
    MoveAveragePoolingLater.self, FuseResidual.self, FuseActivation.self, RunPatchesAsPixels.self,
    MergeRearrangements.self, JoinProducts.self,
  ]

  /// The names of all rewrites, for ``CompileOptions/disabledRewrites``.
  public static let names: [String] = CompileOptions().rewriteNames

  /// Applies every rewrite of a list that is not disabled.
  static func apply(
    _ rewrites: [any Rewrite.Type], to graph: inout OperationGraph,
    constants: any ConstantSource, disabled: Set<String>
  ) throws -> [CompileReport.RewriteCount] {
    try rewrites.filter { !disabled.contains($0.name) }.map { rewrite in
      CompileReport.RewriteCount(
        name: rewrite.name, places: try rewrite.apply(to: &graph, constants: constants))
    }
  }

  /// The nodes whose operation makes a different shape than their output has, as positions.
  ///
  /// There are none before and after every rewrite; tests rely on it.
  static func misshapenNodes(of graph: OperationGraph) -> [Int] {
    graph.nodes.indices.filter { position in
      let node = graph.nodes[position]
      let made = try? node.primitive.operation.outputShape(
        for: node.inputs.map { graph.shape(of: $0) })
      guard let made else { return true }
      guard let sizes = made.sizes, let stated = graph.shape(of: node.output).sizes else {
        return false
      }
      return sizes != stated
    }
  }
}

extension CompiledModel {
  /// The nodes of the rewritten graph whose operation makes a different shape than they state.
  package var misshapenNodes: [Int] {
    origin.compiler.map { Rewrites.misshapenNodes(of: $0.graph) } ?? []
  }
}
