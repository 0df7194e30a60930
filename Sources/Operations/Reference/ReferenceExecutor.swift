import ForgeShapes

/// Runs a whole graph in double precision, one operation after the other.
///
/// Every plan is verified against it.
/// ```swift
/// let executor = try ReferenceExecutor(graph)
/// let values = try executor.run(inputs: [image], values: graph.outputs) { parameters[$0] }
/// ```
/// It is orders of magnitude slower than a plan.
package struct ReferenceExecutor: Sendable {
  /// A tensor of the graph.
  package typealias Value = OperationGraph.Value

  /// The graph to run.
  package let graph: OperationGraph

  /// Creates an executor of a graph that is bound to the sizes of its inputs.
  ///
  /// - Throws: ``ReferenceError`` of kind `unknownShape` when a size is not known.
  package init(_ graph: OperationGraph) throws(ReferenceError) {
    // Rewrites may leave unused values behind.
    let used = graph.inputs + graph.nodes.flatMap { graph.operands(of: $0) + [$0.output] }
    for value in used where !graph.shape(of: value).isKnown {
      throw .unknownShape(graph.shape(of: value))
    }
    self.graph = graph
  }

  /// Runs the graph on one example.
  ///
  /// Each node applies its primitive to its operands, adds its residual, and then applies its
  /// activation.
  ///
  /// - Parameters:
  ///   - inputs: the inputs of the model in order, with the graph's shapes, followed by the present
  ///     states, or by none for zeros.
  ///   - crops: source rectangles of resizes by the name of their slot; the whole image if absent.
  ///   - requested: the values to return; the others are freed after their last use. With `nil`,
  ///     every input and every result of a node is returned.
  ///   - flipsTies: whether numbers next to the middle of two whole ones, where the rounding of
  ///     Float32 decides, are rounded to the other one.
  ///   - rounding: what every operation loses; nothing if `nil`.
  ///   - parameter: returns the values of the parameter at an index in Forge's own layout; it may
  ///     be called more than once for an index, and not at all for an unused one.
  /// - Returns: the tensors of the requested values.
  /// - Throws: ``ReferenceError``, which names the node.
  package func run(
    inputs: [ReferenceTensor], crops: [String: CropRectangle] = [:],
    values requested: [Value]? = nil, flipsTies: Bool = false,
    rounding: ReferenceRounding? = nil,
    parameter: (Int) throws -> [Float]
  ) throws(ReferenceError) -> [Value: ReferenceTensor] {
    var live = try bound(inputs)
    var lastUses: [Value: Int] = [:]
    for (index, node) in graph.nodes.enumerated() {
      for operand in graph.operands(of: node) { lastUses[operand] = index }
    }
    let kept = requested.map(Set.init)
    var rounding = rounding

    for (index, node) in graph.nodes.enumerated() {
      do throws(ReferenceError) {
        for operand in graph.operands(of: node) where live[operand] == nil {
          live[operand] = try constant(operand, parameter)
        }
        live[node.output] = try result(
          of: node, at: index, live, crops, flipsTies: flipsTies, rounding: &rounding)
      } catch {
        var error = error
        error.node = index
        throw error
      }
      // Tensors are freed after their last use, unless they are requested.
      for operand in Set(graph.operands(of: node) + [node.output])
      where lastUses[operand] ?? index <= index {
        let isKept = kept?.contains(operand) ?? (graph.constant(operand) == nil)
        if !isKept { live[operand] = nil }
      }
    }

    guard let requested else { return live }
    var result: [Value: ReferenceTensor] = [:]
    for value in requested {
      if let tensor = live[value] {
        result[value] = tensor
      } else {
        result[value] = try constant(value, parameter)
      }
    }
    return result
  }

  /// The model's inputs as values of the graph.
  private func bound(
    _ inputs: [ReferenceTensor]
  ) throws(ReferenceError) -> [Value: ReferenceTensor] {
    let count = graph.modelInputs.count
    guard inputs.count == count || inputs.count == graph.inputs.count else {
      throw .wrongInputCount("the graph", inputs.count, needs: "exactly \(count)")
    }
    var live: [Value: ReferenceTensor] = [:]
    for state in graph.inputs.dropFirst(inputs.count) {
      live[state] = ReferenceTensor(graph.shape(of: state).sizes ?? []) { _ in 0 }
    }
    for (index, (value, input)) in zip(graph.inputs, inputs).enumerated() {
      guard input.shape == graph.shape(of: value) else {
        throw .otherShape("input \(index)", input.sizes, needs: graph.shape(of: value))
      }
      live[value] = input
    }
    return live
  }

  /// The result of a node.
  private func result(
    of node: OperationGraph.Node, at index: Int, _ live: [Value: ReferenceTensor],
    _ crops: [String: CropRectangle], flipsTies: Bool, rounding: inout ReferenceRounding?
  ) throws(ReferenceError) -> ReferenceTensor {
    var operands = node.inputs.compactMap { live[$0] }
    if flipsTies, node.primitive.roundsToNearest {
      operands = operands.map { $0.map(Self.acrossTie) }
    }
    var result = try node.primitive.reference(
      on: operands, crops: crops, roundsToFloats: rounding != nil)
    rounding?.round(&result, of: node.primitive, at: index, operand: operands.first)
    let shape = graph.shape(of: node.output)
    guard result.shape == shape else {
      throw .otherShape("the result of \(node.primitive.name)", result.sizes, needs: shape)
    }
    if let residual = node.residual.flatMap({ live[$0] }) {
      guard residual.sizes == result.sizes else {
        throw .otherShape("the residual", residual.sizes, needs: shape)
      }
      for index in result.values.indices { result.values[index] += residual.values[index] }
      rounding?.round(&result)
    }
    guard node.activation != .linear else { return result }
    let arguments = result.values
    result = result.map(node.activation.value)
    rounding?.round(&result, function: arguments)
    return result
  }

  /// The nearest number that is rounded to the other of two whole ones, for one next to their
  /// middle; the number itself for any other.
  private static func acrossTie(_ value: Double) -> Double {
    let middle = value.rounded(.down) + 0.5
    // Sums of Float32 products are off by some of its 2⁻²⁴.
    guard abs(value - middle) <= max(abs(value), 1) * 0x1p-18 else { return value }
    return value.rounded(.toNearestOrEven) > middle ? middle.nextDown : middle.nextUp
  }

  /// The values of a constant.
  private func constant(
    _ value: Value, _ parameter: (Int) throws -> [Float]
  ) throws(ReferenceError) -> ReferenceTensor {
    guard graph.shapes.indices.contains(value.index), let recipe = graph.constant(value),
      let sizes = graph.shape(of: value).sizes
    else { throw .unknownValue(value.index) }
    let counts = recipe.parameterCounts(for: sizes.reduce(1, *))
    // The counts are checked before a recipe scales the values.
    let values = try recipe.values { (index) throws(ReferenceError) in
      let values: [Float]
      do { values = try parameter(index) } catch { throw .parameter(index, error) }
      guard values.count == counts[index] else {
        throw .wrongElementCount("values of parameter \(index)", values.count, sizes: sizes)
      }
      return values
    }
    return try ReferenceTensor(sizes: sizes, floats: values)
  }
}

extension Primitive {
  /// Whether it rounds to the nearest whole number, so results jump at the middle of two.
  package var roundsToNearest: Bool {
    if case .unary(.round) = self { true } else { false }
  }
}
