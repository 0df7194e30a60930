import ForgeLayers
import ForgeShapes

/// A function between tensors as a step of a block.
struct FunctionStep<Operand: TensorGroup, Result: TensorGroup>: GraphStep {
  let function: @Sendable (Operand) -> Result

  func outputs(for inputs: [Tensor]) -> [Tensor] { Tensor.applying(function, to: inputs) }
}

extension Tensor {
  /// Calls a function on tensors; a number that it does not take is a mistake.
  static func applying<Operand: TensorGroup>(
    _ function: (Operand) -> some TensorGroup, to tensors: [Tensor], ofModel isModel: Bool = false
  ) -> [Tensor] {
    if let operand = Operand.group(of: tensors) { return function(operand).tensors }
    let error = ShapeError.functionAfterSeveral(tensors.count, isModel: isModel)
    return [Tensor(.foreign("Function", error), inputs: tensors)]
  }
}

extension Block {
  /// Creates a block of one function, so that a chain can begin with it: `Block(f) --> Softmax()`.
  ///
  /// - Parameter function: what builds on a tensor; a block may be used by any thread, so the
  ///   function is `@Sendable`.
  public init(_ function: @escaping @Sendable (Tensor) -> some TensorGroup) {
    self.init([FunctionStep(function: function)])
  }

  /// Creates a block of one function of several tensors.
  ///
  /// - Parameter function: what builds on the tensors before the block.
  public init<Operand: TensorGroup>(
    _ function: @escaping @Sendable (Operand) -> some TensorGroup
  ) {
    self.init([FunctionStep(function: function)])
  }
}
