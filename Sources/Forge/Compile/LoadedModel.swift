import ForgeGraph
import ForgeOperations

/// A model behind stages 1 to 3 of a compile: its shapes, its operations and its parameters.
struct LoadedModel: Sendable {
  /// Stage 1.
  let inference: Inference
  /// Stage 2.
  let lowered: LoweredModel
  /// Stage 3.
  let parameters: ParameterStore

  /// Runs the stages; `load` is stage 3.
  init(
    _ model: Model, options: CompileOptions,
    load: (LoweredModel, Inference) throws(CompileError) -> ParameterStore
  ) throws(CompileError) {
    inference = Inference(model)
    let problems = inference.problems + Compiler.problems(of: options, inference: inference)
    guard problems.isEmpty else { throw CompileError(problems) }
    lowered = try LoweredModel(inference)
    let isVerified = if case .samples = options.verify { true } else { false }
    try options.checkCost(of: lowered, within: model.limits, isVerified: isVerified)
    parameters = try load(lowered, inference)
    guard options.checks.contains(.finiteParameters) else { return }
    let (nodes, owners) = (inference.nodes, lowered.owners)
    try LoadStage.checkFinite(
      parameters, owners: owners.map { nodes[$0] },
      needs: "finite numbers, because of checks: .finiteParameters")
  }

  /// Runs stage 4.
  func compiler(_ options: CompileOptions) throws(CompileError) -> Compiler {
    try Compiler(
      inference: inference, lowered: lowered, parameters: parameters, options: options)
  }

  /// The tensors that described the outputs and the kept layers.
  func outputTensors(keeping options: CompileOptions) -> [Tensor] {
    inference.outputs.map { inference.nodes[$0].tensor }
      + options.keptLayers(inference).map(\.tensor)
  }
}
