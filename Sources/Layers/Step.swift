/// The right side of `-->`: a ``Layer``, a ``Block``, a model, or a step that builds on tensors.
public protocol Step: Sendable {}

/// The left side of `-->`: a tensor, an array of tensors, a model, a layer or a block.
///
/// The operator itself is one generic function over this protocol. With few overloads, long chains
/// type-check fast and their errors point at the right line.
public protocol Chainable {
  /// The type of the chain after one more step.
  associatedtype Chained
  /// Returns the chain followed by `step`.
  func chained(to step: any Step) -> Chained
}
