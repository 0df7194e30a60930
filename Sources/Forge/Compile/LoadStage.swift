import ForgeGraph
import ForgeOperations
import ForgeShapes

/// Stage 3: requests every parameter once, in the order of the plan, and checks the values.
enum LoadStage {
  /// Prepares a source and loads the parameters of a model from it.
  static func load(
    _ lowered: LoweredModel, inference: Inference, from source: some ParameterSource
  ) throws(CompileError) -> ParameterStore {
    let prepared: any ParameterSource
    do { prepared = try source.prepared(for: lowered.parameters) } catch {
      throw error as? CompileError
        ?? CompileError([
          Problem(headline: "the source of parameters could not be prepared", cause: error)
        ])
    }
    return try load(
      lowered, inference: inference, goesByName: source.goesByName,
      names: { source.availableNames }, ask: { try prepared.parameter(for: $0) })
  }

  /// Loads and checks the parameters of a model, without copying them.
  ///
  /// `goesByName` says whether the source finds parameters by their layers' names, `ask` looks them
  /// up, and `names` returns the names it has, requested only when something is missing.
  ///
  /// - Throws: ``CompileError`` with every parameter that is missing or does not fit.
  static func load(
    _ lowered: LoweredModel, inference: Inference, goesByName: Bool = true,
    names: () -> [String] = { [] }, ask: (ParameterSpec) throws -> (any ParameterData)?
  ) throws(CompileError) -> ParameterStore {
    var problems: [Problem] = []
    var data: [any ParameterData] = []
    var available: [String]?
    var reported: Set<Int> = []
    for (spec, owner) in zip(lowered.parameters, lowered.owners) {
      let node = inference.nodes[owner]
      if goesByName, !node.isNamed {
        if reported.insert(owner).inserted {
          problems.append(.unnamedLayer(at: node.place, node.reference))
        }
        continue
      }
      do {
        guard let values = try ask(spec) else {
          let known = available ?? names()
          available = known
          problems.append(
            .missingParameter(
              at: node.place, node.reference, spec: spec,
              near: known.contains(spec.layer) ? [] : NearNames.nearest(to: spec.layer, in: known)))
          continue
        }
        if let problem = check(values, for: spec, node: node) { problems.append(problem) }
        data.append(values)
      } catch {
        problems.append(
          .sourceFailed(at: node.place, node.reference, spec: spec, cause: error))
      }
    }
    guard problems.isEmpty else { throw CompileError(problems) }
    return ParameterStore(specs: lowered.parameters, data: data)
  }

  /// Reads every parameter; `owners` are their layers.
  ///
  /// - Throws: ``CompileError`` with each parameter that holds a NaN or an infinity.
  static func checkFinite(
    _ parameters: ParameterStore, owners: [Inference.Node]
  ) throws(CompileError) {
    var problems: [Problem] = []
    for (index, (spec, node)) in zip(parameters.specs, owners).enumerated() {
      do {
        let values = try parameters.values(index)
        if let position = values.firstIndex(where: { !$0.isFinite }) {
          problems.append(
            .notFiniteParameter(
              at: node.place, node.reference, spec: spec, value: values[position],
              index: position, origin: parameters.data[index].origin))
        }
      } catch {
        problems.append(.sourceFailed(at: node.place, node.reference, spec: spec, cause: error))
      }
    }
    guard problems.isEmpty else { throw CompileError(problems) }
  }

  /// The problem with the values of a parameter: count, sizes, layout or element type.
  private static func check(
    _ values: any ParameterData, for spec: ParameterSpec, node: Inference.Node
  ) -> Problem? {
    let wrong = { (what: String, received: String, needs: String) in
      Problem.wrongParameter(
        at: node.place, node.reference, spec: spec, received: "\(received) from \(values.origin)",
        needs: needs, what: what)
    }
    guard ParameterStore.readable.contains(values.elementType) else {
      return wrong("element type", values.elementType.rawValue, "f32, f16, bf16 or f64")
    }
    guard values.count == spec.count else {
      return wrong("count", "\(values.count) values", "\(spec.count) values, \(spec.shapeText)")
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
