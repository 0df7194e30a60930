import ForgeShapes

extension Inference.Node {
  /// The element types of parameters that can be read as Float32.
  package static let readableTypes: Set<ElementType> = [.float32, .float16, .bfloat16, .float64]

  /// The problem with the values of one of its parameters: count, sizes, layout or element type.
  ///
  /// - Parameters:
  ///   - values: what a source has for the parameter.
  ///   - spec: the parameter.
  /// - Returns: the problem, or `nil` if the values fit.
  package func misfit(_ values: any ParameterData, for spec: ParameterSpec) -> Problem? {
    let wrong = { (what: String, received: String, needs: String) in
      Problem.wrongParameter(
        at: place, reference, spec: spec, received: "\(received) from \(values.origin)",
        needs: needs, what: what)
    }
    guard Self.readableTypes.contains(values.elementType) else {
      return wrong("element type", values.elementType.rawValue, "f32, f16, bf16 or f64")
    }
    guard values.count == spec.count else {
      return wrong("count", ShapeError.counted(values.count, "value"), spec.needs)
    }
    guard let needed = spec.sizes(in: values.layout) else {
      return wrong("layout", "\(values.layout)", "each of the axes \(spec.shapeText) once")
    }
    if let sizes = values.sizes, !spec.fits(sizes, in: values.layout) {
      let text = { (sizes: [Int]) in sizes.map(String.init).joined(separator: "×") }
      return wrong("size", text(sizes), text(needed))
    }
    return nil
  }
}
