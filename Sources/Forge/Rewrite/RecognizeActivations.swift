import ForgeOperations

/// Replaces the arithmetic that exporters write for an activation by the activation.
///
/// Recognized are hardSigmoid as `clip(x + 3, 0, 6)/6`, and `x` times the gate of swish, hardSwish,
/// mish, gelu or geluTanh, with the constant factors in any place. Constants may differ from the
/// exact ones by the rounding of Float.
enum RecognizeActivations: Rewrite {
  static let name = "recognizeActivations"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    var count = 0
    var pattern = ActivationPattern(graph)
    // Later nodes first: the factor behind a product belongs to the pattern.
    for position in graph.nodes.indices.reversed() {
      let node = graph.nodes[position]
      guard node.residual == nil, node.activation == .linear, !pattern.isClaimed(position),
        let found = pattern.activation(at: node.output),
        graph.shape(of: found.input) == graph.shape(of: node.output)
      else { continue }
      graph.nodes[position].primitive = .activation(found.function)
      graph.nodes[position].inputs = [found.input]
      let absorbed = pattern.claim(found.nodes.subtracting([position]))
      graph.nodes[position].layers = absorbed.flatMap { graph.nodes[$0].layers } + node.layers
      count += 1
    }
    // What only the patterns needed no longer counts as a use of their inputs.
    if count > 0 { graph.removeUnusedNodes() }
    return count
  }
}

/// Finds functions of one value in the arithmetic of a graph.
private struct ActivationPattern {
  struct Found {
    var function: ActivationFunction
    var input: OperationGraph.Value
    /// The nodes that compute the function, as positions.
    var nodes: Set<Int>
  }

  /// `scale·y + shift` of a value.
  private struct Line {
    var value: OperationGraph.Value
    var scale = 1.0
    var shift = 0.0
    var nodes: Set<Int> = []
  }

  /// `scale·f(line) + shift`.
  private struct Gate {
    enum Function {
      case sigmoid, errorFunction, tanh, tanhOfSoftplus
      case clamp(low: Double, high: Double)
    }
    var function: Function
    var argument: Line
    var outer: Line
    var nodes: Set<Int> { argument.nodes.union(outer.nodes) }
  }

  private let index: GraphIndex
  private let graph: OperationGraph
  private var claimed: Set<Int> = []

  init(_ graph: OperationGraph) {
    (self.graph, index) = (graph, GraphIndex(graph))
  }

  /// Whether a node is part of a pattern that was found before and is used by nothing else.
  func isClaimed(_ position: Int) -> Bool { claimed.contains(position) }

  /// Marks the nodes of a pattern and returns those that nothing else uses, in order.
  mutating func claim(_ nodes: Set<Int>) -> [Int] {
    let unshared = nodes.filter { index.uses[graph.nodes[$0].output.index] == 1 }
    claimed.formUnion(unshared)
    return unshared.sorted()
  }

  /// The activation that a value is; `nil` for anything else.
  func activation(at value: OperationGraph.Value) -> Found? {
    let outer = line(value)
    guard outer.shift == 0 || outer.value == value else { return hardSigmoid(value) }
    guard let position = index.producer[outer.value.index],
      case .binary(.multiply) = graph.nodes[position].primitive, isBare(position),
      graph.nodes[position].inputs.count == 2
    else { return hardSigmoid(value) }
    let operands = graph.nodes[position].inputs
    for (factor, other) in [(operands[0], operands[1]), (operands[1], operands[0])] {
      guard let gate = gate(other) else { continue }
      // The factor may itself be scaled, as in 0.5·x·(1 + erf(x/√2)).
      for x in [Line(value: factor), line(factor)] where x.shift == 0 {
        let factor = outer.scale * x.scale
        guard let function = product(of: x.value, gate, factor) else { continue }
        return Found(
          function: function, input: x.value,
          nodes: gate.nodes.union(outer.nodes).union(x.nodes).union([position]))
      }
    }
    return nil
  }

