import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// Adds a function of each element of a plain tensor.
  mutating func addUnary(_ node: OperationGraph.Node, _ function: UnaryFunction) throws {
    let source = try plain(node.inputs[0])
    let target = plainResult(node.output)
    var arguments = forge_unary_plain_arguments()
    arguments.count = Int64(tensor(target).count)
    let (code, a, b) = function.code
    arguments.function = Int32(code.rawValue)
    (arguments.a, arguments.b) = (a, b)
    addStep(
      "unary", kernels.unary_plain, arguments, tiles: forge_unary_plain_tiles,
      reads: [\.in: source], writes: [\.out: target])
  }

  /// Adds the choice between two plain tensors with broadcasting.
  mutating func addSelect(_ node: OperationGraph.Node) throws {
    let operands = try node.inputs.map { try plain($0) }
    let target = plainResult(node.output)
    let sizes = tensor(target).sizes
    let strides = operands.map { Shape.strides(of: tensor($0).sizes, broadcastTo: sizes) }
    var arguments = forge_select_arguments()
    arguments.rank = Int32(sizes.count)
    withUnsafeMutableBytes(of: &arguments.sizes) { $0.store(sizes) }
    withUnsafeMutableBytes(of: &arguments.condition_strides) { $0.store(strides[0]) }
    withUnsafeMutableBytes(of: &arguments.yes_strides) { $0.store(strides[1]) }
    withUnsafeMutableBytes(of: &arguments.no_strides) { $0.store(strides[2]) }
    addStep(
      "select", kernels.select, arguments, tiles: forge_select_tiles,
      reads: [\.condition: operands[0], \.yes: operands[1], \.no: operands[2]],
      writes: [\.out: target])
  }
}

extension UnaryFunction {
  /// The C value of the function and its numbers.
  fileprivate var code: (forge_unary_function, Float, Float) {
    switch self {
    case .absolute: (FORGE_UNARY_ABSOLUTE, 0, 0)
    case .negate: (FORGE_UNARY_NEGATE, 0, 0)
    case .sign: (FORGE_UNARY_SIGN, 0, 0)
    case .reciprocal: (FORGE_UNARY_RECIPROCAL, 0, 0)
    case .squareRoot: (FORGE_UNARY_SQUARE_ROOT, 0, 0)
    case .reciprocalSquareRoot: (FORGE_UNARY_RECIPROCAL_SQUARE_ROOT, 0, 0)
    case .square: (FORGE_UNARY_SQUARE, 0, 0)
    case .exponential: (FORGE_UNARY_EXPONENTIAL, 0, 0)
    case .logarithm: (FORGE_UNARY_LOGARITHM, 0, 0)
    case .floor: (FORGE_UNARY_FLOOR, 0, 0)
    case .ceiling: (FORGE_UNARY_CEILING, 0, 0)
    case .round: (FORGE_UNARY_ROUND, 0, 0)
    case .truncate: (FORGE_UNARY_TRUNCATE, 0, 0)
    case .errorFunction: (FORGE_UNARY_ERROR_FUNCTION, 0, 0)
    case .sine: (FORGE_UNARY_SINE, 0, 0)
    case .cosine: (FORGE_UNARY_COSINE, 0, 0)
    case .tangent: (FORGE_UNARY_TANGENT, 0, 0)
    case .arcsine: (FORGE_UNARY_ARCSINE, 0, 0)
    case .arccosine: (FORGE_UNARY_ARCCOSINE, 0, 0)
    case .arctangent: (FORGE_UNARY_ARCTANGENT, 0, 0)
    case .hyperbolicSine: (FORGE_UNARY_HYPERBOLIC_SINE, 0, 0)
    case .hyperbolicCosine: (FORGE_UNARY_HYPERBOLIC_COSINE, 0, 0)
    case .hyperbolicArcsine: (FORGE_UNARY_HYPERBOLIC_ARCSINE, 0, 0)
    case .hyperbolicArccosine: (FORGE_UNARY_HYPERBOLIC_ARCCOSINE, 0, 0)
    case .hyperbolicArctangent: (FORGE_UNARY_HYPERBOLIC_ARCTANGENT, 0, 0)
    case .softsign: (FORGE_UNARY_SOFTSIGN, 0, 0)
    case .logicalNot: (FORGE_UNARY_LOGICAL_NOT, 0, 0)
    case .isNonzero: (FORGE_UNARY_IS_NONZERO, 0, 0)
    case .isNaN: (FORGE_UNARY_IS_NAN, 0, 0)
    case .roundToFloat16: (FORGE_UNARY_ROUND_TO_HALF, 0, 0)
    case .roundToBFloat16: (FORGE_UNARY_ROUND_TO_BFLOAT16, 0, 0)
    case .isInfinite(let positive, let negative):
      (FORGE_UNARY_IS_INFINITE, positive ? 1 : 0, negative ? 1 : 0)
    case .thresholdedReLU(let alpha): (FORGE_UNARY_THRESHOLDED_RELU, alpha, 0)
    case .scaledELU(let alpha, let gamma): (FORGE_UNARY_SCALED_ELU, alpha, gamma)
    case .celu(let alpha): (FORGE_UNARY_CELU, alpha, 0)
    case .swish(let beta): (FORGE_UNARY_SWISH, beta, 0)
    case .shrink(let bias, let lambda): (FORGE_UNARY_SHRINK, bias, lambda)
    case .scaledTanh(let alpha, let beta): (FORGE_UNARY_SCALED_TANH, alpha, beta)
    case .parametricSoftplus(let alpha, let beta):
      (FORGE_UNARY_PARAMETRIC_SOFTPLUS, alpha, beta)
    }
  }
}
