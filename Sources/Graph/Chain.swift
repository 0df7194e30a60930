import ForgeLayers

/// Binds tighter than `?:` and assignment, and looser than logic, comparison and arithmetic.
precedencegroup ChainPrecedence {
  associativity: left
  higherThan: TernaryPrecedence
  lowerThan: LogicalDisjunctionPrecedence
}

infix operator --> : ChainPrecedence

/// Applies a layer or a block to the left side.
///
/// It is one generic function for every left side on purpose. With an overload per combination, a
/// 200-layer chain with one misspelt member takes the type checker very long, and the error points
/// at the first line of the chain (Docs/Architecture.md).
public func --> <S: Chainable>(source: S, step: some Step) -> S.Chained {
  source.chained(to: step)
}

/// Applies a function that builds on a tensor to the left side.
///
/// ```swift
/// func residual(_ x: Tensor) -> Tensor {
///   [x, x --> Convolution(kernel: (3, 3), channels: 8)] --> Add()
/// }
/// let y = x --> residual
/// ```
public func --> <S: FunctionChainable>(source: S, block: (Tensor) -> Tensor) -> S.Chained {
  source.chained(through: block)
}

/// A left side of `-->` before a function from tensor to tensor: a tensor or a model.
public protocol FunctionChainable: Chainable {
  /// Returns the left side with `block` applied to its tensor.
  func chained(through block: (Tensor) -> Tensor) -> Chained
}

extension Tensor: FunctionChainable {
  /// Returns the tensor that `block` makes from this one.
  public func chained(through block: (Tensor) -> Tensor) -> Tensor { block(self) }
}