  /// The activation `factor · x · gate`.
  private func product(
    of x: OperationGraph.Value, _ gate: Gate, _ factor: Double
  ) -> ActivationFunction? {
    let (scale, shift) = (factor * gate.outer.scale, factor * gate.outer.shift)
    let argument = gate.argument
    switch gate.function {
    case .sigmoid:
      let isOfX = argument.value == x && isNear(argument.scale, 1) && argument.shift == 0
      return isOfX && isNear(scale, 1) && shift == 0 ? .swish : nil
    case .tanhOfSoftplus:
      let isOfX = argument.value == x && isNear(argument.scale, 1) && argument.shift == 0
      return isOfX && isNear(scale, 1) && shift == 0 ? .mish : nil
    case .errorFunction:
      let isOfX =
        argument.value == x && isNear(argument.scale, 0.5.squareRoot()) && argument.shift == 0
      return isOfX && isNear(scale, 0.5) && isNear(shift, 0.5) ? .gelu : nil
    case .tanh:
      guard isNear(scale, 0.5), isNear(shift, 0.5), argument.shift == 0 else { return nil }
      let isSlope = isNear(argument.scale, (2 / Double.pi).squareRoot())
      let isGelu = isSlope && isCubic(argument.value, of: x)
      return isGelu ? .geluTanh : nil
    case .clamp(let low, let high):
      guard argument.value == x, let line = unit(low, high, argument, scale, shift) else {
        return nil
      }
      return isNear(line.scale, 1.0 / 6) && isNear(line.shift, 0.5) ? .hardSwish : nil
    }
  }

  /// A line and a clip to numbers that are then brought to 0 to 1.
  private func hardSigmoid(_ value: OperationGraph.Value) -> Found? {
    guard let gate = gate(value), case .clamp(let low, let high) = gate.function,
      // Without a scale behind the clip, the line before it joins the preceding convolution.
      gate.outer.nodes.count > 1,
      let line = unit(low, high, gate.argument, gate.outer.scale, gate.outer.shift)
    else { return nil }
    let isStandard = isNear(line.scale, 1.0 / 6) && isNear(line.shift, 0.5)
    return Found(
      function: isStandard
        ? .hardSigmoid
        : .hardSigmoidLinear(alpha: Float(line.scale), beta: Float(line.shift)),
      input: gate.argument.value, nodes: gate.nodes)
  }

  /// `scale·clamp(argument, low, high) + shift` as `clamp(line, 0, 1)`.
  private func unit(
    _ low: Double, _ high: Double, _ argument: Line, _ scale: Double, _ shift: Double
  ) -> (scale: Double, shift: Double)? {
    guard scale > 0, low.isFinite, high.isFinite, abs(scale * low + shift) < 1e-7,
      isNear(scale * high + shift, 1)
    else { return nil }
    return (scale * argument.scale, scale * argument.shift + shift)
  }

  /// A value as a function of a line.
  private func gate(_ value: OperationGraph.Value) -> Gate? {
    var outer = line(value)
    guard let position = index.producer[outer.value.index], isBare(position) else { return nil }
    let node = graph.nodes[position]
    outer.nodes.insert(position)
    let argument = line(node.inputs[0])
    switch node.primitive {
    case .unary(.errorFunction):
      return Gate(function: .errorFunction, argument: argument, outer: outer)
    case .activation(.sigmoid): return Gate(function: .sigmoid, argument: argument, outer: outer)
    case .activation(.relu6):
      return Gate(function: .clamp(low: 0, high: 6), argument: argument, outer: outer)
    case .activation(.clipped(let low, let high)):
      return Gate(
        function: .clamp(low: Double(low), high: Double(high)), argument: argument, outer: outer)
    case .activation(.hardSigmoid):
      return Gate(
        function: .clamp(low: 0, high: 1),
        argument: Line(
          value: argument.value, scale: argument.scale / 6, shift: argument.shift / 6 + 0.5,
          nodes: argument.nodes), outer: outer)
    case .activation(.hardSigmoidLinear(let alpha, let beta)):
      return Gate(
        function: .clamp(low: 0, high: 1),
        argument: Line(
          value: argument.value, scale: argument.scale * Double(alpha),
          shift: argument.shift * Double(alpha) + Double(beta), nodes: argument.nodes),
        outer: outer)
    case .activation(.tanh):
      if let inner = index.producer[argument.value.index], isBare(inner),
        case .activation(.softplus) = graph.nodes[inner].primitive, argument.nodes.isEmpty
      {
        outer.nodes.insert(inner)
        return Gate(
          function: .tanhOfSoftplus, argument: line(graph.nodes[inner].inputs[0]),
          outer: outer)
      }
      return Gate(function: .tanh, argument: argument, outer: outer)
    default: return nil
    }
  }

