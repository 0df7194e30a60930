import ForgeLayers
import ForgeShapes
import Synchronization

/// One tensor of a network description: an input, or the output of a layer.
///
/// Tensors are nodes with identity: using one twice makes a graph. The ``shape`` is inferred when
/// the tensor is created. Only the scopes of its name are set later, by the modules that made it.
///
/// ```swift
/// let x = Input(width: 28, height: 28, channels: 1) --> Convolution(kernel: (5, 5), channels: 20)
/// print(x.shape)  // 28×28×20 (width×height×channels)
/// ```
public final class Tensor: Sendable {
  /// The origin of a tensor.
  package enum Source: Sendable {
    /// An input of the model.
    case input(InputDescription)
    /// The output of a layer.
    case layer(any Layer)
    /// A step that cannot be chained, kept with its name to be reported.
    case foreign(String, ShapeError)
  }

  /// The result of inferring a shape.
  package enum Outcome: Sendable {
    /// The shape, in which sizes may be unknown, and what else follows from the layer's lowering.
    case known(LayerOutline)
    /// The layer violates a rule.
    case failed(ShapeError)
    /// An earlier layer violates a rule, which is reported there.
    case blocked
  }

  /// The origin of the tensor.
  package let source: Source
  /// The shape or the error.
  package let outcome: Outcome
  /// How the shape follows the length of the model's sequences.
  package let lengths: LengthOutcome
  /// The position in order of creation in this process.
  package let order: Int
  /// The name and the place that replace those of the layer.
  package let label: TensorLabel?
  /// The modules that made it, outermost first.
  package var scopes: [ScopeUse] { scopeList.uses }
  private let scopeList = ScopeList()
  /// The operator that made it, as in `a + b`; such a node has the place of an operand.
  package let operatorText: String?
  /// Whether it depends on something that was not known when it was described, as in source that is
  /// evaluated while Swift compiles.
  package let isUncertain: Bool
  /// The tensors it is made from.
  package var inputs: [Tensor] { storedInputs }
  /// Changed only by a `deinit`, which has exclusive access.
  nonisolated(unsafe) private var storedInputs: [Tensor]

  private static let created = Atomic<Int>(0)

  package init(
    _ source: Source, inputs: [Tensor] = [], label: TensorLabel? = nil, operatorText: String? = nil
  ) {
    self.source = source
    self.label = label
    self.operatorText = operatorText
    self.outcome = Inference.outcome(of: source, inputs: inputs)
    lengths = LengthOutcome(of: source, inputs: inputs, outcome: outcome)
    isUncertain = inputs.contains(where: \.isUncertain)
    self.order = Self.nextOrder()
    self.storedInputs = inputs
  }

  /// Creates the output of something that is not known as a whole, as in source that is evaluated
  /// while Swift compiles.
  package init(_ source: Source, inputs: [Tensor], outcome: Outcome) {
    self.source = source
    self.outcome = outcome
    lengths = LengthOutcome(of: source, inputs: inputs, outcome: outcome)
    label = nil
    operatorText = nil
    isUncertain = true
    order = Self.nextOrder()
    storedInputs = inputs
  }

  /// Returns the same layer on other inputs, with its name and in its scopes.
  ///
  /// - Parameters:
  ///   - inputs: the inputs of the layer.
  ///   - uses: the new identities of the scopes by their old ones, empty before the first tensor of
  ///     a copy.
  /// - Returns: the output of the layer.
  package func repeated(on inputs: [Tensor], uses: inout [Int: Int]) -> Tensor {
    let tensor = Tensor(source, inputs: inputs, label: label, operatorText: operatorText)
    for scope in scopes.reversed() {
      let id = uses[scope.id] ?? Self.nextOrder()
      uses[scope.id] = id
      tensor.enclose(in: scope.with(id: id))
    }
    return tensor
  }

  /// Returns the same layer on other inputs, with its name, in the same uses of its scopes.
  package func moved(to inputs: [Tensor]) -> Tensor {
    let tensor = Tensor(source, inputs: inputs, label: label, operatorText: operatorText)
    for scope in scopes.reversed() { tensor.enclose(in: scope) }
    return tensor
  }

  /// The next position in the order of creation.
  static func nextOrder() -> Int { created.add(1, ordering: .relaxed).newValue }

  /// Records a module around those that are recorded.
  package func enclose(in scope: ScopeUse) { scopeList.enclose(in: scope) }

  deinit {
    // In a chain of 100,000 nodes, recursive releases would overflow the stack.
    var pending = storedInputs
    storedInputs = []
    while var node = pending.popLast() {
      guard isKnownUniquelyReferenced(&node) else { continue }
      pending.append(contentsOf: node.storedInputs)
      node.storedInputs = []
    }
  }

  /// The shape; `nil` when a mistake prevents it from being known, which `compile` reports.
  public var shape: Shape? { outline?.shape }

  /// Whether it is an input of a model.
  package var isInput: Bool {
    if case .input = source { true } else { false }
  }

  /// The result of the layer's lowering, unless a mistake prevents it.
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
