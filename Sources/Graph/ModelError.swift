import ForgeShapes

/// All mistakes of a model, collected in one pass.
///
/// Its description lists each with its source location, in the order of the layers.
public struct ModelError: Error, Sendable {
  /// The mistakes; at least one.
  public let problems: [Problem]

  /// Creates an error from one or more problems.
  public init(_ problems: [Problem]) {
    self.problems = problems
  }
}

extension ModelError: CustomStringConvertible {
  /// The problems, one after the other.
  public var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}

extension Model {
  /// Checks the model without compiling it.
  ///
  /// - Throws: ``ModelError`` with every mistake.
  public func check() throws(ModelError) {
    _ = try inferred()
  }

  /// The model's nodes with their shapes.
  package func inferred() throws(ModelError) -> Inference {
    let inference = Inference(self)
    guard inference.problems.isEmpty else { throw ModelError(inference.problems) }
    return inference
  }
}