  /// The most nodes of a line.
  ///
  /// Activation functions are written with fewer.
  private static let mostOfLine = 8

  /// A value as a line of another one, with one scale and one shift for all channels.
  private func line(_ value: OperationGraph.Value) -> Line {
    var line = Line(value: value)
    while line.nodes.count < Self.mostOfLine, let position = index.producer[line.value.index],
      isBare(position),
      let (scale, shift) = scaleAndShift(graph.nodes[position])
    {
      line.shift += line.scale * shift
      line.scale *= scale
      line.nodes.insert(position)
      line.value = graph.nodes[position].inputs[0]
    }
    return line
  }

  private func scaleAndShift(
    _ node: OperationGraph.Node
  ) -> (scale: Double, shift: Double)? {
    switch node.primitive {
    case .affine:
      guard let scale = number(node.inputs[1]), let shift = number(node.inputs[2]) else {
        return nil
      }
      return (scale, shift)
    case .binary(let operation):
      guard node.inputs.count == 2,
        graph.shape(of: node.inputs[0]) == graph.shape(of: node.output),
        let other = number(node.inputs[1])
      else { return nil }
      switch operation {
      case .add: return (1, other)
      case .subtract: return (1, -other)
      case .multiply: return (other, 0)
      case .divide: return (1 / other, 0)
      default: return nil
      }
    default: return nil
    }
  }

  /// The value of all elements of a constant of the model; `nil` for parameters, which are not
  /// read.
  private func number(_ value: OperationGraph.Value) -> Double? {
    guard case .literal(let values) = graph.constant(value), let first = values.first,
      values.allSatisfy({ $0 == first })
    else { return nil }
    return Double(first)
  }

  /// Whether a value is `x + 0.044715·x³`.
  private func isCubic(_ value: OperationGraph.Value, of x: OperationGraph.Value) -> Bool {
    guard let position = index.producer[value.index], isBare(position),
      case .binary(.add) = graph.nodes[position].primitive
    else { return false }
    let operands = graph.nodes[position].inputs
    for (linear, cubic) in [(operands[0], operands[1]), (operands[1], operands[0])]
    where linear == x {
      let line = line(cubic)
      if line.shift == 0, isNear(line.scale, 0.044715), power(line.value, of: x) == 3 {
        return true
      }
    }
    return false
  }

  /// The power of `x` that a value is; `nil` for anything else.
  private func power(_ value: OperationGraph.Value, of x: OperationGraph.Value) -> Int? {
    if value == x { return 1 }
    guard let position = index.producer[value.index], isBare(position) else { return nil }
    let node = graph.nodes[position]
    switch node.primitive {
    case .unary(.square): return power(node.inputs[0], of: x).map { 2 * $0 }
    case .binary(.multiply):
      guard let first = power(node.inputs[0], of: x),
        let second = power(node.inputs[1], of: x)
      else { return nil }
      return first + second
    case .binary(.power):
      guard node.inputs[0] == x else { return nil }
      return number(node.inputs[1]).flatMap { Int(exactly: $0) }
    default: return nil
    }
  }

  private func isBare(_ position: Int) -> Bool {
    graph.nodes[position].residual == nil && graph.nodes[position].activation == .linear
  }

  /// Whether a constant is another one except for the rounding of the arithmetic that made it.
  private func isNear(_ value: Double, _ exact: Double) -> Bool {
    abs(value - exact) <= 1e-6 * abs(exact)
  }
}
