import Forge
import ForgeText

/// A folder of the Hub: a network with its weights, its tokenizer and its settings.
///
/// ```swift
/// let hub = try HubModel(contentsOf: "all-MiniLM-L6-v2")
/// let network = try hub.model.compile()
/// let text = try hub.encode("Swallows leave before winter.")
/// let ids = text.ids.map(Float.init)
/// let features = try network.predict(["input_ids": ids, "token_type_ids": ids.map { _ in 0 }])
/// ```
/// The folder is one that `save_pretrained` of transformers, or sentence-transformers, has written;
/// nothing is converted. ``TextEncoder``, ``Reranker``, ``TextClassifier`` and ``TokenClassifier``
/// do the whole task, from text to vectors, ranks, labels and entities.
///
/// The network takes sequences of any length up to ``maximumLength`` (one compile, no padding):
///
/// - Inputs: `input_ids` [length]; with ``HubInputs/types`` `token_type_ids` [length] where the
///   architecture has them; with ``HubInputs/mask`` `attention_mask` [length].
/// - Output: `last_hidden_state` [length][channels], or `logits`; see ``HubHead``.
public struct HubModel: Sendable {
  /// The folder, as given.
  public let path: String
  /// The kind of network, as config.json names it: `bert`.
  public let architecture: String
  /// What the network returns.
  public let head: HubHead
  /// The labels of a classification, in the order of the output; empty for features.
  public let labels: [String]
  /// The channels of a token's features.
  public let channels: Int
  /// The maximum number of tokens of a text, with those that are added.
  public let maximumLength: Int
  /// The inputs of the network beside the ids.
  public let inputs: HubInputs
  /// Whether a token sees only those before it.
  public let isCausal: Bool
  /// The network with its weights; `compile()` makes it ready.
  public let model: Model
  /// The tokenizer, which cuts texts to ``maximumLength``; `nil` if the folder has none.
  public let tokenizer: Tokenizer?
  /// What sentence-transformers says about the folder.
  let sentence: SentenceSettings
  /// The labels, and how their numbers become scores.
  let labelList: LabelList
  /// The files of the weights in the folder of the network.
  let weightFiles: [String]

  /// Reads a folder.
  ///
  /// - Parameters:
  ///   - folder: the folder with config.json, model.safetensors and tokenizer.json.
  ///   - head: what the network returns; if `nil`, what its config.json says.
  ///   - inputs: the inputs beside the ids.
  ///   - maximumLength: a smaller maximum number of tokens than the folder's, which saves memory.
  ///   - limits: limits on what the files may state.
  /// - Throws: ``HubError``: `fileMissing`, `unreadable`, `malformed`, `tooLarge`, `invalid` or
  ///   `unsupported`, with the file and the name of the value; `tokenizer`.
  public init(
    contentsOf folder: String, head: HubHead? = nil, inputs: HubInputs = .types,
    maximumLength: Int? = nil, limits: HubLimits = HubLimits()
  ) throws(HubError) {
    try self.init(folder, head, inputs, maximumLength, limits, partLength: nil)
  }

  /// Reads a folder as a stream of parts, which returns the output of the last token of each part.
  ///
  /// Its attention keeps the keys and values of ``maximumLength`` tokens.
  ///
  /// - Throws: ``HubError``, as ``init(contentsOf:head:inputs:maximumLength:limits:)``; of kind
  ///   `unsupported` for a network that is not a decoder.
  init(
    streaming folder: String, partLength: Int, maximumLength: Int, limits: HubLimits
  ) throws(HubError) {
    try self.init(folder, .nextToken, [], maximumLength, limits, partLength: partLength)
  }

  /// Reads a folder as the encoder of a network that also has a decoder.
  ///
  /// - Throws: ``HubError``, as ``init(contentsOf:head:inputs:maximumLength:limits:)``.
  init(
    encoder: PairedEncoder, of folder: String, maximumLength: Int, limits: HubLimits
  ) throws(HubError) {
    try self.init(folder, .features, [], maximumLength, limits, partLength: nil, encoder)
  }

