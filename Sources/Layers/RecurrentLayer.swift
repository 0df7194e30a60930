import ForgeOperations
import ForgeShapes

/// A layer that reads a sequence one time after the other and remembers what it has read.
///
/// ``Bidirectional`` takes any of them.
public protocol RecurrentLayer: Layer {
  /// What the layer computes.
  var recurrence: Recurrence { get }
}

/// What a recurrent layer computes, without its name and place.
public struct Recurrence: Hashable, Sendable {
  /// The formula, sizes and optional operands, without those of an initial state.
  package let rule: RecurrentRule
  /// The biases of the input's part.
  package let bias: Bias
  /// Whether the output is the sequence instead of the output of the time that is read last.
  package let returnsSequences: Bool
  /// Whether a prediction begins with the state that the previous one left.
  package let isStateful: Bool

  /// What the biases of the input's part are.
  package enum Bias: Hashable, Sendable {
    /// There are none.
    case none
    /// One number per gate and unit.
    case single
    /// The first of two rows, of which the other one is for the recurrent products.
    case joined
  }

  /// The same in the other direction.
  var reversed: Recurrence {
    Recurrence(
      rule: rule.reversed, bias: bias, returnsSequences: returnsSequences, isStateful: isStateful)
  }
}

/// One of Forge's own recurrent layers.
package protocol BuiltInRecurrentLayer: BuiltInLayer, RecurrentLayer {}

extension BuiltInRecurrentLayer {
  /// Lowers to a product for all times and the cells, one time after the other.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.recur(recurrence)
  }
}

extension Lowering {
  /// The output of recurrent cells for the layer's inputs: a sequence, optionally its initial
  /// hidden values and cells, and a mask if the cells have one.
  ///
  /// - Parameters:
  ///   - recurrence: what is computed.
  ///   - type: the type of a parameter in the layer, given the one of a single direction.
  ///   - states: the initial hidden values and cells; by default the layer's other inputs.
  /// - Returns: the sequence, or the output of the time that is read last.
  /// - Throws: `ShapeError` when the inputs or the arguments do not fit.
  mutating func recur(
    _ recurrence: Recurrence,
    type: (ParameterType) -> ParameterType = { $0 }, states: [Value]? = nil
  ) throws(ShapeError) -> Value {
    var rule = recurrence.rule
    let (ownStates, mask) = statesAndMask(of: rule)
    let states = states ?? ownStates
    let stateCount = rule.hasCells ? 2 : 1
    guard let sequence = inputs.first, states.isEmpty || states.count == stateCount,
      (mask != nil) == rule.optional.contains(.mask)
    else {
      throw .wrongInputCount(
        inputs.count,
        needs: "a sequence, or a sequence and \(rule.hasCells ? "its h and c" : "its h")"
          + (rule.optional.contains(.mask) ? "; and a mask" : ""))
    }
    let shape = shape(of: sequence)
    guard shape.rank == 2 else {
      throw .notASequence(shape)
    }
    let channels = try ArgumentRule.lastAxis(of: shape)
    let row = try apply(.reshape([-1, 1, channels]), to: [sequence])
    var initial: [Value] = []
    if recurrence.isStateful {
      guard states.isEmpty, !rule.isReversed else {
        throw ShapeError(
          .invalidArgument, "the layer cannot keep its state",
          needs: "no initial state, and a sequence that is read forwards")
      }
      rule = rule.withState
      initial.append(try state("hidden", shape: Shape(sizes: [1, rule.outputs])))
      if rule.hasCells {
        initial.append(try state("cells", shape: Shape(sizes: [1, rule.units])))
      }
    } else if !states.isEmpty {
      rule = rule.withState
      for (state, (name, size)) in zip(states, [("h", rule.outputs), ("c", rule.units)]) {
        let shape = self.shape(of: state)
        guard shape.elementCount ?? size == size else {
          throw ShapeError(
            .shapeMismatch, "the initial \(name) has a different size from the layer",
            received: shape.description, needs: ShapeError.counted(size, "number"))
        }
        initial.append(try apply(.reshape([1, size]), to: [state]))
      }
    }
    var others = initial
    if let mask { others.append(try column(mask, of: sequence)) }
    let (all, gates) = try cells(rule, bias: recurrence.bias, of: row, others, type: type)
    if recurrence.isStateful {
      for (state, part) in zip(initial, [RecurrentRule.Part.hidden, .cells]) {
        try setState(state, to: try apply(.recurrentPart(rule, part), to: [all, gates]))
      }
    }
    guard recurrence.returnsSequences else {
      let last = try apply(.recurrentPart(rule, .hidden), to: [all, gates])
      return try apply(.reshape([1, 1, rule.outputs]), to: [last])
    }
    let outputs = try apply(.recurrentPart(rule, .sequence), to: [all, gates])
    let steps = try apply(.reshape([-1, rule.outputs]), to: [outputs])
    state(.stepsFirst, of: steps)
    return steps
  }

