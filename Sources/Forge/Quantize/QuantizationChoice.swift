import ForgeOperations
import ForgeShapes

/// Which tensors of a graph of real numbers become integers when some of its products do.
///
/// The input of each chosen product becomes integers. Sums, products of two tensors, poolings and
/// functions of one element between chosen products compute with integers too if all their
/// operands can, so that numbers stay integers from one product to the next.
struct QuantizationChoice {
  typealias Node = OperationGraph.Node
  typealias Value = OperationGraph.Value

  /// How a node treats integers.
  private enum Role {
    /// A chosen product: its result becomes integers where something asks for them.
    case product
    /// It has a form on integers: what it reads and what it makes are integers.
    case onIntegers
    /// It narrows the range or moves elements, which the operation before it does as well.
    case absorbed
    /// It computes with real numbers.
    case onNumbers
  }

  private let graph: OperationGraph
  private let index: GraphIndex
  private let names: TensorNames

  init(_ graph: OperationGraph, _ names: TensorNames) {
    (self.graph, self.names) = (graph, names)
    index = GraphIndex(graph)
  }

  /// The products that may compute with integers, in order, by the names of their results.
  var products: [(name: String, node: Node)] {
    graph.nodes.compactMap { node in
      guard isProduct(node), let name = names.names[node.output.index],
        names.names[node.inputs[0].index] != nil
      else { return nil }
      return (name, node)
    }
  }

  /// The names of all tensors whose ranges the tables of ``table(_:products:)`` may need.
  var tensors: [String] {
    var wanted: Set<Int> = []
    for node in graph.nodes {
      if isProduct(node) || isOnIntegers(node) {
        wanted.formUnion(node.inputs.map(\.index))
        wanted.insert(node.output.index)
      } else if isAbsorbed(node) {
        wanted.insert(node.inputs[0].index)
      }
    }
    return wanted.sorted().compactMap { names.names[$0] }
  }

  /// The table by which the named products compute with integers.
  ///
  /// - Parameters:
  ///   - integers: the integers of each tensor, by name.
  ///   - chosen: the names of the products.
  /// - Returns: the table, with the tensors that become integers.
  func table(
    _ integers: [String: Quantization], products chosen: Set<String>
  ) -> QuantizationTable {
    let roles = graph.nodes.map { role(of: $0, chosen) }
    var quantized: Set<Int> = []
    for (node, role) in zip(graph.nodes, roles) where role == .product {
      quantized.insert(node.inputs[0].index)
    }
    // Forward: what can be integers. Backward: what is asked to be.
    var able = quantized
    for (node, role) in zip(graph.nodes, roles) {
      let isAble =
        switch role {
        case .product: true
        case .onIntegers, .absorbed: node.inputs.allSatisfy { able.contains($0.index) }
        case .onNumbers: false
        }
      if isAble { able.insert(node.output.index) }
    }
    var asked = quantized
    for (node, role) in zip(graph.nodes, roles).reversed()
    where asked.contains(node.output.index)
      && node.inputs.allSatisfy({ able.contains($0.index) })
    {
      switch role {
      case .onIntegers:
        quantized.formUnion(node.inputs.map(\.index))
        asked.formUnion(node.inputs.map(\.index))
      case .absorbed:
        let input = node.inputs[0].index
        asked.insert(input)
        // Another reader needs the tensor before the function, too.
        if index.uses[input] > 1 { quantized.insert(input) }
      case .product, .onNumbers: break
      }
    }
    return QuantizationTable(
      tensors: quantizations(of: quantized, integers), products: chosen)
  }

  /// The integers of tensors; a maximum has those of its operand.
  private func quantizations(
    of quantized: Set<Int>, _ integers: [String: Quantization]
  ) -> [String: Quantization] {
    var found: [Int: Quantization] = [:]
    for value in quantized {
      if let name = names.names[value] { found[value] = integers[name] }
    }
    for node in graph.nodes where found[node.output.index] != nil && isMaximum(node) {
      if let input = found[node.inputs[0].index] { found[node.output.index] = input }
    }
    var tensors: [String: Quantization] = [:]
    for (value, quantization) in found {
      if let name = names.names[value] { tensors[name] = quantization }
    }
    return tensors
  }

  // MARK: Nodes

  private func role(of node: Node, _ chosen: Set<String>) -> Role {
    if isProduct(node) {
      let isChosen = names.names[node.output.index].map(chosen.contains) ?? false
      return isChosen ? .product : .onNumbers
    }
    if isAbsorbed(node) { return .absorbed }
    return isOnIntegers(node) ? .onIntegers : .onNumbers
  }

  /// Whether a node is a product with constant weights that has a form on integers.
  private func isProduct(_ node: Node) -> Bool {
    switch node.primitive {
    case .convolution(_, _, groups: 1), .depthwiseConvolution(_, multiplier: 1), .dense: break
    default: return false
    }
    return node.residual == nil && node.activation == .linear
      && node.inputs.dropFirst().allSatisfy { graph.constant($0) != nil }
      && graph.constant(node.inputs[0]) == nil
      && graph.weightScales[node.inputs[1].index] == nil
      && graph.weightBlocks[node.inputs[1].index] == nil
  }

  private func isOnIntegers(_ node: Node) -> Bool {
    guard node.residual == nil, node.activation == .linear else { return false }
    switch node.primitive {
    case .binary(.add), .binary(.multiply):
      let shapes = node.inputs.map { graph.shape(of: $0) }
      return node.inputs.allSatisfy { graph.constant($0) == nil }
        && shapes.allSatisfy { $0.rank <= 3 } && shapes[0].channels == shapes[1].channels
    case .pooling, .globalPooling, .activation, .unary: return true
    case .concatenate(let axis):
      let rank = graph.shape(of: node.output).rank
      return (1...3).contains(rank) && axis == rank - 1
        && node.inputs.allSatisfy { graph.constant($0) == nil }
    default: return false
    }
  }

  private func isAbsorbed(_ node: Node) -> Bool {
    guard node.residual == nil, node.activation == .linear else { return false }
    switch node.primitive {
    case .activation(.relu), .activation(.relu6), .activation(.clipped), .reshape: return true
    default: return false
    }
  }

  private func isMaximum(_ node: Node) -> Bool {
    switch node.primitive {
    case .pooling(.maximum, _), .globalPooling(.maximum): true
    default: false
    }
  }
}
