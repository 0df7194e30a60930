import ForgeOperations
import ForgeShapes

/// Moves average pooling after a pointwise convolution that reduces the number of channels.
///
/// The two commute: pooling is a mean over the pixels inside the image (its weights sum to one,
/// even at the border), and a pointwise convolution is a sum over channels plus a bias. The
/// branches of Inception have this form: 2,048 channels are averaged over 3×3 pixels, then a
/// pointwise convolution reduces them to 192.
enum MoveAveragePoolingLater: Rewrite {
  static let name = "moveAveragePoolingLater"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) throws -> Int {
    var count = 0
    var index = GraphIndex(graph)
    for position in graph.nodes.indices {
      let node = graph.nodes[position]
      guard case .convolution(let window, let outputs, groups: 1) = node.primitive,
        window.isPointwise, node.residual == nil, node.activation == .linear,
        let producer = index.soleProducer(of: node.inputs[0]),
        case .pooling(.averageInside, let geometry) = graph.nodes[producer].primitive,
        graph.nodes[producer].activation == .linear, geometry.stride == .one,
        geometry.dilation == .one,
        let channels = graph.shape(of: node.inputs[0]).channels, outputs < channels,
        graph.shape(of: graph.nodes[producer].inputs[0]) == graph.shape(of: node.inputs[0])
      else { continue }
      // convolve(average(x)) becomes average(convolve(x)).
      let earlier = [producer, position].map { graph.nodes[$0] }
      graph.exchange(producer, position)
      index.update([producer, position], from: earlier, in: graph)
      count += 1
    }
    return count
  }
}
