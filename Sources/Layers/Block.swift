/// Layers in a row, waiting for an input.
///
/// ```swift
/// let block = Convolution(kernel: (3, 3), channels: 16, name: "a") --> MaxPooling(kernel: (2, 2))
/// let y = x --> block
/// ```
/// A block is a value: using it twice repeats its layers. Those with a name then share parameters.
public struct Block: Step, Chainable {
  /// The layers and blocks in order.
  public let steps: [any Step]

  /// Creates a block of steps.
  public init(_ steps: [any Step]) {
    self.steps = steps
  }

  /// The block with one more step at its end.
  public func chained(to step: any Step) -> Block {
    Block(steps + [step])
  }
}
