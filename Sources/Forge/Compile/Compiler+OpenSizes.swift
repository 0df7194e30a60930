import ForgeGraph
import ForgeOperations
import ForgeShapes

/// Models whose inputs have open sizes: their compiler is that of the largest ones.
extension Compiler {
  /// The shapes of the inputs, with the largest sizes.
  var largestInputShapes: [Shape] { inference.inputs.compactMap { inference.nodes[$0].shape } }

  /// The shapes of the outputs and of the kept layers, in which sizes are unknown that follow open
  /// sizes.
  ///
  /// - Throws: `CompileError` when the model cannot follow sizes at all.
  func openOutputShapes() throws(CompileError) -> [Shape] {
    let largest = graph.modelOutputs.map { graph.shape(of: $0) }
    guard inference.openSizes != nil else { return largest }
    let known: [Shape?]
    do throws(ChangedInside) { known = try inference.openOutputShapes() } catch {
      throw CompileError([
        Problem(headline: "the model does not support its open sizes", cause: error)
      ])
    }
    return largest.enumerated().map { index, shape in
      let found = index < ownOutputCount && known.indices.contains(index) ? known[index] : nil
      return found ?? Shape(shape.dimensions.map { _ in nil })
    }
  }

  /// The compiler of the model for inputs of other shapes than the largest; `nil` if this one
  /// serves them.
  ///
  /// - Throws: `CompileError` when the model does not take them, or is not the same network with
  ///   them.
  func sized(for shapes: [Shape]) throws(CompileError) -> Compiler? {
    guard let open = inference.openSizes, shapes != largestInputShapes else { return nil }
    let model = try Self.model(open, shapes)
    let sized = try model.inferred()
    let lowered = try LoweredModel(sized)
    try checkIsSame(sized, lowered.graph, shapes)
    try options.checkCost(of: lowered, within: model.limits, isVerified: false)
    let parameters = try load(model, lowered, sized, open)
    var options = options
    // Kept layers go by name, as the tensors that may have named them are those of another model.
    let kept = Array(outputNames.dropFirst(ownOutputCount))
    options.keep = kept
    try Self.checkKept(kept, in: sized)
    return try Compiler(
      inference: sized, lowered: lowered, parameters: parameters, options: options)
  }

  private static func model(
    _ open: OpenSizes, _ shapes: [Shape]
  ) throws(CompileError) -> Model {
    do { return try open.model(shapes) } catch {
      throw CompileError([
        Problem(headline: "the network cannot be built for these sizes", cause: error)
      ])
    }
  }

  private static func checkKept(
    _ kept: [String], in inference: Inference
  ) throws(CompileError) {
    let missing = kept.filter { inference.layer($0) == nil }
    guard missing.isEmpty else {
      throw CompileError([
        Problem(
          headline: "the network for these sizes lacks a layer that is kept",
          details: [("received", missing.map(\.printable).joined(separator: ", "))])
      ])
    }
  }

  /// Loads the parameters of the model for other sizes.
  ///
  /// They are those of this model, except where a file computes them from the sizes: if this model
  /// has the values of the file, the other one has them, too.
  private func load(
    _ model: Model, _ lowered: LoweredModel, _ inference: Inference, _ open: OpenSizes
  ) throws(CompileError) -> ParameterStore {
    var largest: [ParameterSpec: any ParameterData] = [:]
    for (spec, data) in zip(self.lowered.parameters, parameters.data) { largest[spec] = data }
    var shared: Set<ParameterSpec> = []
    do {
      let file = try open.parameters?.prepared(for: self.lowered.parameters)
      let source = try file.flatMap { _ in try model.parameters?.prepared(for: lowered.parameters) }
      let loaded = try LoadStage.load(
        lowered, inference: inference, from: LargestParameters()
      ) { spec in
        let own = largest[spec]
        if let values = try source?.parameter(for: spec) {
          guard let own else { return values }
          if try file?.parameter(for: spec)?.isSame(as: own) == true { return values }
        }
        shared.insert(spec)
        return own
      }
      return try ParameterStore(
        specs: loaded.specs, data: loaded.data, like: parameters,
        isShared: { shared.contains(lowered.parameters[$0]) })
    } catch let error as CompileError {
      throw error
    } catch {
      throw CompileError("a parameter could not be read", cause: error, lowered, inference)
    }
  }

  /// Checks that a model for other sizes is the same network: its inputs and states have the sizes
  /// that they should have, and there are as many outputs.
  private func checkIsSame(
    _ other: Inference, _ graph: OperationGraph, _ shapes: [Shape]
  ) throws(CompileError) {
    let received = other.inputs.map { other.nodes[$0].shape }
    let names = { (inference: Inference) in inference.inputs.map { inference.nodes[$0].name } }
    guard received == shapes, names(other) == names(inference),
      other.outputs.count == inference.outputs.count,
      graph.states.map(\.name) == lowered.graph.states.map(\.name)
    else {
      throw CompileError([
        Problem(
          headline: "the network for these sizes has different inputs, outputs or states",
          details: [("needs", "the same ones for all sizes")])
      ])
    }
    for (state, largest) in zip(graph.states, lowered.graph.states)
    where graph.shape(of: state.present) != lowered.graph.shape(of: largest.present) {
      throw CompileError([
        Problem(
          headline: "the state \"\(state.name.printable)\" follows open sizes",
          details: [
            ("received", "\(graph.shape(of: state.present))"),
            ("needs", "\(lowered.graph.shape(of: largest.present)) for all sizes"),
          ])
      ])
    }
  }
}

/// What stands for the source of parameters that are found by their specifications.
private struct LargestParameters: ParameterSource {
  let goesByName = false

  func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? { nil }
}
