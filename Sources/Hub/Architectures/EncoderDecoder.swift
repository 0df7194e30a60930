import Forge

/// What a decoder reads to choose a token.
struct StepInputs {
  /// The id of the token before, [1].
  let id: Tensor
  /// The number of tokens before that one, [1].
  let position: Tensor
  /// The keys and values of the prompt for each layer, each [length][channels].
  let sources: [Tensor]
  /// The maximum number of tokens of a text.
  let maximumLength: Int
}

/// A kind of network whose encoder reads a prompt and whose decoder writes a text.
///
/// It becomes two networks. The first returns the keys and values that the decoder's layers read of
/// the prompt, which do not change from token to token; the second takes them with one token.
protocol EncoderDecoder: Sendable {
  /// The values of `model_type` that name it.
  static var types: [String] { get }
  /// The prefixes that its tensors may have.
  static var prefixes: [String] { get }

  /// Reads `config.json`.
  ///
  /// - Throws: ``HubError``: `invalid` or `unsupported`.
  init(_ settings: Settings, limits: HubLimits) throws(HubError)

  /// The channels of the features.
  var channels: Int { get }
  /// The number of ids that a prompt may have.
  var vocabulary: Int { get }
  /// The maximum number of tokens of a prompt, and that of a text.
  var positions: Int { get }
  /// The layers of the decoder.
  var layers: Int { get }
  /// The channels of the keys of all heads, which are also those of the values.
  var keyChannels: Int { get }

  /// The features of each token of the prompt, [length][channels].
  func features(of inputs: TextInputs) -> Tensor
  /// The keys that a layer reads, [length][``keyChannels``].
  func keys(of features: Tensor, layer: Int) -> Tensor
  /// The values that a layer reads, [length][``keyChannels``].
  func values(of features: Tensor, layer: Int) -> Tensor
  /// The numbers of all tokens that may follow, [1][tokens].
  func logits(_ inputs: StepInputs) -> Tensor
  /// The tensor that holds a parameter.
  func place(of spec: ParameterSpec) -> TensorPlace?
}

extension EncoderDecoder {
  /// The names of the keys and values, in the order of ``StepInputs/sources``.
  private var sourceNames: [String] {
    (0..<layers).flatMap { ["keys.\($0)", "values.\($0)"] }
  }

  /// The network that reads a prompt: `input_ids` [length] to `keys.0`, `values.0` and so on.
  func readingModel(length: Int, tensors: HubTensors) -> Model {
    let ids = Input(shape: [.upTo(length)], name: "input_ids")
    let features = features(
      of: TextInputs(ids: ids, types: nil, mask: nil, maximumLength: length))
    let sources = (0..<layers).flatMap {
      [keys(of: features, layer: $0), values(of: features, layer: $0)]
    }
    let outputs = zip(sources, sourceNames).map { $0 --> Identity(name: $1) }
    return model([ids], outputs, tensors)
  }

  /// The network that writes: `input_ids` [1], `position` [1] and the outputs of
  /// ``readingModel(length:tensors:)`` to `logits` [1][tokens].
  func writingModel(length: Int, tensors: HubTensors) -> Model {
    let id = Input(shape: [1], name: "input_ids")
    let position = Input(shape: [1], name: "position")
    let sources = sourceNames.map {
      Input(shape: [.upTo(length), .exactly(keyChannels)], name: $0)
    }
    let inputs = StepInputs(id: id, position: position, sources: sources, maximumLength: length)
    return model([id, position] + sources, [logits(inputs) --> Identity(name: "logits")], tensors)
  }

  private func model(_ inputs: [Tensor], _ outputs: [Tensor], _ tensors: HubTensors) -> Model {
    var model = Model(inputs: inputs, outputs: outputs)
    model.parameters = HubParameters(tensors: tensors, prefixes: Self.prefixes) {
      place(of: $0)
    }
    return model
  }
}

/// The kinds of networks with an encoder and a decoder.
enum EncoderDecoders {
  static let all: [any EncoderDecoder.Type] = [T5EncoderDecoder.self, BARTEncoderDecoder.self]

  /// The ends of the names of classes that write texts.
  ///
  /// The last product of a BART is always that of its words.
  private static let classes = [
    "ForConditionalGeneration", "MTModel", "T5WithLMHeadModel", "BartModel",
  ]

  /// Reads the kind of network that config.json names; `nil` for other networks.
  ///
  /// - Throws: ``HubError``: `invalid` or `unsupported`.
  static func architecture(
    _ settings: Settings, limits: HubLimits
  ) throws(HubError) -> (any EncoderDecoder)? {
    guard let name = try settings.text("model_type"),
      let type = all.first(where: { $0.types.contains(name) })
    else { return nil }
    try settings.refuseQuantization()
    if let name = settings["architectures"]?.array?.first?.text,
      !classes.contains(where: { name.hasSuffix($0) })
    {
      throw .unsupported(
        "architectures", "\"\(name.prefix(80))\"", in: settings.path,
        needs: "a model for conditional generation")
    }
    return try type.init(settings, limits: limits)
  }
}

/// The encoder of a network that also has a decoder.
struct PairedEncoder: TextArchitecture {
  static var types: [String] { EncoderDecoders.all.flatMap { $0.types } }
  static let prefixes: [String] = []

  private let pair: any EncoderDecoder

  init(_ pair: any EncoderDecoder) { self.pair = pair }

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    guard let pair = try EncoderDecoders.architecture(settings, limits: limits) else {
      throw settings.unsupported("model_type", needs: Self.types.joined(separator: ", "))
    }
    self.pair = pair
  }

  var channels: Int { pair.channels }
  var vocabulary: Int { pair.vocabulary }
  var positions: Int { pair.positions }
  var tensorPrefixes: [String] { type(of: pair).prefixes }

  func features(of inputs: TextInputs) -> Tensor { pair.features(of: inputs) }
  func place(of spec: ParameterSpec) -> TensorPlace? { pair.place(of: spec) }

  func output(
    of head: HubHead, on features: Tensor, _ inputs: TextInputs, labels: Int
  ) -> Tensor? { head == .features ? features : nil }
}