  private init(
    _ folder: String, _ head: HubHead?, _ inputs: HubInputs, _ maximumLength: Int?,
    _ limits: HubLimits, partLength: Int?, _ encoder: PairedEncoder? = nil
  ) throws(HubError) {
    let root = HubFolder(path: folder, limits: limits)
    let sentence = try SentenceSettings(root)
    // The transformer of sentence-transformers may be in a folder of its own.
    let transformer = try root.folder(
      sentence.transformerFolder, namedIn: root.path(of: "modules.json"))
    let settings = try transformer.configuration()
    let architecture: any TextArchitecture =
      if let encoder { encoder } else {
        try TextArchitectures.architecture(settings, limits: limits)
      }
    let tensors = try HubTensors(transformer)
    let head = if let head { head } else { try Self.head(of: settings) }
    let labels = try LabelList(settings)
    let files = try TokenizerFiles(transformer)
    let most = try Self.maximumLength(
      maximumLength, [architecture.positions, sentence.maximumLength ?? files.maximumLength],
      in: settings)

    path = folder
    self.architecture = try settings.text("model_type") ?? ""
    self.head = head
    self.labels = head.hasLabels ? labels.names : []
    channels = architecture.channels
    self.maximumLength = most
    self.inputs = architecture.tokenTypes > 1 ? inputs : inputs.subtracting(.types)
    isCausal = architecture.isCausal
    self.sentence = sentence
    labelList = labels
    weightFiles = tensors.fileNames
    var tokenizer = files.tokenizer
    let side = files.truncationSide ?? tokenizer?.truncation?.side ?? .right
    tokenizer?.padding = nil
    tokenizer?.truncation = TokenTruncation(length: most, side: side)
    self.tokenizer = tokenizer
    guard partLength == nil || architecture.isCausal else {
      throw settings.unsupported(
        "model_type",
        needs: "a decoder, such as gpt2 or llama, or an encoder-decoder, such as t5 or bart")
    }
    let sizes = ModelSizes(
      length: most, partLength: partLength.map { min($0, most) }, labels: labels.names.count)
    model = try Self.model(architecture, head, sizes, self.inputs, tensors, settings)
  }

  /// The tokens of a text, cut to ``maximumLength``.
  ///
  /// - Parameter text: the text.
  /// - Returns: the ids, types and offsets of the tokens.
  /// - Throws: ``HubError``: `fileMissing` if the folder has no tokenizer, `tokenizer`.
  public func encode(_ text: String) throws(HubError) -> TokenizedText {
    guard let tokenizer else { throw .noTokenizer(path) }
    do throws(TokenizerError) { return try tokenizer.encode(text) } catch {
      throw .tokenizer(error, path)
    }
  }

  /// The head that config.json states with the class of the network.
  private static func head(of settings: Settings) throws(HubError) -> HubHead {
    let needs = "a model for features, classification or the next token"
    return try settings.head(needs: needs) { HubHead(className: $0) } ?? .features
  }

  /// The smallest of the maximum lengths.
  private static func maximumLength(
    _ wanted: Int?, _ stated: [Int?], in settings: Settings
  ) throws(HubError) -> Int {
    let most = stated.compactMap(\.self).min() ?? 512
    let length = wanted.map { min($0, most) } ?? most
    // Forge's lengths that a prediction chooses begin with a maximum of 8.
    guard length >= 8 else {
      throw .invalid(
        wanted == nil ? "max_position_embeddings" : "maximumLength", "\(length)",
        in: settings.path, needs: "at least 8 tokens")
    }
    return length
  }

  private struct ModelSizes {
    /// The maximum number of tokens of a text.
    var length: Int
    /// The maximum number of tokens of a part of a stream; `nil` for whole texts.
    var partLength: Int?
    var labels: Int
  }

  /// Describes the network.
  private static func model(
    _ architecture: any TextArchitecture, _ head: HubHead, _ sizes: ModelSizes,
    _ inputs: HubInputs, _ weights: HubTensors, _ settings: Settings
  ) throws(HubError) -> Model {
    let length = sizes.partLength ?? sizes.length
    let ids = Input(shape: [.upTo(length)], name: "input_ids")
    let types =
      inputs.contains(.types) ? Input(shape: [.upTo(length)], name: "token_type_ids") : nil
    let mask = inputs.contains(.mask) ? Input(shape: [.upTo(length)], name: "attention_mask") : nil
    let tensors = TextInputs(
      ids: ids, types: types, mask: mask, maximumLength: sizes.length,
      cacheLength: sizes.partLength == nil ? nil : sizes.length)
    var features = architecture.features(of: tensors)
    // What follows a part depends on its last token alone.
    if sizes.partLength != nil { features = tensors.last(of: features) }
    guard
      let output = architecture.output(of: head, on: features, tensors, labels: sizes.labels)
    else {
      throw .unsupported(
        "architectures", head.rawValue, in: settings.path,
        needs: "another head for this kind of network")
    }
    let all = [ids, types, mask].compactMap(\.self)
    var model = Model(inputs: all, outputs: [output --> Identity(name: head.outputName)])
    model.parameters = HubParameters(
      tensors: weights, prefixes: architecture.tensorPrefixes
    ) {
      architecture.place(of: $0)
    }
    return model
  }
}
