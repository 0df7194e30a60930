import ForgeLayers
import ForgeShapes

/// A step whose name prefixes the names of all layers that it makes.
///
/// ```swift
/// let y = x --> SqueezeExcite().named("se1")   // layers "se1.reduce" and "se1.expand"
/// let z = y --> stage.named("stage1")          // a block, a model or another step
/// let w = z --> Scope("head") { x in x --> Dense(neurons: 10, name: "fc") }  // "head.fc"
/// ```
/// Scopes nest: `stage1.se1.reduce`. Layers without a name stay unnamed; their generated names
/// carry the prefix, too. Two layers share their parameters if their full names, their fields and
/// their places in source are equal. The same module under two scopes therefore has parameters of
/// its own under each, and shares them under one.
///
/// The scope belongs to the tensors that are made between the scope's inputs and outputs. Inputs of
/// the model and tensors that a module takes from elsewhere keep their names.
public struct Scope: GraphStep, Chainable {
  /// What the scope encloses.
  private enum Contents: Sendable {
    case step(any Step)
    case function(@Sendable (Tensor) -> Tensor)
  }

  /// The prefix.
  public let name: String
  /// The source location.
  public let place: SourcePlace
  private let contents: Contents

  /// Creates a scope of a function.
  ///
  /// - Parameters:
  ///   - name: the prefix of the names.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  ///   - function: builds on a tensor.
  public init(
    _ name: String, fileID: String = #fileID, line: Int = #line, column: Int = #column,
    _ function: @escaping @Sendable (Tensor) -> Tensor
  ) {
    self.name = name
    place = SourcePlace(fileID: fileID, line: line, column: column)
    contents = .function(function)
  }

  fileprivate init(_ name: String, of step: any Step, _ place: SourcePlace) {
    self.name = name
    self.place = place
    contents = .step(step)
  }

  /// The Swift type of what the scope encloses.
  private var typeName: String {
    // Scopes of scopes may be deep.
    var contents = contents
    while case .step(let scope as Scope) = contents { contents = scope.contents }
    return switch contents {
    case .step(let step): "\(type(of: step))"
    case .function: "Function"
    }
  }

  /// Applies the enclosed step and names the layers that it makes.
  ///
  /// - Parameter inputs: the tensors left of `-->`.
  /// - Returns: the results.
  public func outputs(for inputs: [Tensor]) -> [Tensor] {
    let typeName = typeName
    return ScopeUse.applying(name, typeName: typeName, place: place, to: inputs) { inputs in
      switch contents {
      case .step(let step): return Tensor.results(of: step, for: inputs)
      case .function(let function):
        if inputs.count == 1 { return [function(inputs[0])] }
        return [Tensor(.foreign(typeName, .moduleOfOne(inputs.count)), inputs: inputs)]
      }
    }
  }

  /// Applies the scope, which is the same as `x --> scope`.
  ///
  /// - Parameter x: the input.
  /// - Returns: the output.
  public func callAsFunction(_ x: Tensor) -> Tensor { x.chained(to: self) }

  /// Applies the scope to several tensors.
  ///
  /// - Parameter xs: the inputs.
  /// - Returns: all outputs.
  public func callAsFunction(_ xs: [Tensor]) -> [Tensor] { outputs(for: xs) }

  /// Returns a block of this scope and `step`.
  ///
  /// - Parameter step: the step after the scope.
  /// - Returns: the block.
  public func chained(to step: any Step) -> Block { Block([self, step]) }
}

extension GraphStep {
  /// The step under a name that prefixes the names of its layers.
  ///
  /// - Parameters:
  ///   - name: the prefix: `se1` for `se1.reduce`.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  /// - Returns: the named step.
  public func named(
    _ name: String, fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) -> Scope {
    Scope(name, of: self, SourcePlace(fileID: fileID, line: line, column: column))
  }
}

extension Block {
  /// The block under a name that prefixes the names of its layers.
  ///
  /// - Parameters:
  ///   - name: the prefix: `stage1` for `stage1.conv`.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  /// - Returns: the named block.
  public func named(
    _ name: String, fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) -> Scope {
    Scope(name, of: self, SourcePlace(fileID: fileID, line: line, column: column))
  }
}
