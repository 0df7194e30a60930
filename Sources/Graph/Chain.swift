import ForgeLayers

/// Binds tighter than `?:` and assignment, and looser than logic, comparison and arithmetic.
precedencegroup ChainPrecedence {
  associativity: left
  higherThan: TernaryPrecedence
  lowerThan: LogicalDisjunctionPrecedence
}

infix operator --> : ChainPrecedence

/// Applies a layer, a block, a model or another step to the left side.
///
/// It is one generic function for every left side on purpose. With an overload per combination, a
/// 200-layer chain with one misspelled member takes the type checker very long, and the error
/// points at the first line of the chain (Docs/Architecture.md). Functions have the overloads
/// below; one with a function on its left would make chains with closures too slow, so there is
/// `Block(function)`.
///
/// - Parameters:
///   - source: a tensor, an array of tensors, a model, a layer or a block.
///   - step: what is applied to it.
/// - Returns: a tensor for tensors, a model for a model, a block for a layer or a block.
public func --> <S: Chainable>(source: S, step: some Step) -> S.Chained {
  source.chained(to: step)
}

/// Applies a function to a tensor or to several.
///
/// ```swift
/// func residual(_ x: Tensor) -> Tensor {
///   [x, x --> Convolution(kernel: 3, channels: 8)] --> Add()
/// }
/// let y = x --> residual
/// let joined = [a, b] --> merge           // merge: ([Tensor]) -> Tensor
/// let halves = x --> split                // split: (Tensor) -> [Tensor]
/// ```
///
/// - Parameters:
///   - source: what the function takes: a tensor, or an array of tensors.
///   - function: what builds on it.
/// - Returns: what the function returns.
public func --> <Source: TensorGroup, Result: TensorGroup>(
  source: Source, function: (Source) -> Result
) -> Result {
  function(source)
}

/// Applies a function to the only output of a model.
///
/// - Parameters:
///   - source: a model of one output; another number is a mistake.
///   - function: what builds on it.
/// - Returns: the model with the outputs of the function.
public func --> (source: Model, function: (Tensor) -> some TensorGroup) -> Model {
  source.with(outputs: Tensor.applying(function, to: source.outputs, ofModel: true))
}

/// Applies a function to all outputs of a model.
///
/// - Parameters:
///   - source: a model of one or several outputs.
///   - function: what builds on them; a closure states its type, `{ (tensors: [Tensor]) in … }`.
/// - Returns: the model with the outputs of the function.
public func --> <Operand: TensorGroup>(
  source: Model, function: (Operand) -> some TensorGroup
) -> Model {
  source.with(outputs: Tensor.applying(function, to: source.outputs, ofModel: true))
}

/// Makes a block of a layer or block and a function.
///
/// - Parameters:
///   - source: a layer or a block.
///   - function: what builds on its output; a block may be used by any thread, so the function is
///     `@Sendable`.
/// - Returns: the block, which applies both.
public func --> <Source: Step & Chainable>(
  source: Source, function: @escaping @Sendable (Tensor) -> some TensorGroup
) -> Block where Source.Chained == Block {
  source.chained(to: FunctionStep(function: function))
}

/// Makes a block of a layer or block and a function of all its outputs.
///
/// - Parameters:
///   - source: a layer or a block.
///   - function: what builds on its outputs.
/// - Returns: the block, which applies both.
public func --> <Source: Step & Chainable, Operand: TensorGroup>(
  source: Source, function: @escaping @Sendable (Operand) -> some TensorGroup
) -> Block where Source.Chained == Block {
  source.chained(to: FunctionStep(function: function))
}
