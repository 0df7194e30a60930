import CForgeKernels
import ForgeOperations

/// A node that is done by a convolution algorithm, with the algorithm that was chosen.
struct PlannedConvolution {
  /// The node of the bound graph.
  let node: OperationGraph.Node
  /// What it computes.
  let problem: ConvolutionProblem
  /// How.
  let algorithm: any ConvolutionAlgorithm
  /// The pooling that is done in the same step.
  var pooling: OperationGraph.Node?

  /// The value that the step makes.
  var output: OperationGraph.Value { pooling?.output ?? node.output }
  /// The function that comes last in the step.
  var activation: ActivationFunction {
    node.activation == .linear ? pooling?.activation ?? .linear : node.activation
  }
}

/// The tensors that a convolution reads and writes.
struct ConvolutionOperands {
  let source, target: PlannedTensor.ID
  let residual: PlannedTensor.ID?

  /// The tensors that are read.
  var reads: [PlannedTensor.ID] { [source] + added }
  /// What is added to the sums.
  var added: [PlannedTensor.ID] { residual.map { [$0] } ?? [] }
}

extension PlanBuilder {
  /// The steps of a convolution, by the algorithm that was chosen.
  mutating func addConvolution() throws {
    guard let planned = convolutions.planned[node] else { throw NoConvolutionAlgorithm() }
    if let pooling = planned.pooling { layers += pooling.layers }
    try planned.algorithm.addSteps(for: planned, to: &self)
  }

  /// The blocked images that a convolution reads, and the one that it makes.
  mutating func operands(of convolution: PlannedConvolution) throws -> ConvolutionOperands {
    let input = convolution.node.inputs[0]
    let source = convolution.problem.readsVector ? try vector(input) : try blocked(input)
    let residual = try convolution.node.residual.map { try blocked($0) }
    return ConvolutionOperands(
      source: source, target: blockedResult(convolution.output), residual: residual)
  }

  /// A value as a blocked image of one pixel, whose elements lie as they do in row-major order.
  private mutating func vector(_ value: Value) throws -> ID {
    let plain = try self.plain(value)
    let count = tensor(plain).count
    if tensor(plain).base == .arena {
      return addTensor { tensors, _ in tensors[plain].asVector(count) }
    }
    let flat = addTensor { tensors, _ in tensors[plain].reshaped([1, 1, count]) }
    let vector = addTensor { _, id in PlannedTensor.blocked([1, 1, count], halo: .none, id: id) }
    addBlock(from: flat, to: vector)
    return vector
  }

  /// The packed weights of a convolution.
  mutating func packedWeights(
    _ convolution: PlannedConvolution, part: Range<Int>? = nil, as form: some PackedForm
  ) throws -> UnsafePointer<Float>? {
    try packed(convolution.node.inputs[1], part: part, as: form)
  }

  /// The bias of a convolution, zeros where it has none.
  mutating func packedBias(
    _ convolution: PlannedConvolution, part: Range<Int>? = nil, count: Int
  ) throws -> UnsafePointer<Float>? {
    let node = convolution.node
    guard node.inputs.count > 2 else { return try packed(nil, as: ZeroForm(count: count)) }
    return try packed(node.inputs[2], part: part, as: PaddedForm(count: count))
  }

  /// A count for reports: sizes are bounded, their product is not.
  static func saturatingProduct(_ factors: [Int]) -> Int {
    factors.reduce(1) { product, factor in
      let (value, overflow) = product.multipliedReportingOverflow(by: factor)
      return overflow ? .max : value
    }
  }
}

/// Thrown when no algorithm can compute a convolution.
struct NoConvolutionAlgorithm: Error {}
