import ForgeOperations
import ForgeShapes

/// Puts quantizations and their inverses around the tensors of a ``QuantizationTable``.
///
/// Layers that multiply integers get weights that are integers times a scale for each output, and
/// biases that are integers times the scale of the sums. `RunQuantized` then makes operations on
/// integers of what lies between. An output of the model stays the tensor before its quantization.
struct QuantizeByTable {
  /// The name by which it is reported.
  static let name = "quantizeByTable"

  private let table: QuantizationTable

  init(_ table: QuantizationTable) { self.table = table }

  /// Rewrites the graph.
  ///
  /// - Returns: the number of tensors.
  /// - Throws: ``CompileError`` with the names that the graph does not have, and errors of the
  ///   source of constants.
  func apply(
    to graph: inout OperationGraph, _ names: TensorNames, constants: any ConstantSource
  ) throws -> CompileReport.RewriteCount {
    graph.removeUnusedNodes()
    let products = Set(try names.values(of: table.products).map(\.index))
    let tensors = table.tensors.keys.sorted()
    var quantizations: [Int: Quantization] = [:]
    for (name, value) in zip(tensors, try names.values(of: tensors)) {
      quantizations[value.index] = table.tensors[name]
    }
    let stored = graph.storages
    var replacement: [Int: OperationGraph.Value] = [:]
    let nodes = graph.nodes
    graph.nodes = []
    for value in graph.inputs {
      replacement[value.index] = try quantized(value, quantizations, [], stored, &graph)
    }
    for var node in nodes {
      if products.contains(node.output.index),
        let input = node.inputs.first.flatMap({ quantizations[$0.index] })
      {
        try round(&node, input, &graph, constants)
      }
      node.inputs = node.inputs.map { replacement[$0.index] ?? $0 }
      node.residual = node.residual.map { replacement[$0.index] ?? $0 }
      graph.nodes.append(node)
      replacement[node.output.index] = try quantized(
        node.output, quantizations, node.layers, stored, &graph)
    }
    return CompileReport.RewriteCount(name: Self.name, places: quantizations.count)
  }

  /// The real numbers behind the quantization of a value; `nil` if the table has none for it.
  private func quantized(
    _ value: OperationGraph.Value, _ quantizations: [Int: Quantization], _ layers: [Int],
    _ stored: [Int: Quantization.Storage], _ graph: inout OperationGraph
  ) throws -> OperationGraph.Value? {
    // What a file has quantized stays as it is.
    guard let quantization = quantizations[value.index], stored[value.index] == nil else {
      return nil
    }
    let integers = try graph.addNode(.quantize(quantization), [value], layer: 0)
    let numbers = try graph.addNode(.dequantize(quantization), [integers], layer: 0)
    for position in graph.nodes.indices.suffix(2) { graph.nodes[position].layers = layers }
    return numbers
  }

  /// Rounds the weights and the biases of a product to integers.
  private func round(
    _ node: inout OperationGraph.Node, _ input: Quantization, _ graph: inout OperationGraph,
    _ constants: any ConstantSource
  ) throws {
    guard let recipe = graph.constant(node.inputs[1]),
      graph.weightScales[node.inputs[1].index] == nil,
      let outputs = graph.shape(of: node.output).channels
    else { return }
    let scales = Self.scales(of: try constants.values(of: recipe), outputs: outputs)
    let weights = graph.addValue(
      graph.shape(of: node.inputs[1]), .constant(.rounded(recipe, scales: scales)))
    graph.weightScales[weights.index] = scales
    node.inputs[1] = weights
    guard node.inputs.count > 2, let recipe = graph.constant(node.inputs[2]) else { return }
    let biases = try constants.values(of: recipe)
    guard biases.count == scales.count else { return }
    let rounded = zip(biases, scales).map { bias, scale in
      let unit = Double(input.scale * scale)
      return Float((Double(bias) / unit).rounded(.toNearestOrEven) * unit)
    }
    // Biases beyond the range of integers are added to real numbers.
    guard rounded.allSatisfy(\.isFinite) else { return }
    node.inputs[2] = graph.addValue(
      graph.shape(of: node.inputs[2]), .constant(.literal(rounded)))
  }

  /// The scale of the weights of each output: the largest magnitude over 127.
  private static func scales(of weights: [Float], outputs: Int) -> [Float] {
    let count = weights.count / max(outputs, 1)
    return (0..<outputs).map { output in
      let largest = weights[output * count..<(output + 1) * count].reduce(0) {
        max($0, $1.magnitude)
      }
      let scale = largest / 127
      return scale.isNormal ? scale : 1
    }
  }
}
