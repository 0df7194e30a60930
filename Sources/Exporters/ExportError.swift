import Forge

/// Everything that keeps a model from being written in another format, collected in one pass.
///
/// ```
/// App/Net.swift:14:7: layer 4 "boxes" (NonMaximumSuppression): the layer cannot be written to ONNX
///   received  the selection of boxes
/// ```
public struct ExportError: Error, Sendable {
  /// The mistakes, in the order of the layers; at least one.
  public let problems: [Problem]

  /// Creates an error from one or more problems.
  public init(_ problems: [Problem]) { self.problems = problems }

  /// The most problems described.
  private static let describedProblems = 20
}

extension ExportError: CustomStringConvertible {
  /// The first twenty problems, followed by the number of the others.
  public var description: String {
    var texts = problems.prefix(Self.describedProblems).map(\.description)
    let more = problems.count - texts.count
    if more > 0 { texts.append("and \(more) more problem\(more == 1 ? "" : "s")") }
    return texts.joined(separator: "\n")
  }
}

/// Why an operation cannot be written, without its layer.
struct ExportRefusal: Error {
  /// What cannot be written.
  let what: String
  /// What to do about it.
  var remedy: String?
}

extension ExportError {
  /// The error for values of a constant that do not fill it.
  static func notFilled(count: Int, needs: Int) -> ExportError {
    ExportError([
      Problem(
        headline: "the values of a constant do not fill it",
        details: [("received", "\(count) values"), ("needs", "\(needs)")])
    ])
  }
}
