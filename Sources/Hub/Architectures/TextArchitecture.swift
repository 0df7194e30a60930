import Forge

/// The inputs of a network for text.
struct TextInputs {
  /// The ids of the tokens, [length].
  let ids: Tensor
  /// The types of the tokens, [length]; `nil` for 0.
  let types: Tensor?
  /// 1 for tokens, 0 for padding, [length]; `nil` if there is no padding.
  let mask: Tensor?
  /// The maximum length.
  let maximumLength: Int
  /// The number of tokens whose keys and values a decoder keeps; `nil` if each prediction has a
  /// whole text.
  var cacheLength: Int?

  /// The mask as attention takes it, [1][length].
  var visible: Tensor? { mask.map { $0 --> ExpandDims(axes: [0]) } }

  /// The mean of the features of all tokens that are not padding, [1][channels].
  func mean(of features: Tensor) -> Tensor {
    func sum(_ x: Tensor) -> Tensor { x --> Reduce(.sum, axes: [0], keepsDimensions: true) }
    guard let mask else { return features --> Reduce(.mean, axes: [0], keepsDimensions: true) }
    let weights = mask --> ExpandDims(axes: [1])
    return [sum(features * weights), sum(weights)] --> Divide()
  }

  /// The features of the last token that is not padding, [1][channels].
  func last(of features: Tensor) -> Tensor {
    guard let mask else { return features --> Slice(starts: [-1], ends: [.max], axes: [0]) }
    // Counted from the end of the text, the last token is the first.
    let rest = mask --> CumulativeSum(axis: 0, reversed: true) --> Compare(.equal, than: [1])
    let last = rest * mask --> ExpandDims(axes: [1])
    return features * last --> Reduce(.sum, axes: [0], keepsDimensions: true)
  }

  /// The numbers of the tokens, from 0, [length].
  var positions: Tensor { (ids * 0 + 1 --> CumulativeSum(axis: 0)) - 1 }

  /// The number of each key less that of each query, [length][length].
  var distances: Tensor {
    let positions = positions
    return (positions --> ExpandDims(axes: [0])) - (positions --> ExpandDims(axes: [1]))
  }
}

/// A kind of network for text: what its configuration means, and its layers.
///
/// Layers have the names of the tensors in files, without the prefix that those of a network with a
/// head have. An attention has the name that its four products share.
protocol TextArchitecture: Sendable {
  /// The values of `model_type` that name it.
  static var types: [String] { get }

  /// Reads `config.json`.
  ///
  /// - Throws: ``HubError``: `invalid` or `unsupported`.
  init(_ settings: Settings, limits: HubLimits) throws(HubError)

  /// The channels of the features.
  var channels: Int { get }
  /// The number of ids.
  var vocabulary: Int { get }
  /// The maximum number of tokens.
  var positions: Int { get }
  /// The number of types of tokens; 1 if there are none.
  var tokenTypes: Int { get }
  /// Whether a token sees only those before it.
  var isCausal: Bool { get }
  /// The prefixes that the tensors of the body may have.
  static var prefixes: [String] { get }
  /// The prefixes that the tensors of this network may have; ``prefixes`` of its type.
  var tensorPrefixes: [String] { get }

  /// The features of each token, [length][channels].
  func features(of inputs: TextInputs) -> Tensor
  /// The output of a head; `nil` if there is none of the kind.
  func output(
    of head: HubHead, on features: Tensor, _ inputs: TextInputs, labels: Int
  ) -> Tensor?
  /// The tensor that holds a parameter.
  func place(of spec: ParameterSpec) -> TensorPlace?
}

extension TextArchitecture {
  var tokenTypes: Int { 1 }
  var tensorPrefixes: [String] { Self.prefixes }
  var isCausal: Bool { false }
  func place(of spec: ParameterSpec) -> TensorPlace? { TensorPlace(spec) }

  /// The features of the first token, [1][channels].
  func first(_ features: Tensor) -> Tensor {
    features --> Slice(starts: [0], ends: [1], axes: [0])
  }
}

extension TensorPlace {
  /// The usual place of a parameter: the layer's name with `.weight` or `.bias`.
  init?(_ spec: ParameterSpec) {
    switch spec.type {
    case .weights: self.init(names: ["\(spec.layer).weight"])
    case .biases: self.init(names: ["\(spec.layer).bias"])
    // Files that come from TensorFlow have its names.
    case .gamma: self.init(names: ["\(spec.layer).weight", "\(spec.layer).gamma"])
    case .beta: self.init(names: ["\(spec.layer).bias", "\(spec.layer).beta"])
    default: return nil
    }
  }

  /// The place of a parameter of an attention whose products have names.
  init?(_ spec: ParameterSpec, query: String, key: String, value: String, output: String) {
    let name: String
    switch spec.type {
    case .queryWeights, .queryBiases: name = query
    case .keyWeights, .keyBiases: name = key
    case .valueWeights, .valueBiases: name = value
    case .outputWeights, .outputBiases: name = output
    default:
      self.init(spec)
      return
    }
    let isWeight = spec.type.name.hasSuffix("Weights")
    self.init(names: ["\(spec.layer).\(name).\(isWeight ? "weight" : "bias")"])
  }
}

/// The architectures, by the names that configurations have for them.
enum TextArchitectures {
  static let all: [any TextArchitecture.Type] = [
    BERT.self, RoBERTa.self, DistilBERT.self, MPNet.self, ALBERT.self, ELECTRA.self,
    DeBERTa.self, ModernBERT.self, NomicBERT.self, T5.self, BART.self, GPT2.self, Llama.self,
    Gemma.self, CLIPText.self,
  ]

  /// Reads the architecture of a configuration.
  ///
  /// - Throws: ``HubError``: `invalid` or `unsupported`.
  static func architecture(
    _ settings: Settings, limits: HubLimits
  ) throws(HubError) -> any TextArchitecture {
    let type = try settings.architecture(among: all) { $0.types }
    try settings.refuseQuantization()
    return try type.init(settings, limits: limits)
  }
}
