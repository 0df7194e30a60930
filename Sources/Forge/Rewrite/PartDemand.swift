import ForgeOperations
import ForgeShapes

/// Which part of each value of a graph is read.
struct PartDemand {
  typealias Value = OperationGraph.Value

  /// How a node is computed.
  enum Choice {
    /// The full result, from full operands.
    case full
    /// A part of the result, as part of the only operand.
    case slice(PartialComputation)
    /// A part of the result, from parts of the operands.
    case part(PartialComputation)
  }

  private let graph: OperationGraph
  private let sizes: [[Int]]
  /// The node that makes each value.
  private let producers: [Int?]
  /// The part of each value that is read; `nil` if none is.
  private(set) var parts: [TensorPart?]
  /// How each node is computed.
  private(set) var choices: [Choice]

  /// Finds the parts; `nil` while a size is not known, or where every result is read as a whole.
  init?(_ graph: OperationGraph) {
    let sizes = graph.shapes.compactMap(\.sizes)
    guard sizes.count == graph.shapes.count else { return nil }
    (self.graph, self.sizes) = (graph, sizes)
    producers = GraphIndex(graph).producer
    (parts, choices) = ([], [])
    var settled = Set<Int>()
    for _ in 0..<Self.rounds {
      demand(settled: settled)
      let more = choices.indices.filter { isPart($0) && !pays($0) }
      if more.isEmpty {
        guard choices.indices.contains(where: isPart) else { return nil }
        return
      }
      settled.formUnion(more)
    }
    return nil
  }

  /// The maximum number of rounds in which nodes that gain nothing are computed in full.
  private static let rounds = 32

  private func isPart(_ position: Int) -> Bool {
    if case .part = choices[position] { true } else { false }
  }

  /// Goes from the outputs to the inputs.
  private mutating func demand(settled: Set<Int>) {
    parts = Array(repeating: nil, count: sizes.count)
    choices = Array(repeating: .full, count: graph.nodes.count)
    for output in graph.outputs { read(TensorPart(allOf: sizes[output.index]), of: output) }
    for (position, node) in graph.nodes.enumerated().reversed() {
      let all = TensorPart(allOf: sizes[node.output.index])
      let part = parts[node.output.index] ?? all
      let choice = choice(node, part, isFull: part == all || settled.contains(position))
      choices[position] = choice
      switch choice {
      case .full:
        if part != all { parts[node.output.index] = all }
        for operand in graph.operands(of: node) {
          read(TensorPart(allOf: sizes[operand.index]), of: operand)
        }
      case .slice(let computation), .part(let computation):
        for operand in computation.operands {
          read(operand.part, of: node.inputs[operand.position])
        }
      }
    }
  }

  private mutating func read(_ part: TensorPart, of value: Value) {
    parts[value.index] = parts[value.index]?.union(part) ?? part
  }

  private func choice(
    _ node: OperationGraph.Node, _ part: TensorPart, isFull: Bool
  ) -> Choice {
    guard let operation = node.primitive.operation as? any PartialOperation,
      node.residual == nil, node.activation == .linear
    else { return .full }
    let operands = node.inputs.map { sizes[$0.index] }
    guard let computation = operation.computation(of: part, from: operands) else { return .full }
    if computation.isPartOfOperand { return .slice(computation) }
    guard !isFull, computation.operands.allSatisfy({ isReadable($0, of: node) }) else {
      return .full
    }
    return .part(computation)
  }

  /// Whether a part of an operand can be made: packed operands must be constants.
  private func isReadable(
    _ operand: PartialComputation.Operand, of node: OperationGraph.Node
  ) -> Bool {
    let value = node.inputs[operand.position]
    guard !operand.part.coversAll(of: sizes[value.index]) else { return true }
    if graph.weightBlocks[value.index] != nil { return false }
    return operand.position == 0 || !node.primitive.traits.packsOperands
      || graph.constant(value) != nil
  }

  // MARK: What is faster

  /// Whether computing a part of a node takes less time than computing all of it.
  ///
  /// Parts of its operands that are not made as such must be copied out of them.
  private func pays(_ position: Int) -> Bool {
    guard case .part(let computation) = choices[position] else { return false }
    let node = graph.nodes[position]
    guard let part = parts[node.output.index] else { return false }
    let copied = computation.operands.filter { operand in
      let value = node.inputs[operand.position]
      return graph.constant(value) == nil && made(value) != operand.part
    }
    if copied.isEmpty { return true }
    let all = work(node.primitive, node.inputs.map { sizes[$0.index] }, sizes[node.output.index])
    let less = work(
      computation.primitive ?? node.primitive, computation.operands.map(\.part.sizes), part.sizes)
    let copies = copied.reduce(0) { $0.addingSaturated(Self.copyWork($1.part)) }
    // What only moves elements, or is computed as another result is stored, costs next to nothing.
    if node.primitive.traits.multiplyAdds == .none {
      guard !node.primitive.traits.keepsElements,
        !copied.contains(where: { storesWith(node.inputs[$0.position]) })
      else { return false }
    }
    // The part of the result is copied otherwise.
    return less.addingSaturated(copies) < all.addingSaturated(Self.copyWork(part))
  }

  private static func copyWork(_ part: TensorPart) -> Int {
    part.count.multipliedSaturated(by: 2 * OperationTraits.workPerMove)
  }

  private func work(_ primitive: Primitive, _ operands: [[Int]], _ output: [Int]) -> Int {
    primitive.operation.work(
      for: operands.map { Shape(sizes: $0) }, output: Shape(sizes: output))
  }

  /// The part of a value that is made.
  func made(_ value: Value) -> TensorPart {
    let all = TensorPart(allOf: sizes[value.index])
    guard let producer = producers[value.index], let part = parts[value.index] else {
      return all
    }
    if case .full = choices[producer] { return all }
    return part
  }

  /// Whether a value is made by an operation that applies functions as it stores the result.
  private func storesWith(_ value: Value) -> Bool {
    producers[value.index].map { graph.nodes[$0].primitive.traits.takesActivation } ?? false
  }
}
