import ForgeShapes

extension Problem {
  package static func unnamedLayer(at place: SourcePlace?, _ layer: LayerReference) -> Problem {
    Problem(
      place: place, layer: layer,
      headline: "a layer with parameters has no name, but the source finds them by name",
      details: [("remedy", "write name: \"…\" in the layer")])
  }

  package static func missingParameter(
    at place: SourcePlace?, _ layer: LayerReference, spec: ParameterSpec, received: String?,
    remedy: String?
  ) -> Problem {
    Problem(
      place: place, layer: layer,
      headline: "\(spec.type.subject) \(spec.type.verb("are", "is")) missing",
      details: [("received", received), ("needs", spec.needs), ("remedy", remedy)]
        .compactMap { label, text in text.map { (label, $0) } })
  }

  package static func sourceFailed(
    at place: SourcePlace?, _ layer: LayerReference, spec: ParameterSpec, cause: any Error
  ) -> Problem {
    Problem(
      place: place, layer: layer, headline: "\(spec.type.subject) could not be loaded", cause: cause
    )
  }

  package static func wrongParameter(
    at place: SourcePlace?, _ layer: LayerReference, spec: ParameterSpec, received: String,
    needs: String, what: String
  ) -> Problem {
    Problem(
      place: place, layer: layer,
      headline: "\(spec.type.subject) \(spec.type.verb("have", "has")) the wrong \(what)",
      details: [("received", received), ("needs", needs)])
  }
}

extension ParameterSpec {
  /// The values that it needs: `72 values, 4×3×3×2 [O][H][W][I]`.
  package var needs: String { "\(ShapeError.counted(count, "value")), \(shapeText)" }
}
