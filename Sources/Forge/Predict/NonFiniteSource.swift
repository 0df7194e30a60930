import ForgeGraph
import ForgeOperations
import ForgeShapes

/// The source of the first number that is not finite in a prediction.
enum NonFiniteSource {
  /// An input of the model.
  case input(String, index: Int, value: Float)
  /// What a layer kept from the prediction before.
  case state(String, index: Int, value: Float)
  /// The first layer whose result is not finite although no input or state is.
  case layer(Inference.Node)

  /// Examines the inputs, then the states, then each layer.
  ///
  /// The states are still those before the prediction. It is `nil` when no layer shows the number
  /// again, when there is not enough memory to search, or when the network comes from a compiled
  /// file.
  init?(
    _ model: CompiledModel, _ network: any BackendNetwork, _ memory: PredictionMemory, example: Int
  ) {
    let inputs = memory.executable.inputSizes.indices.map { index in
      Array(memory.values(ofInput: index, example: example))
    }
    for (name, values) in zip(model.inputNames, inputs) {
      if let index = values.firstIndex(where: { !$0.isFinite }) {
        self = .input(name, index: index, value: values[index])
        return
      }
    }
    for (state, name) in model.stateNames.enumerated() {
      let values = memory.state.values(state, example: example)
      if let index = values.firstIndex(where: { !$0.isFinite }) {
        self = .state(name, index: index, value: values[index])
        return
      }
    }
    guard let node = try? Self.firstLayer(model, network, memory, inputs: inputs, example: example)
    else {
      return nil
    }
    self = .layer(node)
  }

  /// The first layer whose result is not finite, found in an executable that keeps all results.
  private static func firstLayer(
    _ model: CompiledModel, _ network: any BackendNetwork, _ memory: PredictionMemory,
    inputs: [[Float]], example: Int
  ) throws -> Inference.Node? {
    let shapes = memory.executable.inputSizes.map { Shape(sizes: $0) }
    let compiler = try model.origin.compilerOfLayers()
    let kept = try (try compiler.sized(for: shapes) ?? compiler).keepingAllLayers()
    let executable = try kept.executable(of: try kept.network(like: network), inputs: shapes)
    let copy = try PredictionMemory(executable, batch: 1, threads: model.threads)
    for (index, values) in inputs.enumerated() {
      _ = copy.input(index).update(fromContentsOf: values)
    }
    for (state, name) in kept.graph.states.map(\.name).enumerated() {
      guard let index = model.stateNames.firstIndex(of: name) else { continue }
      _ = copy.state.values(state, example: 0)
        .update(fromContentsOf: memory.state.values(index, example: example))
    }
    copy.set(length: memory.length)
    copy.takeCrops(from: memory)
    try copy.run(batch: 1)
    for (offset, node) in kept.inference.nodes.filter({ !$0.isInput }).enumerated() {
      let index = kept.ownOutputCount + offset
      if copy.values(ofOutput: index, example: 0).contains(where: { !$0.isFinite }) { return node }
    }
    return nil
  }

  /// What errors say; `example` is the index of an example that is one of several.
  func description(example: Int?) -> String {
    func place(_ value: Float, _ index: Int) -> String {
      "\(value.nameOfNonFinite) at index \(index)\(PredictionError.ofExample(example))"
    }
    return switch self {
    case .input(let name, let index, let value): "input \"\(name)\", \(place(value, index))"
    case .state(let name, let index, let value): "state \"\(name)\", \(place(value, index))"
    case .layer(let node): "layer \"\(node.name)\"" + (node.place.map { " at \($0)" } ?? "")
    }
  }
}
