import ForgeShapes

/// All mistakes of a model, or everything that prevents it from being compiled, collected in one
/// pass.
///
/// ```
/// App/Net.swift:14:18: layer 4 "conv2" (Convolution): the output would be empty
///   …
/// App/Net.swift:16:7: layer 6 "fc1" (Dense): …
/// ```
public struct ModelError: Error, Sendable {
  /// The mistakes, in the order of the layers; at least one.
  public let problems: [Problem]

  /// Creates an error from one or more problems.
  public init(_ problems: [Problem]) {
    self.problems = problems
  }
}

extension ModelError: CustomStringConvertible {
  /// The most problems described: the wrong weights file produces one per parameter.
  private static let describedProblems = 20

  /// The first twenty problems, followed by the number of the others.
  public var description: String {
    var texts = problems.prefix(Self.describedProblems).map(\.description)
    let more = problems.count - texts.count
    if more > 0 { texts.append("and \(more) more problem\(more == 1 ? "" : "s")") }
    return texts.joined(separator: "\n")
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
