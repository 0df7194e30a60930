import Forge
import ForgeText

/// Writes texts token by token: a decoder continues the prompt, and an encoder-decoder turns it
/// into another text, such as a translation.
///
/// ```swift
/// let generator = try Generator(contentsOf: "Qwen2.5-0.5B")
/// for try await piece in try generator.generate("Swallows leave before") {
///   print(piece.text, terminator: "")
/// }
/// ```
/// A decoder computes the prompt in parts, then each token once: the attention keeps the keys and
/// values of all tokens before. An encoder reads the prompt once. All threads can share a
/// generator. Texts that are written at the same time share its weights and each have keys and
/// values of their own.
public struct Generator: Sendable {
  /// The folder.
  public let hub: HubModel
  /// The options of texts that have none of their own: those of generation_config.json.
  public let options: GenerationOptions
  /// The maximum number of tokens of a prompt and its text; of each of them with an encoder.
  public var maximumLength: Int { hub.maximumLength }

  let networks: WritingNetworks
  private let tokenizer: Tokenizer
  private let settings: GenerationSettings

  /// The maximum number of tokens of a part of a prompt.
  private static let partLength = 128

  /// Reads a folder and compiles its network.
  ///
  /// - Parameters:
  ///   - folder: the folder of a decoder or an encoder-decoder; see ``HubModel``.
  ///   - generation: the options of texts that have none of their own; those of
  ///     generation_config.json if `nil`.
  ///   - maximumLength: the maximum number of tokens of a prompt and its text, of each of them with
  ///     an encoder; at most the folder's. Each text in progress has memory for the keys and values
  ///     of that many.
  ///   - streams: how many texts are computed at the same time; further ones take turns with them.
  ///   - options: the options of the compile, such as the precision.
  ///   - limits: limits on what the files may state.
  /// - Throws: ``HubError``, as ``HubModel``; `unsupported` for a network without a decoder or a
  ///   value of generation_config.json that Forge does not have; `compile`.
  public init(
    contentsOf folder: String, generation: GenerationOptions? = nil, maximumLength: Int = 4096,
    streams: Int = 1, options: CompileOptions = CompileOptions(), limits: HubLimits = HubLimits()
  ) throws(HubError) {
    let root = HubFolder(path: folder, limits: limits)
    let pair = try root.settings("config.json").flatMap { config throws(HubError) in
      try EncoderDecoders.architecture(config, limits: limits)
    }
    let hub =
      if let pair {
        try HubModel(
          encoder: PairedEncoder(pair), of: folder, maximumLength: maximumLength, limits: limits)
      } else {
        try HubModel(
          streaming: folder, partLength: Self.partLength, maximumLength: maximumLength,
          limits: limits)
      }
    guard var tokenizer = hub.tokenizer else { throw .noTokenizer(folder) }
    // A prompt that is too long is an error: its end is what the text continues.
    tokenizer.truncation = nil
    self.tokenizer = tokenizer
    self.hub = hub
    settings = try GenerationSettings(root, isPair: pair != nil, options: generation)
    self.options = settings.options
    func runner(_ model: Model) throws(HubError) -> Runner<CompiledModel> {
      let network: CompiledModel
      do throws(CompileError) { network = try model.compile(options: options) } catch {
        throw .notCompiled(error, folder)
      }
      do { return try Runner(network, inflightBuffers: streams) } catch {
        throw .notCompiled(error, folder)
      }
    }
    guard let pair else {
      networks = .decoder(
        try runner(hub.model), partLength: min(Self.partLength, hub.maximumLength))
      return
    }
    guard let start = settings.decoderStart else {
      throw .missing(
        "decoder_start_token_id", in: root.path(of: "config.json"), needs: "an id")
    }
    let tensors = try HubTensors(root)
    networks = .pair(
      encoder: try runner(pair.readingModel(length: hub.maximumLength, tensors: tensors)),
      decoder: try runner(pair.writingModel(length: hub.maximumLength, tensors: tensors)),
      start: start)
  }

  /// The continuation of a prompt, or the text into which an encoder-decoder turns it.
  ///
  /// Nothing is computed before the first piece is asked for.
  ///
  /// - Parameters:
  ///   - prompt: the text to continue, or that the encoder reads.
  ///   - options: how tokens are chosen; ``options`` if `nil`.
  /// - Returns: the pieces of the text, without the prompt.
  /// - Throws: ``HubError``: `tokenizer`; `invalid` for a prompt that leaves no room or has no
  ///   token, and for options out of range.
  public func generate(
    _ prompt: String, options: GenerationOptions? = nil
  ) throws(HubError) -> GeneratedText {
    let options = options ?? self.options
    try options.validate(hub.path)
    var ids: [Int32]
    do throws(TokenizerError) { ids = try tokenizer.encode(prompt).ids } catch {
      throw .tokenizer(error, hub.path)
    }
    var most = maximumLength
    if case .decoder = networks {
      if ids.isEmpty, let start = settings.start { ids = [start] }
      most -= 1
    }
    guard (1...most).contains(ids.count) else {
      throw .invalid(
        "prompt", "\(ids.count) tokens", in: hub.path, needs: "1 to \(most) tokens")
    }
    return GeneratedText(
      plan: GeneratedText.Plan(
        networks: networks, tokenizer: tokenizer, prompt: ids, options: options,
        settings: settings, maximumLength: maximumLength, path: hub.path))
  }
}
