import ForgeLayers

/// Binds tighter than `?:` and assignment, and looser than logic, comparison and arithmetic.
precedencegroup ChainPrecedence {
  associativity: left
  higherThan: TernaryPrecedence
  lowerThan: LogicalDisjunctionPrecedence
}

infix operator --> : ChainPrecedence

/// What stands left, followed by a layer or a block.
///
/// One generic function for every left side is deliberate: with an overload per combination a
/// 200-layer chain with one misspelt member took the type checker over 20 s and the error pointed
/// at its first line (Docs/Architecture.md).
public func --> <S: Chainable>(source: S, step: some Step) -> S.Chained {
  source.chained(to: step)
}

/// What stands left, handed to a function that builds on it.
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

/// What may stand left of `-->` before a function from tensor to tensor: a tensor or a model.
public protocol FunctionChainable: Chainable {
  /// This, with `block` applied to its tensor.
  func chained(through block: (Tensor) -> Tensor) -> Chained
}

extension Tensor: FunctionChainable {
  /// The tensor that `block` makes of this one.
  public func chained(through block: (Tensor) -> Tensor) -> Tensor { block(self) }
}
