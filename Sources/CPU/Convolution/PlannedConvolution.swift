import CForgeKernels
import ForgeOperations
import ForgeShapes

/// A convolution node and its chosen algorithm.
struct PlannedConvolution {
  /// The node of the bound graph.
  let node: OperationGraph.Node
  let problem: ConvolutionProblem
  let algorithm: any ConvolutionAlgorithm
  /// The pooling performed in the same step.
  var pooling: OperationGraph.Node?

  /// The value that the step produces.
  var output: OperationGraph.Value { pooling?.output ?? node.output }
  /// The activation that the step applies last.
  var activation: ActivationFunction {
    node.activation == .linear ? pooling?.activation ?? .linear : node.activation
  }
}

/// The tensors that a convolution reads and writes.
struct ConvolutionOperands {
  let source, target: PlannedTensor.ID
  let residual: PlannedTensor.ID?
}

extension PlanBuilder {
  /// Adds the steps of the current node's convolution.
  mutating func addConvolution() throws {
    guard let planned = convolutions.planned[node] else { throw NoConvolutionAlgorithm() }
    if let pooling = planned.pooling { layers += pooling.layers }
    try planned.algorithm.addSteps(for: planned, to: &self)
  }

  /// Returns the blocked images that a convolution reads and writes.
  mutating func operands(of convolution: PlannedConvolution) throws -> ConvolutionOperands {
    let input = convolution.node.inputs[0]
    let source = convolution.problem.readsVector ? try vector(input) : try blocked(input)
    let residual = try convolution.node.residual.map { try blocked($0) }
    return ConvolutionOperands(
      source: source, target: blockedResult(convolution.output), residual: residual)
  }

  /// Returns a value as a blocked image of one pixel with its elements in row-major order.
  private mutating func vector(_ value: Value) throws -> ID {
    let plain = try self.plain(value)
    let elements = tensor(plain)
    if elements.base == .arena { return addTensor(elements.asVector) }
    let flat = addTensor(elements.reshaped([1, 1, elements.count]))
    let vector = addBlocked([1, 1, elements.count])
    addBlock(from: flat, to: vector)
    return vector
  }

  mutating func packedWeights(
    _ convolution: PlannedConvolution, part: Range<Int>? = nil, as form: some PackedForm
  ) throws -> UnsafePointer<Float>? {
    let node = convolution.node
    return try packed(
      node.inputs[1], part: part, as: form,
      weights: TinyWeights(of: node, in: graph, constants.source), bias: node.bias)
  }

  /// Returns the packed bias of a convolution, zeros if it has none.
  mutating func packedBias(
    _ convolution: PlannedConvolution, part: Range<Int>? = nil, count: Int
  ) throws -> UnsafePointer<Float>? {
    let bias = convolution.node.bias
    return try packed(bias, part: bias == nil ? nil : part, as: PaddedForm(count: count))
  }

  /// Returns the multiply-adds of a direct summation of the outputs in a tensor, for reports.
  func multiplyAdds(_ outputs: ID, of problem: ConvolutionProblem) -> Int {
    [problem.taps, problem.inputs].reduce(tensor(outputs).count) { $0.multipliedSaturated(by: $1) }
  }
}

extension OperationGraph.Node {
  /// The bias of a convolution, if it has one.
  var bias: OperationGraph.Value? { inputs.dropFirst(2).first }
}

/// Thrown if no algorithm can compute a convolution.
struct NoConvolutionAlgorithm: Error {}
