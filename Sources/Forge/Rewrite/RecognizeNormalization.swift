import ForgeOperations
import ForgeShapes

/// Replaces the arithmetic that exporters write for a normalization by the normalization.
///
/// Recognized are `(x − mean) / √(variance + epsilon)`, the same with the mean behind the product,
/// and `x / √(mean of x² + epsilon)`; each has a file. Means are over the last axes or over the
/// pixels of an image, the square is a product, a power or a square, and the division is one by a
/// root or a product with a reciprocal root. Constant factors and terms for each normalized element
/// become gamma and beta.
enum RecognizeNormalization: Rewrite {
  static let name = "recognizeNormalization"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    let parts = NormalizationParts(graph)
    // The nodes of each pattern by the value that it computes.
    var patterns: [OperationGraph.Value: [OperationGraph.Node]] = [:]
    for position in graph.nodes.indices where parts.graph.isBare(position) {
      guard
        let found = parts.centeredNormalization(at: position)
          ?? parts.movedMeanNormalization(at: position)
          ?? parts.rootMeanSquareNormalization(at: position)
      else { continue }
      var (gamma, beta) = (found.gamma, found.beta)
      var chain: [Int] = []
      if beta == nil {
        let behind = parts.scaleAndShift(behind: position, found.rule, hasGamma: gamma != nil)
        (chain, gamma, beta) = (behind.chain, gamma ?? behind.gamma, behind.beta)
      }
      var operands: [OperationGraph.Value] = []
      if gamma != nil || beta != nil {
        for (value, neutral) in [(gamma, Float(1)), (beta, 0)] {
          let neutrals = Array(repeating: neutral, count: found.size)
          operands.append(
            value ?? graph.addValue(Shape([found.size]), .constant(.literal(neutrals))))
        }
      }
      let last = chain.last ?? position
      let nodes = found.nodes.union([position]).union(chain).subtracting([last])
      patterns[graph.nodes[last].output] = nodes.sorted().map { parts.graph.nodes[$0] }
      graph.nodes[last].primitive = .normalize(found.rule)
      graph.nodes[last].inputs = [found.input] + operands
    }
    guard !patterns.isEmpty else { return 0 }
    graph.removeUnusedNodes()
    // A node that something else uses keeps its layer.
    let remaining = Set(graph.nodes.map(\.output))
    for position in graph.nodes.indices {
      guard let nodes = patterns[graph.nodes[position].output] else { continue }
      let absorbed = nodes.filter { !remaining.contains($0.output) }
      graph.nodes[position].layers = absorbed.flatMap(\.layers) + graph.nodes[position].layers
    }
    return patterns.count
  }
}

/// A normalization in the arithmetic of a graph.
struct RecognizedNormalization {
  var input: OperationGraph.Value
  var rule: Normalization
  /// The number of gammas and betas.
  var size: Int
  /// The gammas and betas that are part of the arithmetic.
  var gamma, beta: OperationGraph.Value?
  /// The nodes that compute it, as positions.
  var nodes: Set<Int>
}
