import ForgeLayers
import ForgeShapes
import Synchronization

/// One tensor of a network being described: an input, or the output of a layer applied to others.
///
/// Tensors are immutable nodes with identity: using one twice makes a graph. Its ``shape`` is
/// worked out when it is made.
///
/// ```swift
/// let x = Input(width: 28, height: 28, channels: 1) --> Convolution(kernel: (5, 5), channels: 20)
/// print(x.shape)  // 28×28×20 (width×height×channels)
/// ```
public final class Tensor: Sendable {
  /// What makes a tensor.
  package enum Source: Sendable {
    /// Given by the caller of a prediction.
    case input(InputDescription)
    /// The output of a layer.
    case layer(any Layer)
    /// Something that cannot be chained; kept under its name so that it can be reported.
    case foreign(String, ShapeError)
  }

  /// What came of inferring a shape.
  package enum Outcome: Sendable {
    /// The shape, in which sizes may be unknown, and what else follows from the layer's lowering.
    case known(LayerOutline)
    /// A rule was broken here.
    case failed(ShapeError)
    /// A rule was broken before, which is reported there.
    case blocked
  }

  /// What makes the tensor.
  package let source: Source
  /// The shape or what is wrong with it.
  package let outcome: Outcome
  /// The position in order of creation in this process.
  package let order: Int
  /// The tensors it is made from.
  package var inputs: [Tensor] { storedInputs }
  /// Changed only by a `deinit`, which has the tensor to itself.
  nonisolated(unsafe) private var storedInputs: [Tensor]

  private static let created = Atomic<Int>(0)

  package init(_ source: Source, inputs: [Tensor] = []) {
    self.source = source
    self.outcome = Inference.outcome(of: source, inputs: inputs)
    self.order = Self.created.add(1, ordering: .relaxed).newValue
    self.storedInputs = inputs
  }

  deinit {
    // A chain of 100,000 nodes would overflow the stack if each node released the next one.
    var pending = storedInputs
    storedInputs = []
    while var node = pending.popLast() {
      guard isKnownUniquelyReferenced(&node) else { continue }
      pending.append(contentsOf: node.storedInputs)
      node.storedInputs = []
    }
  }

  /// The shape; `nil` when a mistake keeps it from being known, which `compile` reports.
  public var shape: Shape? { outline?.shape }

  /// What follows from the layer's lowering, unless a mistake keeps it from being known.
  package var outline: LayerOutline? {
    if case .known(let outline) = outcome { outline } else { nil }
  }

  /// The width in pixels, when the tensor is an image and its width is known.
  public var width: Int? { shape?.width }

  /// The height in rows, when the tensor is an image and its height is known.
  public var height: Int? { shape?.height }

  /// The size of the last axis, which holds the channels of an image; `nil` when it is not known.
  public var channels: Int? { shape?.channels }
}

extension Tensor: Chainable {
  /// The output of `step` applied to this tensor.
  public func chained(to step: any Step) -> Tensor { Tensor.applying(step, to: [self]) }
}

extension Array: Chainable where Element == Tensor {
  /// The output of `step`, whose first layer takes all of these tensors.
  public func chained(to step: any Step) -> Tensor { Tensor.applying(step, to: self) }
}

extension Tensor {
  /// The output of a step applied to tensors; a block's first layer takes them all.
  static func applying(_ step: any Step, to tensors: [Tensor]) -> Tensor {
    var tensors = tensors
    var pending: [any Step] = [step]
    while let next = pending.popLast() {
      switch next {
      case let layer as any Layer:
        tensors = [Tensor(.layer(layer), inputs: tensors)]
      case let block as Block:
        pending.append(contentsOf: block.steps.reversed())
      default:
        let name = "\(type(of: next))"
        tensors = [Tensor(.foreign(name, .notALayer(name)), inputs: tensors)]
      }
    }
    if tensors.count == 1, let tensor = tensors.first { return tensor }
    // An empty block after several tensors, or none at all.
    return Tensor(.foreign("Block", .notALayer("a Block of no layers")), inputs: tensors)
  }
}
