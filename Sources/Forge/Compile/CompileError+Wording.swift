import ForgeOperations
import ForgeShapes

extension Problem {
  static func unnamedLayer(at place: SourcePlace?, _ layer: LayerReference) -> Problem {
    Problem(
      place: place, layer: layer,
      headline: "a layer with parameters has no name, but the source finds them by name",
      details: [("remedy", "write name: \"…\" in the layer")])
  }

  static func missingParameter(
    at place: SourcePlace?, _ layer: LayerReference, spec: ParameterSpec, near: [String]
  ) -> Problem {
    var details = [("needs", "\(spec.count) values, \(spec.shapeText)")]
    if !near.isEmpty {
      details.append(
        ("remedy", "did you mean \(near.map { "\"\($0)\"" }.joined(separator: " or "))?"))
    }
    return Problem(
      place: place, layer: layer, headline: "the \(spec.type) are missing", details: details)
  }

  static func sourceFailed(
    at place: SourcePlace?, _ layer: LayerReference, spec: ParameterSpec, cause: any Error
  ) -> Problem {
    Problem(
      place: place, layer: layer, headline: "the \(spec.type) could not be loaded", cause: cause)
  }

  static func notFiniteParameter(
    at place: SourcePlace?, _ layer: LayerReference, spec: ParameterSpec, value: Float, index: Int,
    origin: String
  ) -> Problem {
    Problem(
      place: place, layer: layer, headline: "the \(spec.type) hold a number that is not finite",
      details: [
        (
          "received",
          "\(value.nameOfNonFinite) at index \(index) of \(spec.shapeText) from \(origin)"
        ),
        ("needs", "finite numbers, because of checks: .finiteParameters"),
      ])
  }

  static func wrongParameter(
    at place: SourcePlace?, _ layer: LayerReference, spec: ParameterSpec, received: String,
    needs: String, what: String
  ) -> Problem {
    Problem(
      place: place, layer: layer, headline: "the \(spec.type) have the wrong \(what)",
      details: [("received", received), ("needs", needs)])
  }

  static func computedOperand(
    at place: SourcePlace?, _ layer: LayerReference?, operand: Int, of primitive: String
  ) -> Problem {
    Problem(
      place: place, layer: layer,
      headline: "operand \(operand) of \(primitive) depends on an input",
      details: [("needs", "parameters, constants, or what follows from them alone")])
  }

  static func noSource(_ names: [String]) -> Problem {
    Problem(
      headline: "the model has parameters, but compile was given nowhere to take them from",
      details: [
        ("received", names.map { "\"\($0)\"" }.joined(separator: ", ")),
        ("remedy", "compile(parameters:) with a source, or compile { name, count, type in … }"),
      ])
  }

  static func verifyFailed(
    output: String, error: Double, bound: String, layer: String?, rewrite: String?
  ) -> Problem {
    var details = [
      ("received", "relative L2 error \(error) of output \"\(output)\""),
      ("needs", "at most \(bound)"),
    ]
    if let layer { details.append(("first at", "layer \"\(layer)\"")) }
    details.append(
      ("rewrite", rewrite.map { "\($0): without it the error is in bounds" } ?? "none is to blame"))
    return Problem(
      headline: "the compiled plan differs from the reference executor", details: details)
  }
}
