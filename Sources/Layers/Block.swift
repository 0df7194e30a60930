/// A chain of layers, models and functions without an input.
///
/// ```swift
/// let block = Convolution(kernel: (3, 3), channels: 16, name: "a") --> MaxPooling(kernel: (2, 2))
/// let y = x --> block
/// ```
/// A block is a value: using it twice repeats its layers. Repeated layers with a name share
/// parameters.
public struct Block: Step, Chainable {
  private let contents: BlockContents

  /// The layers and blocks in order.
  public var steps: [any Step] { contents.steps }

  /// Creates a block of steps.
  public init(_ steps: [any Step]) {
    self.init(BlockContents(steps, blocks: steps.compactMap { ($0 as? Block)?.contents }))
  }

  private init(_ contents: BlockContents) { self.contents = contents }

  /// Returns the block with one more step at its end.
  public func chained(to step: any Step) -> Block {
    let blocks = (step as? Block).map { [$0.contents] } ?? []
    return Block(BlockContents(steps + [step], blocks: contents.blocks + blocks))
  }
}

/// The steps of a block, which may be nested blocks of any depth.
private final class BlockContents: Sendable {
  // Changed only by a `deinit`, which has exclusive access.
  nonisolated(unsafe) private(set) var steps: [any Step]
  /// The contents of the steps that are blocks, for `deinit`.
  nonisolated(unsafe) private(set) var blocks: [BlockContents]

  init(_ steps: [any Step], blocks: [BlockContents]) {
    self.steps = steps
    self.blocks = blocks
  }

  deinit {
    // With 100,000 nested blocks, recursive releases would overflow the stack.
    var pending = blocks
    blocks = []
    steps = []
    while var contents = pending.popLast() {
      guard isKnownUniquelyReferenced(&contents) else { continue }
      pending.append(contentsOf: contents.blocks)
      contents.blocks = []
      contents.steps = []
    }
  }
}
