import ForgeGraph
import ForgeLoaders
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
      lowered, inference: inference, from: source, ask: { try prepared.parameter(for: $0) })
  }

  /// Loads and checks the parameters of a model, without copying them.
  ///
  /// `ask` looks them up. Without a source, they are found by the names of their layers.
  ///
  /// - Throws: ``CompileError`` with every parameter that is missing or does not fit.
  static func load(
    _ lowered: LoweredModel, inference: Inference, from source: (any ParameterSource)?,
    ask: (ParameterSpec) throws -> (any ParameterData)?
  ) throws(CompileError) -> ParameterStore {
    var problems: [Problem] = []
    var data: [any ParameterData] = []
    let goesByName = source?.goesByName ?? true
    var names = MissingNames(
      source, isRenamed: source is RenamedParameters, specs: lowered.parameters)
    var reported: Set<Int> = []
    CompileWatch.begin(.load, of: lowered.parameters.count)
    for (spec, owner) in zip(lowered.parameters, lowered.owners) {
      if CompileWatch.isCancelled { throw .cancelled }
      defer { CompileWatch.advance(.load) }
      let node = inference.nodes[owner]
      if goesByName, !node.isNamed {
        if reported.insert(owner).inserted {
          problems.append(.unnamedLayer(at: node.place, node.reference))
        }
        continue
      }
      do {
        guard let values = try ask(spec) else {
          let (received, remedy) = names.details(for: spec)
          problems.append(
            .missingParameter(
              at: node.place, node.reference, spec: spec, received: received, remedy: remedy))
          continue
        }
        if let problem = node.misfit(values, for: spec) { problems.append(problem) }
        data.append(values)
      } catch is CancellationError where CompileWatch.isCancelled {
        throw .cancelled
      } catch {
        problems.append(
          .sourceFailed(at: node.place, node.reference, spec: spec, cause: error))
      }
    }
    guard problems.isEmpty else { throw CompileError(problems) }
    return ParameterStore(specs: try ordered(lowered, inference: inference, data), data: data)
  }

  /// The parameters as their values are read, which flattened images decide.
  ///
  /// - Throws: ``CompileError`` with every parameter whose order is not known.
  private static func ordered(
    _ lowered: LoweredModel, inference: Inference, _ data: [any ParameterData]
  ) throws(CompileError) -> [ParameterSpec] {
    guard data.contains(where: \.followsImages) else { return lowered.parameters }
    let node = { inference.nodes[lowered.owners[$0]] }
    let unflattened = UnflattenedImages(lowered.graph)
    var problems: [Problem] = []
    for (index, image) in unflattened.images.sorted(by: { $0.key < $1.key })
    where data[index].followsImages {
      problems.append(
        .unclearOutputs(
          at: node(index).place, node(index).reference, spec: lowered.parameters[index],
          origin: data[index].origin, of: image))
    }
    var specs: [ParameterSpec] = []
    do throws(CompileError) {
      let flattened = FlattenedImages(
        lowered.graph, axes: lowered.sequenceAxes, restored: unflattened.restored)
      specs = try flattened.specs(lowered.parameters, data: data) {
        .unclearOrder(
          at: node($0).place, node($0).reference, spec: lowered.parameters[$0],
          origin: data[$0].origin, after: $1)
      }
    } catch {
      problems += error.problems
    }
    guard problems.isEmpty else { throw CompileError(problems) }
    return specs
  }

  /// Reads every parameter; `owners` are their layers, and `needs` is what an error says.
  ///
  /// - Throws: ``CompileError`` with each parameter that holds a NaN or an infinity.
  static func checkFinite(
    _ parameters: ParameterStore, owners: [Inference.Node], needs: String
  ) throws(CompileError) {
    var problems: [Problem] = []
    for (index, (spec, node)) in zip(parameters.specs, owners).enumerated() {
      do {
        let values = try parameters.values(index)
        if let position = values.firstIndex(where: { !$0.isFinite }) {
          problems.append(
            .notFiniteParameter(
              at: node.place, node.reference, spec: spec, value: values[position],
              index: position, origin: parameters.data[index].origin, needs: needs))
        }
      } catch is CancellationError where CompileWatch.isCancelled {
        throw .cancelled
      } catch {
        let cause = (error as? UnreadableParameter)?.cause ?? error
        problems.append(.sourceFailed(at: node.place, node.reference, spec: spec, cause: cause))
      }
    }
    guard problems.isEmpty else { throw CompileError(problems) }
  }
}
