import ForgeOperations

/// Replaces the arithmetic of a quantization or its inverse by that operation.
///
/// `clip(round(x / scale) + zeroPoint, least, greatest)` quantizes, where least and greatest are
/// those of a type of 8 bits. `(q − zeroPoint) · scale` of such integers is the inverse. Additions
/// and subtractions of 0 may be absent.
enum RecognizeQuantization: Rewrite {
  static let name = "recognizeQuantization"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) throws -> Int {
    let index = GraphIndex(graph)
    var storages = graph.storages
    var count = 0
    for position in graph.nodes.indices {
      let node = graph.nodes[position]
      guard node.residual == nil, node.activation == .linear else { continue }
      let pattern = QuantizationPattern(graph: graph, index: index, constants: constants)
      if let found = try pattern.quantization(at: position) {
        graph.nodes[position].primitive = .quantize(found.quantization)
        graph.nodes[position].inputs = [found.input]
        graph.nodes[position].layers = found.nodes.flatMap { graph.nodes[$0].layers } + node.layers
        storages[node.output.index] = found.quantization.storage
        count += 1
      } else if let found = try pattern.inverse(at: position, storages) {
        graph.nodes[position].primitive = .dequantize(found.quantization)
        graph.nodes[position].inputs = [found.input]
        graph.nodes[position].layers = found.nodes.flatMap { graph.nodes[$0].layers } + node.layers
        count += 1
      }
    }
    if count > 0 { graph.removeUnusedNodes() }
    return count
  }
}

/// Finds quantizations and their inverses in the arithmetic of a graph.
private struct QuantizationPattern {
  let graph: OperationGraph
  let index: GraphIndex
  let constants: any ConstantSource

  struct Found {
    let quantization: Quantization
    let input: OperationGraph.Value
    /// The nodes before the last one, in order.
    var nodes: [Int]
  }

  /// The quantization whose last operation is the node at a position.
  func quantization(at position: Int) throws -> Found? {
    let node = graph.nodes[position]
    guard case .activation(.clipped(let least, let greatest)) = node.primitive,
      let storage = [Quantization.Storage.uint8, .int8].first(where: {
        Float($0.range.lowerBound) == least && Float($0.range.upperBound) == greatest
      })
    else { return nil }
    var (value, zeroPoint, nodes): (_, Float, [Int]) = (node.inputs[0], 0, [])
    if let (other, number, sum) = try operand(of: value, .add) {
      (value, zeroPoint, nodes) = (other, number, [sum])
    }
    guard let rounding = index.soleProducer(of: value),
      case .unary(.round) = graph.nodes[rounding].primitive, isBare(rounding),
      let (input, scale, quotient) = try operand(of: graph.nodes[rounding].inputs[0], .divide),
      let quantization = quantization(scale, zeroPoint, storage),
      graph.shape(of: input) == graph.shape(of: node.output)
    else { return nil }
    return Found(quantization: quantization, input: input, nodes: [quotient, rounding] + nodes)
  }

  /// The inverse whose last operation is the node at a position.
  func inverse(at position: Int, _ storages: [Int: Quantization.Storage]) throws -> Found? {
    let node = graph.nodes[position]
    guard let (difference, scale) = try constantOperand(of: position, .multiply) else {
      return nil
    }
    var (input, zeroPoint, nodes): (_, Float, [Int]) = (difference, 0, [])
    if let (other, number, subtraction) = try operand(of: difference, .subtract) {
      (input, zeroPoint, nodes) = (other, number, [subtraction])
    }
    guard let storage = storages[input.index],
      let quantization = quantization(scale, zeroPoint, storage),
      graph.shape(of: input) == graph.shape(of: node.output)
    else { return nil }
    return Found(quantization: quantization, input: input, nodes: nodes)
  }

  private func quantization(
    _ scale: Float, _ zeroPoint: Float, _ storage: Quantization.Storage
  ) -> Quantization? {
    guard scale.isNormal, scale > 0, let zeroPoint = Int(exactly: zeroPoint),
      storage.range.contains(zeroPoint)
    else { return nil }
    return Quantization(scale: scale, zeroPoint: zeroPoint, storage: storage)
  }

  /// The operand and the constant of an operation that only one node reads, and the operation.
  private func operand(
    of value: OperationGraph.Value, _ operation: BinaryOperator
  ) throws -> (OperationGraph.Value, Float, Int)? {
    guard let position = index.soleProducer(of: value),
      let (operand, number) = try constantOperand(of: position, operation)
    else { return nil }
    return (operand, number, position)
  }

  /// The first operand and the constant second one of an operation on two values.
  private func constantOperand(
    of position: Int, _ operation: BinaryOperator
  ) throws -> (OperationGraph.Value, Float)? {
    let node = graph.nodes[position]
    guard case .binary(operation) = node.primitive, isBare(position), node.inputs.count == 2,
      graph.shape(of: node.inputs[1]).elementCount == 1,
      let recipe = graph.constant(node.inputs[1]),
      graph.constant(node.inputs[0]) == nil, let number = try constants.values(of: recipe).first
    else { return nil }
    return (node.inputs[0], number)
  }

  private func isBare(_ position: Int) -> Bool {
    graph.nodes[position].residual == nil && graph.nodes[position].activation == .linear
  }
}
