import Forge
import ForgeOperations
import ForgeShapes

/// The graph of a model file while it is written, operation by operation.
protocol ExportGraph {
  /// The format of the file.
  static var format: ExportFormat { get }
  /// The network that is written.
  var network: LoweredNetwork { get }

  /// The node that makes each value of the network.
  var producers: [Int: OperationGraph.Node] { get }

  /// Begins the operations of a layer.
  ///
  /// - Parameters:
  ///   - name: the name of the layer.
  ///   - result: the value that gets the name.
  mutating func begin(_ name: String, result: OperationGraph.Value?)

  /// Writes an operation, whose operands are written.
  ///
  /// - Throws: ``ExportRefusal`` for what the format does not have.
  mutating func write(_ node: OperationGraph.Node) throws(ExportRefusal)
}

extension ExportGraph {
  /// The sizes of a value of the network, which are known.
  func sizes(_ value: OperationGraph.Value) -> [Int] { network.graph.shape(of: value).sizes ?? [] }

  /// Writes the operations of the network.
  ///
  /// - Throws: ``ExportError`` with every layer that cannot be written.
  mutating func writeNodes() throws(ExportError) {
    var problems: [Problem] = []
    var refused: Set<Int> = []
    var failed: Set<Int> = []
    let layers = network.inference.nodes.filter { !$0.isInput }
    for state in network.graph.states where refused.insert(state.layer).inserted {
      problems.append(
        Self.format.problem(
          layers[state.layer - 1],
          ExportRefusal(what: "a state that is kept from one prediction to the next")))
    }
    for node in network.graph.nodes {
      let layer = layers[(node.layers.last ?? 1) - 1]
      // What follows a refused operation is not written, and not refused again.
      guard !node.inputs.contains(where: { failed.contains($0.index) }),
        !refused.contains(layer.position)
      else {
        failed.insert(node.output.index)
        continue
      }
      begin(layer.name, result: network.graph.layerOutputs[layer.position])
      do throws(ExportRefusal) {
        try write(node)
      } catch {
        failed.insert(node.output.index)
        if refused.insert(layer.position).inserted {
          problems.append(Self.format.problem(layer, error))
        }
      }
    }
    guard problems.isEmpty else { throw ExportError(problems) }
  }

  // MARK: What formats with the channels first have in common

  /// The height, width and channels of a constant of at most three axes, as it is broadcast to an
  /// image; `nil` for other values.
  func constantImage(_ value: OperationGraph.Value) -> [Int]? {
    let valueSizes = sizes(value)
    guard network.graph.constant(value) != nil, valueSizes.count <= 3 else { return nil }
    return Array(repeating: 1, count: 3 - valueSizes.count) + valueSizes
  }

  /// The padding of a window at the top, left, bottom and right, with which the number of windows
  /// is that of the network when it is rounded down.
  func pads(
    _ geometry: ConvolutionGeometry, from input: OperationGraph.Value,
    to output: OperationGraph.Value
  ) -> [Int] {
    let (inputSizes, made) = (sizes(input), sizes(output))
    let edges = geometry.edges(width: inputSizes[1], height: inputSizes[0])
    func end(_ axis: Int, before: Int, after: Int, stride: Int, extent: Int) -> Int {
      max(after, (made[axis] - 1) * stride + extent - inputSizes[axis] - before)
    }
    return [
      edges.top, edges.left,
      end(
        0, before: edges.top, after: edges.bottom, stride: geometry.stride.height,
        extent: geometry.extent.height),
      end(
        1, before: edges.left, after: edges.right, stride: geometry.stride.width,
        extent: geometry.extent.width),
    ]
  }

  /// The values of blocks of [pixels][channels] as [channels][pixels]; none if the number differs.
  static func channelsFirst(
    _ values: [Float], blocks: Int = 1, pixels: Int, channels: Int
  ) -> [Float] {
    let size = pixels * channels
    guard values.count == blocks * size else { return [] }
    return (0..<blocks).flatMap { block in
      (0..<channels).flatMap { channel in
        (0..<pixels).map { values[block * size + $0 * channels + channel] }
      }
    }
  }
}
