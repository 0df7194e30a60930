import Forge

/// A product and an activation after the pooling: sentence-transformers' Dense.
struct SentenceDense: Sendable {
  let outputs: Int
  private let network: CompiledModel
  private let path: String

  private static let activations: [String: ActivationFunction] = [
    "Identity": .linear, "Tanh": .tanh, "ReLU": .relu, "GELU": .gelu, "Sigmoid": .sigmoid,
    "SiLU": .swish,
  ]

  /// Reads the config.json and the weights of a folder.
  ///
  /// - Throws: ``HubError``.
  init(_ folder: HubFolder, inputs: Int) throws(HubError) {
    guard let settings = try folder.settings("config.json") else {
      throw HubError(
        .fileMissing, "there is no configuration", path: folder.path(of: "config.json"))
    }
    let sizes = 1...max(1, folder.limits.channels)
    guard try settings.integer("in_features", in: sizes, default: inputs) == inputs else {
      throw settings.unsupported("in_features", needs: "the \(inputs) numbers of the pooling")
    }
    outputs = try settings.integer("out_features", in: sizes)
    try settings.require("module_input_name", "sentence_embedding")
    try settings.require("module_output_name", "sentence_embedding")
    try settings.refuse("use_residual")
    let name = try settings.text("activation_function") ?? "torch.nn.modules.activation.Tanh"
    guard name.hasPrefix("torch.nn."),
      let activation = name.split(separator: ".").last.flatMap({ Self.activations[String($0)] })
    else {
      throw settings.unsupported(
        "activation_function", needs: "torch.nn's \(Self.activations.keys.sorted())")
    }
    let tensors = try HubTensors(folder)
    let input = Input(shape: [inputs], name: "pooled")
    let output =
      input
      --> LastAxisDense(
        neurons: outputs, activation: activation,
        useBias: try settings.flag("bias", default: true), name: "linear")
    let model = Model(input: input, output: output)
    let source = HubParameters(tensors: tensors, prefixes: []) { TensorPlace($0) }
    do throws(CompileError) {
      network = try model.compile(
        parameters: source, options: CompileOptions(maximumBatch: 1, threads: 1))
    } catch { throw .notCompiled(error, folder.path) }
    path = folder.path
  }

  /// The outputs for a vector.
  func callAsFunction(_ vector: [Float]) throws(HubError) -> [Float] {
    do throws(PredictionError) { return try network.predict(vector) } catch {
      throw .notPredicted(error, path)
    }
  }
}
