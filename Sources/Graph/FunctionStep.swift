import ForgeLayers
import ForgeShapes

/// What a function between tensors takes or returns: one ``Tensor`` or an array of them.
public protocol TensorGroup {
  /// The tensors in order.
  var tensors: [Tensor] { get }
  /// Returns a group of exactly these tensors; `nil` if it cannot hold their number.
  ///
  /// - Parameter tensors: the tensors in order.
  /// - Returns: the group, or `nil`.
  static func group(of tensors: [Tensor]) -> Self?
}

extension Tensor: TensorGroup {
  /// The tensor alone.
  public var tensors: [Tensor] { [self] }

  /// Returns the only tensor of an array; `nil` if there is not exactly one.
  ///
  /// - Parameter tensors: an array of one tensor.
  /// - Returns: the tensor, or `nil`.
  public static func group(of tensors: [Tensor]) -> Self? {
    tensors.count == 1 ? tensors.first as? Self : nil
  }
}

extension Array: TensorGroup where Element == Tensor {
  /// The array itself.
  public var tensors: [Tensor] { self }

  /// Returns the array itself.
  ///
  /// - Parameter tensors: any number of tensors.
  /// - Returns: the same tensors.
  public static func group(of tensors: [Tensor]) -> [Tensor]? { tensors }
}

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
