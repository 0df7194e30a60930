import CForgeKernels
import ForgeOperations
import ForgeShapes
import ForgeSystem

extension PlanBuilder {
  mutating func addActivation(_ node: OperationGraph.Node, _ function: ActivationFunction) throws {
    guard isImage(node.output) else {
      let source = try plain(node.inputs[0])
      let target = plainResult(node.output)
      var arguments = forge_activation_plain_arguments()
      arguments.count = Int64(tensor(target).count)
      arguments.activation = forge_activation(function)
      addStep(
        "activation", kernels.activation_plain, arguments, tiles: forge_activation_plain_tiles,
        reads: [\.in: source], writes: [\.out: target])
      return
    }
    let source = try blocked(node.inputs[0])
    let target = try blockedResult(node.output, reusing: [node.inputs[0]])
    var arguments = forge_activation_arguments()
    arguments.activation = forge_activation(function)
    addStep(
      "activation", kernels.activation, arguments, tiles: forge_activation_tiles,
      parts: tensor(target).height, reads: [\.in: source], writes: [\.out: target])
  }

  /// Adds a scale and a shift per channel, such as a batch normalization that was not folded.
  mutating func addAffine(_ node: OperationGraph.Node) throws {
    guard let channels = sizes(of: node.output).last,
      let affine = try AffineConstants(node, graph: graph, constants: constants.source)
    else { preconditionFailure("the operands of a scale are constants") }
    let spread = { (values: [Double]) in
      values.count == 1
        ? Array(repeating: Float(values[0]), count: channels) : values.map { Float($0) }
    }
    let (scale, shift) = (spread(affine.scale), spread(affine.shift))
    guard isImage(node.output) else {
      try addPlainAffine(node, scale: scale, shift: shift)
      return
    }
    let count = AlignedMemory.round(channels, to: PlannedTensor.lanes)
    var arguments = forge_affine_arguments()
    arguments.scale = try retain(scale, count: count)
    arguments.bias = try retain(shift, count: count)
    arguments.activation = forge_activation(node.activation)
    let source = try blocked(node.inputs[0])
    let target = try blockedResult(node.output, reusing: [node.inputs[0]])
    addStep(
      "affine", kernels.affine, arguments, tiles: forge_affine_tiles,
      parts: tensor(target).height, reads: [\.in: source], writes: [\.out: target])
  }

  /// Adds a scale and a shift along the last axis of a plain tensor: a product, then a sum.
  private mutating func addPlainAffine(
    _ node: OperationGraph.Node, scale: [Float], shift: [Float]
  ) throws {
    let source = try plain(node.inputs[0])
    let sizes = sizes(of: node.output)
    let product = addPlain(sizes)
    let target = plainResult(node.output)
    let scaleTensor = addConstant(try FloatMemory(scale), sizes: [scale.count])
    let shiftTensor = addConstant(try FloatMemory(shift), sizes: [shift.count])
    addPlainBinary(.multiply, a: source, b: scaleTensor, out: product, activation: .linear)
    addPlainBinary(.add, a: product, b: shiftTensor, out: target, activation: node.activation)
  }

  /// Adds an operation on two tensors with broadcasting.
  mutating func addBinary(_ node: OperationGraph.Node, _ operation: BinaryOperator) throws {
    let (a, b) = (node.inputs[0], node.inputs[1])
    guard isImage(node.output), operation.hasVectorForm else {
      let (left, right) = (try plain(a), try plain(b))
      let target = plainResult(node.output)
      addPlainBinary(operation, a: left, b: right, out: target, activation: node.activation)
      return
    }
    let (left, right) = (try blocked(a), try blocked(b))
    let result = try blockedResult(node.output, reusing: [a, b])
    var arguments = forge_binary_arguments()
    arguments.operation = operation.code
    arguments.activation = forge_activation(node.activation)
    addStep(
      operation.rawValue, kernels.binary, arguments, tiles: forge_binary_tiles,
      parts: tensor(result).height, reads: [\.a: left, \.b: right], writes: [\.out: result])
  }

  mutating func addPlainBinary(
    _ operation: BinaryOperator, a: ID, b: ID, out: ID, activation: ActivationFunction
  ) {
    let sizes = tensor(out).sizes
    let aStrides = Shape.strides(of: tensor(a).sizes, broadcastTo: sizes)
    let bStrides = Shape.strides(of: tensor(b).sizes, broadcastTo: sizes)
    var arguments = forge_binary_plain_arguments()
    arguments.rank = Int32(sizes.count)
    arguments.operation = operation.code
    withUnsafeMutableBytes(of: &arguments.sizes) { $0.store(sizes) }
    withUnsafeMutableBytes(of: &arguments.a_strides) { $0.store(aStrides) }
    withUnsafeMutableBytes(of: &arguments.b_strides) { $0.store(bStrides) }
    arguments.activation = forge_activation(activation)
    addStep(
      operation.rawValue, operation.hasVectorForm ? kernels.binary_plain : kernels.combine_plain,
      arguments, tiles: forge_binary_plain_tiles,
      reads: [\.a: a, \.b: b], writes: [\.out: out])
  }
}

extension BinaryOperator {
  /// Whether the vector kernels, of blocked images among them, have the operator.
  fileprivate var hasVectorForm: Bool {
    switch self {
    case .power, .remainderOfDividend, .remainderOfDivisor: false
    case .add, .subtract, .multiply, .maximum, .minimum, .prelu, .divide, .equal, .notEqual, .less,
      .lessOrEqual, .greater, .greaterOrEqual, .and, .or, .xor:
      true
    }
  }

  /// The C value of the operator.
  fileprivate var code: Int32 {
    let code =
      switch self {
      case .add: FORGE_ADD
      case .subtract: FORGE_SUBTRACT
      case .multiply: FORGE_MULTIPLY
      case .maximum: FORGE_MAXIMUM
      case .minimum: FORGE_MINIMUM
      case .prelu: FORGE_PRELU
      case .divide: FORGE_DIVIDE
      case .power: FORGE_POWER
      case .remainderOfDividend: FORGE_REMAINDER_OF_DIVIDEND
      case .remainderOfDivisor: FORGE_REMAINDER_OF_DIVISOR
      case .equal: FORGE_EQUAL
      case .notEqual: FORGE_NOT_EQUAL
      case .less: FORGE_LESS
      case .lessOrEqual: FORGE_LESS_OR_EQUAL
      case .greater: FORGE_GREATER
      case .greaterOrEqual: FORGE_GREATER_OR_EQUAL
      case .and: FORGE_AND
      case .or: FORGE_OR
      case .xor: FORGE_XOR
      }
    return Int32(code.rawValue)
  }
}
