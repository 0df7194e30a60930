import ForgeOperations
import ForgeShapes

/// Applies operations on the vectors of a sequence to the image of one row that the sequence was
/// made from.
///
/// Convolutions, attention and dense layers of sequences work on images [1][positions][channels],
/// and reshape these to sequences [positions][channels]. Functions, sums and normalizations between
/// two such layers are applied to the images, so that no reshape is left between them.
enum RunSequencesAsImages: Rewrite {
  static let name = "runSequencesAsImages"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    var pass = Pass(graph)
    pass.run()
    graph = pass.graph
    return pass.count
  }

  /// One walk over the nodes in their order.
  private struct Pass {
    typealias Value = OperationGraph.Value

    private(set) var graph: OperationGraph
    private(set) var count = 0
    /// The image that a sequence was made from, or was made into.
    private var images: [Value: Value] = [:]
    /// The sequences that are reshaped images.
    private var madeFromImages: Set<Value> = []
    /// How many nodes read a value of the original graph as a sequence of vectors or as an image.
    private var friendlyUses: [Value: Int] = [:]
    private let uses: [Int]

    init(_ graph: OperationGraph) {
      self.graph = graph
      uses = GraphIndex(graph).uses
      for node in graph.nodes where isOfVectors(node) || makesImage(node) {
        for operand in Set(graph.operands(of: node)) { friendlyUses[operand, default: 0] += 1 }
      }
    }

    mutating func run() {
      let nodes = graph.nodes
      graph.nodes = []
      var replacement: [Value: Value] = [:]
      for var node in nodes {
        node.inputs = node.inputs.map { replacement[$0] ?? $0 }
        if makesSequence(node) {
          images[node.output] = node.inputs[0]
          madeFromImages.insert(node.output)
        } else if makesImage(node) {
          if let image = images[node.inputs[0]] {
            replacement[node.output] = image
            count += 1
            continue
          }
          images[node.inputs[0]] = node.output
        } else if isOfVectors(node), pays(node) {
          apply(node)
          count += 1
          continue
        }
        graph.nodes.append(node)
      }
      for index in graph.nodes.indices {
        graph.nodes[index].residual = graph.nodes[index].residual.map { replacement[$0] ?? $0 }
      }
      graph.outputs = graph.outputs.map { replacement[$0] ?? $0 }
      graph.layerOutputs = graph.layerOutputs.mapValues { replacement[$0] ?? $0 }
      if count > 0 { graph.removeUnusedNodes() }
    }

    /// Whether the image costs no more reshapes than the sequence.
    private func pays(_ node: OperationGraph.Node) -> Bool {
      let sources = node.inputs.filter { madeFromImages.contains($0) }
      guard !sources.isEmpty else { return false }
      return friendlyUses[node.output] != nil
        || sources.contains { friendlyUses[$0] == uses[$0.index] }
    }

    /// Adds the operation on images, and the reshape of its result to the sequence.
    private mutating func apply(_ node: OperationGraph.Node) {
      var operands: [Value] = []
      for input in node.inputs {
        operands.append(isSequence(input) ? image(of: input, for: node) : input)
      }
      var onImages = node
      onImages.inputs = operands
      if case .slice(let starts, let sizes, let steps) = node.primitive {
        onImages.primitive = .slice(starts: [0] + starts, sizes: [1] + sizes, steps: [1] + steps)
      }
      onImages.output = graph.addValue(imageShape(of: node.output), .node)
      graph.nodes.append(onImages)
      var reshape = node
      reshape.primitive = .reshape(graph.shape(of: node.output).dimensions.map { $0 ?? -1 })
      reshape.inputs = [onImages.output]
      reshape.activation = .linear
      graph.nodes.append(reshape)
      images[node.output] = onImages.output
      madeFromImages.insert(node.output)
    }

    /// The image of a sequence, which a reshape makes if there is none.
    private mutating func image(of value: Value, for node: OperationGraph.Node) -> Value {
      if let image = images[value] { return image }
      let shape = imageShape(of: value)
      let image = graph.addValue(shape, .node)
      var reshape = node
      reshape.primitive = .reshape(shape.dimensions.map { $0 ?? -1 })
      reshape.inputs = [value]
      reshape.activation = .linear
      reshape.output = image
      graph.nodes.append(reshape)
      images[value] = image
      return image
    }

    private func imageShape(of value: Value) -> Shape {
      Shape([1] + graph.shape(of: value).dimensions)
    }

    /// Whether a value is a sequence that a prediction computes or reads.
    private func isSequence(_ value: Value) -> Bool {
      graph.constant(value) == nil && graph.shape(of: value).rank == 2
    }

    private func isReshape(_ node: OperationGraph.Node) -> Bool {
      guard case .reshape = node.primitive else { return false }
      return node.residual == nil && node.activation == .linear
        && graph.shape(of: node.inputs[0]).isKnown
    }

    /// Whether a node is a reshape of an image of one row to a sequence.
    private func makesSequence(_ node: OperationGraph.Node) -> Bool {
      guard isReshape(node) else { return false }
      let (input, output) = (graph.shape(of: node.inputs[0]), graph.shape(of: node.output))
      return input.isImage && input.dimensions == [1] + output.dimensions
    }

    /// Whether a node is a reshape of a sequence to an image of one row.
    private func makesImage(_ node: OperationGraph.Node) -> Bool {
      guard isReshape(node) else { return false }
      let (input, output) = (graph.shape(of: node.inputs[0]), graph.shape(of: node.output))
      return output.isImage && output.dimensions == [1] + input.dimensions
    }

    /// Whether a node computes each vector of a sequence from the vectors at its position, in the
    /// same way if the sequence is an image of one row.
    private func isOfVectors(_ node: OperationGraph.Node) -> Bool {
      let shape = graph.shape(of: node.output)
      guard node.residual == nil, shape.rank == 2, shape.isKnown else { return false }
      switch node.primitive {
      case .activation: return true
      case .slice(let starts, let sizes, let steps):
        // A range of the channels.
        return starts[0] == 0 && steps == [1, 1]
          && graph.shape(of: node.inputs[0]).sizes?.first == sizes[0]
          && !graph.isPartForShorterLengths(node, steps: steps)
      case .normalize(let rule): return rule.extent == .lastAxes(1)
      case .binary:
        // A vector of channels broadcasts to images too; one of another kind would not.
        return node.inputs.allSatisfy { input in
          graph.constant(input) != nil || graph.shape(of: input) == shape
        }
      default: return node.primitive.operation is any AffineOperation
      }
    }
  }
}
