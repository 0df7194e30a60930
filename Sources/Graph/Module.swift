import ForgeLayers
import ForgeShapes

/// A layer of your own made of layers: one tensor in, one out.
///
/// ```swift
/// struct SqueezeExcite: Module {
///   var ratio = 4
///   func callAsFunction(_ x: Tensor) -> Tensor {
///     let channels = x.channels ?? 1
///     return [
///       x,
///       x --> GlobalAveragePooling()
///         --> Dense(neurons: channels / ratio, activation: .relu, name: "reduce")
///         --> Dense(neurons: channels, activation: .sigmoid, name: "expand"),
///     ] --> Multiply()
///   }
/// }
/// let y = x --> SqueezeExcite().named("se1")  // parameters "se1.reduce" and "se1.expand"
/// ```
/// A module can be the left or right operand of `-->` and part of a block. Its layers are layers of
/// the model, with their own places in source. ``GraphStep/named(_:fileID:line:column:)`` prefixes
/// their names. Without it the names stay as they are, and the layers of all uses share their
/// parameters, as those of a function do.
///
/// A module that is used with several tensors is a mistake of the model; ``MultiModule`` takes
/// them.
public protocol Module: GraphStep, Chainable where Chained == Block {
  /// Builds on a tensor.
  ///
  /// It is called while the network is described, when sizes may be unknown (`nil`).
  ///
  /// - Parameter x: the input.
  /// - Returns: the output.
  func callAsFunction(_ x: Tensor) -> Tensor
}

extension Module {
  /// Applies the module to one tensor.
  ///
  /// - Parameter inputs: one tensor; any other number is a mistake of the model.
  /// - Returns: the output.
  public func outputs(for inputs: [Tensor]) -> [Tensor] {
    let name = "\(Self.self)"
    return ScopeUse.applying(nil, typeName: name, place: nil, to: inputs) { inputs in
      if inputs.count == 1 { return [self(inputs[0])] }
      return [Tensor(.foreign(name, .moduleOfOne(inputs.count)), inputs: inputs)]
    }
  }

  /// Returns a block of this module and `step`.
  ///
  /// - Parameter step: the step after the module.
  /// - Returns: the block.
  public func chained(to step: any Step) -> Block { Block([self, step]) }
}

/// A layer of your own made of layers, with several tensors in or out.
///
/// ```swift
/// struct GatedSum: MultiModule {
///   func callAsFunction(_ xs: [Tensor]) -> [Tensor] {
///     [xs.map { $0 --> Activation(.sigmoid) } --> Add()]
///   }
/// }
/// let y = [a, b] --> GatedSum().named("gate")
/// ```
/// With `-->` it returns one tensor. Called as a function, it returns all of them:
/// `let parts = Split().named("split")([x])`.
public protocol MultiModule: GraphStep, Chainable where Chained == Block {
  /// Builds on tensors.
  ///
  /// It is called while the network is described, when sizes may be unknown (`nil`).
  ///
  /// - Parameter xs: the inputs.
  /// - Returns: the outputs.
  func callAsFunction(_ xs: [Tensor]) -> [Tensor]
}

extension MultiModule {
  /// Applies the module.
  ///
  /// - Parameter inputs: the inputs, as many as the module takes.
  /// - Returns: the outputs.
  public func outputs(for inputs: [Tensor]) -> [Tensor] {
    ScopeUse.applying(nil, typeName: "\(Self.self)", place: nil, to: inputs) { self($0) }
  }

  /// Returns a block of this module and `step`.
  ///
  /// - Parameter step: the step after the module.
  /// - Returns: the block.
  public func chained(to step: any Step) -> Block { Block([self, step]) }
}
