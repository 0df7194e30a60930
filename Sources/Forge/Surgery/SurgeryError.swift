import ForgeGraph
import ForgeShapes

/// Why a model cannot be changed as asked.
///
/// ```
/// layer 4 "pool2" (MaxPooling): the layer cannot be removed
///   received  14×14×20 (width×height×channels) from "conv2"
///             7×7×20 (width×height×channels) as its output
///   needs     one input, of the shape of the output
/// ```
public typealias SurgeryError = ForgeError<SurgeryErrorKind>

/// The kinds of ``SurgeryError``.
public enum SurgeryErrorKind: String, Hashable, Sendable {
  /// The model has mistakes of its own, which `check()` describes.
  case flawedModel
  /// No tensor, or no layer, has the name.
  case noSuchName
  /// Several layers have the name, because they share their parameters.
  case ambiguousName
  /// The name is empty or has line breaks.
  case badName
  /// The layer has too many inputs, or a different shape from its input.
  case doesNotFit
  /// A new input leads to no output, or an output still depends on another input.
  case notSeparated
  /// The parameters are found by the order of layers, some of which have no name.
  case unnamedLayers
  /// The changed model has mistakes, which ``ForgeError/cause`` lists.
  case leavesMistakes
}

extension SurgeryError {
  static func flawed(_ error: ModelError) -> SurgeryError {
    SurgeryError(
      .flawedModel, "the model has mistakes", remedy: "correct what check() describes",
      cause: error)
  }

  static func noSuchName(_ name: String, known: [String], what: String) -> SurgeryError {
    let near = NearNames.nearest(to: name, in: known)
    let listed = near.isEmpty ? Array(known.prefix(8)) : near
    let names = listed.map { "\"\($0.printable)\"" }
    let more = near.isEmpty && known.count > names.count ? ", …" : ""
    return SurgeryError(
      .noSuchName, "no \(what) is called \"\(name.printable)\"",
      needs: near.isEmpty ? names.joined(separator: ", ") + more : nil,
      remedy: near.isEmpty ? nil : "did you mean \(names.joined(separator: " or "))?")
  }

  static func ambiguous(_ nodes: [Inference.Node]) -> SurgeryError {
    SurgeryError(
      .ambiguousName, "\(nodes.count) layers share the name \"\(nodes[0].name.printable)\"",
      received: nodes.map(\.reference.description).joined(separator: "\n"),
      needs: "the name of a tensor that is computed once")
  }

  static func badName(_ name: String, for node: Inference.Node) -> SurgeryError {
    var error = SurgeryError(
      .badName, "the new name cannot be used", received: "\"\(name.printable)\"",
      needs: "a name of one line with at least one character")
    error.problem.layer = node.reference
    return error
  }

  static func doesNotFit(
    _ node: Inference.Node, _ headline: String, of nodes: [Inference.Node], needs: String,
    remedy: String? = nil
  ) -> SurgeryError {
    let shapes = node.inputs.map { index in
      (nodes[index].shape.map(\.description) ?? "an unknown shape")
        + " from \"\(nodes[index].name.printable)\""
    }
    let outputShape = node.shape.map(\.description) ?? "an unknown shape"
    var error = SurgeryError(
      .doesNotFit, headline,
      received: (shapes + ["\(outputShape) as its output"]).joined(separator: "\n"),
      needs: needs, remedy: remedy)
    error.problem.layer = node.reference
    error.problem.place = node.place
    return error
  }

  static func leavesMistakes(_ problems: [Problem]) -> SurgeryError {
    var error = SurgeryError(
      .leavesMistakes, "the changed model has \(counted(problems.count, "mistake"))",
      cause: ModelError(problems))
    error.problem.layer = problems[0].layer
    return error
  }
}
