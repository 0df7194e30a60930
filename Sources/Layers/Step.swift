/// What may stand to the right of `-->`: a ``Layer`` or a ``Block`` of layers.
public protocol Step: Sendable {}

/// What may stand to the left of `-->`: a tensor, an array of tensors, a model, a layer or a block.
///
/// The operator itself is one generic function over this protocol. Few overloads are what keeps long
/// chains fast to type-check and their errors at the right line.
public protocol Chainable {
  /// What the chain is after one more step.
  associatedtype Chained
  /// This, followed by `step`.
  func chained(to step: any Step) -> Chained
}
