/// The layers of a Keras model in the order in which Keras has them once it has loaded the model.
///
/// Keras sorts layers by their distance from the outputs, then by when a search from the outputs
/// first meets them. The place among the layers of one class is where the weights of a layer are.
/// Source: `keras/src/ops/function.py`, `map_graph`.
struct KerasOrder {
  /// The layers that an output needs.
  private(set) var layers: [Int] = []
  /// The number of each call among those that an output needs, by layer and by call.
  private(set) var calls: [Int: [Int: Int]] = [:]

  /// One call of a layer.
  private struct Node: Hashable {
    let layer: Int
    let call: Int
  }

  init(_ records: [KerasRecord], outputs: [KerasTensor]) {
    let (nodes, met) = Self.search(records, outputs)
    var depths: [Node: Int] = [:]
    var layerDepths: [Int: Int] = [:]
    for node in nodes.reversed() {
      let depth = max(depths[node] ?? 0, layerDepths[node.layer] ?? 0)
      layerDepths[node.layer] = depth
      depths[node] = depth
      for tensor in records[node.layer].calls[node.call].tensors {
        let before = Node(layer: tensor.layer, call: tensor.call)
        depths[before] = max(depth + 1, depths[before] ?? 0)
      }
    }
    layers = layerDepths.keys.sorted { one, other in
      let (a, b) = (layerDepths[one] ?? 0, layerDepths[other] ?? 0)
      return a == b ? met[one] ?? 0 < met[other] ?? 0 : a > b
    }
    for node in nodes { calls[node.layer, default: [:]][node.call] = 0 }
    for layer in calls.keys {
      for (number, call) in (calls[layer] ?? [:]).keys.sorted().enumerated() {
        calls[layer]?[call] = number
      }
    }
  }

  /// The calls that the outputs need, each after those that it needs, and when each layer was met.
  private static func search(
    _ records: [KerasRecord], _ outputs: [KerasTensor]
  ) -> (nodes: [Node], met: [Int: Int]) {
    var nodes: [Node] = []
    var met: [Int: Int] = [:]
    var isFinished: [Node: Bool] = [:]
    for output in outputs {
      var pending: [(node: Node, operands: ArraySlice<KerasTensor>)] = []
      func begin(_ tensor: KerasTensor) {
        let node = Node(layer: tensor.layer, call: tensor.call)
        guard isFinished[node] == nil else { return }
        isFinished[node] = false
        if met[node.layer] == nil { met[node.layer] = met.count }
        pending.append((node, records[node.layer].calls[node.call].tensors[...]))
      }
      begin(output)
      while let last = pending.last {
        if let operand = last.operands.first {
          pending[pending.count - 1].operands.removeFirst()
          begin(operand)
        } else {
          isFinished[last.node] = true
          nodes.append(last.node)
          pending.removeLast()
        }
      }
    }
    return (nodes, met)
  }
}
