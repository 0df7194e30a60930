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

  /// All tensors that are read.
  var reads: [PlannedTensor.ID] { [source] + added }
  /// The tensors that are added to the sums.
  var added: [PlannedTensor.ID] { residual.map { [$0] } ?? [] }
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
    let count = tensor(plain).count
    if tensor(plain).base == .arena {
      return addTensor { tensors, _ in tensors[plain].asVector(count) }
    }
    let flat = addTensor { tensors, _ in tensors[plain].reshaped([1, 1, count]) }
    let vector = addTensor { _, id in PlannedTensor.blocked([1, 1, count], halo: .none, id: id) }
    addBlock(from: flat, to: vector)
    return vector
  }

  mutating func packedWeights(
    _ convolution: PlannedConvolution, part: Range<Int>? = nil, as form: some PackedForm
  ) throws -> UnsafePointer<Float>? {
    try packed(convolution.node.inputs[1], part: part, as: form)
  }

  /// Returns the packed bias of a convolution, zeros if it has none.
  mutating func packedBias(
    _ convolution: PlannedConvolution, part: Range<Int>? = nil, count: Int
  ) throws -> UnsafePointer<Float>? {
    let node = convolution.node
    guard node.inputs.count > 2 else { return try packed(nil, as: ZeroForm(count: count)) }
    return try packed(node.inputs[2], part: part, as: PaddedForm(count: count))
  }

  /// Returns the product of counts, saturating on overflow; reports use it.
  static func saturatingProduct(_ factors: [Int]) -> Int {
    factors.reduce(1) { $0.multipliedSaturated(by: $1) }
  }
}

/// Thrown if no algorithm can compute a convolution.
struct NoConvolutionAlgorithm: Error {}