  /// The inputs after the sequence: initial states, and a mask if the cells have one.
  func statesAndMask(of rule: RecurrentRule) -> (states: [Value], mask: Value?) {
    let others = Array(inputs.dropFirst())
    guard rule.optional.contains(.mask) else { return (others, nil) }
    return (Array(others.dropLast()), others.last)
  }

  /// A mask with one number per time of a sequence, as [times][1].
  mutating func column(_ mask: Value, of sequence: Value) throws(ShapeError) -> Value {
    let maskShape = shape(of: mask)
    let times = shape(of: sequence).dimensions[0]
    guard let count = maskShape.elementCount ?? times, count == times ?? count else {
      throw ShapeError(
        .shapeMismatch, "the mask has a different length from the sequence",
        received: maskShape.description, needs: ShapeError.counted(times ?? 0, "number"))
    }
    return try apply(.reshape([-1, 1]), to: [mask])
  }

  /// All results of recurrent cells, and the gates' parts that come from the input.
  ///
  /// - Parameters:
  ///   - rule: the formula and the operands.
  ///   - bias: the biases of the input's part.
  ///   - sequence: [times][rows][channels]; the number of times may be unknown.
  ///   - others: the operands of the rule that are not constants, in their order.
  ///   - type: the type of a parameter in the layer, given the one of a single direction.
  /// - Returns: the vector of all results, and the gates' parts.
  /// - Throws: `ShapeError` when the sequence or the arguments do not fit.
  mutating func cells(
    _ rule: RecurrentRule, bias: Recurrence.Bias, of sequence: Value, _ others: [Value],
    type: (ParameterType) -> ParameterType = { $0 }
  ) throws(ShapeError) -> (all: Value, gates: Value) {
    try ArgumentRule.positive(rule.units, "units")
    try ArgumentRule.positive(rule.outputs, "projection")
    let shape = shape(of: sequence)
    let channels = try ArgumentRule.lastAxis(of: shape)
    guard shape.rank == 3, let rows = shape.dimensions[1] else {
      throw .unknownSize("a sequence of a known number of rows")
    }
    let width = rule.cell.gates.multipliedSaturated(by: rule.units)
    let product = ConvolutionOperation(
      geometry: ConvolutionGeometry(kernel: .one), outputs: width, groups: 1)
    var operands = [
      try apply(.reshape([1, -1, channels]), to: [sequence]),
      try parameter(
        type(.weights), [.outputs: width, .height: 1, .width: 1, .inputs: channels]),
    ]
    graph.weightScales[operands[1].index] = rule.inputScales
    let biases = try biases(bias, type(.biases), width: width)
    if let inputBiases = biases.first { operands.append(inputBiases) }
    let sums = try apply(product.primitive, to: operands)
    let gates = try apply(.reshape([-1, rows, width]), to: [sums])

    operands = [
      gates, try matrix(type(.recurrentWeights), outputs: width, inputs: rule.outputs),
    ]
    if rule.optional.contains(.recurrentBiases) {
      operands.append(
        biases.count > 1 ? biases[1] : try parameter(type(.recurrentBiases), [.outputs: width]))
    }
    if rule.optional.contains(.peepholes) {
      operands.append(try parameter(type(.peepholes), [.multiplier: 3, .channels: rule.units]))
    }
    if rule.optional.contains(.projection) {
      operands.append(try matrix(type(.projection), outputs: rule.outputs, inputs: rule.units))
    }
    return (try apply(.recurrent(rule), to: operands + others), gates)
  }

  /// The biases of the input's part, and those of the recurrent products if they are joined.
  private mutating func biases(
    _ bias: Recurrence.Bias, _ type: ParameterType, width: Int
  ) throws(ShapeError) -> [Value] {
    switch bias {
    case .none: return []
    case .single: return [try parameter(type, [.outputs: width])]
    case .joined:
      let both = try parameter(type, [.multiplier: 2, .outputs: width])
      var rows: [Value] = []
      for row in 0..<2 {
        rows.append(
          try strided(both, start: row * width, shape: Shape(sizes: [width]), strides: [1]))
      }
      return rows
    }
  }

  /// A matrix [outputs][inputs], which Keras has transposed.
  private mutating func matrix(
    _ type: ParameterType, outputs: Int, inputs: Int
  ) throws(ShapeError) -> Value {
    try parameter(
      ParameterSpec(
        type, [.outputs: outputs, .inputs: inputs], keras: [.inputs, .outputs],
        pytorch: [.outputs, .inputs]))
  }
}

extension RecurrentRule {
  /// The same rule with initial hidden values and cells as operands.
  var withState: RecurrentRule {
    adding(hasCells ? [.hidden, .cells] : [.hidden])
  }
}
