import Forge
import ForgeText

/// Continues texts with a decoder, token by token.
///
/// ```swift
/// let generator = try Generator(contentsOf: "Qwen2.5-0.5B")
/// for try await piece in try generator.generate("Swallows leave before") {
///   print(piece.text, terminator: "")
/// }
/// ```
/// The prompt is computed in parts, then each token once: the attention keeps the keys and values
/// of all tokens before. All threads can share a generator. Texts that are written at the same time
/// share its weights and each have keys and values of their own.
public struct Generator: Sendable {
  /// The folder.
  public let hub: HubModel
  /// The options of texts that have none of their own: those of generation_config.json.
  public let options: GenerationOptions
  /// The maximum number of tokens of a prompt and its text.
  public var maximumLength: Int { hub.maximumLength }

  private let runner: Runner<CompiledModel>
  private let tokenizer: Tokenizer
  private let settings: GenerationSettings
  private let partLength: Int

  /// The maximum number of tokens of a part of a prompt.
  private static let partLength = 128

  /// Reads a folder and compiles its network.
  ///
  /// - Parameters:
  ///   - folder: the folder of a decoder; see ``HubModel``.
  ///   - generation: the options of texts that have none of their own; those of
  ///     generation_config.json if `nil`.
  ///   - maximumLength: the maximum number of tokens of a prompt and its text, at most the
  ///     folder's. Each text in progress has memory for the keys and values of that many.
  ///   - streams: how many texts are computed at the same time; further ones take turns with them.
  ///   - options: the options of the compile, such as the precision.
  ///   - limits: limits on what the files may state.
  /// - Throws: ``HubError``, as ``HubModel``; `unsupported` for a network that is not a decoder or
  ///   a value of generation_config.json that Forge does not have; `compile`.
  public init(
    contentsOf folder: String, generation: GenerationOptions? = nil, maximumLength: Int = 4096,
    streams: Int = 1, options: CompileOptions = CompileOptions(), limits: HubLimits = HubLimits()
  ) throws(HubError) {
    let hub = try HubModel(
      streaming: folder, partLength: Self.partLength, maximumLength: maximumLength, limits: limits)
    guard var tokenizer = hub.tokenizer else { throw .noTokenizer(folder) }
    // A prompt that is too long is an error: its end is what the text continues.
    tokenizer.truncation = nil
    self.tokenizer = tokenizer
    self.hub = hub
    partLength = min(Self.partLength, hub.maximumLength)
    settings = try GenerationSettings(HubFolder(path: folder, limits: limits), options: generation)
    self.options = settings.options
    let network: CompiledModel
    do throws(CompileError) { network = try hub.model.compile(options: options) } catch {
      throw .notCompiled(error, folder)
    }
    do { runner = try Runner(network, inflightBuffers: streams) } catch {
      throw .notCompiled(error, folder)
    }
  }

  /// The continuation of a text.
  ///
  /// Nothing is computed before the first piece is asked for.
  ///
  /// - Parameters:
  ///   - prompt: the text to continue.
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
    if ids.isEmpty, let start = settings.start { ids = [start] }
    guard (1..<maximumLength).contains(ids.count) else {
      throw .invalid(
        "prompt", "\(ids.count) tokens", in: hub.path, needs: "1 to \(maximumLength - 1) tokens")
    }
    return GeneratedText(
      plan: GeneratedText.Plan(
        runner: runner, tokenizer: tokenizer, prompt: ids, options: options, ends: settings.ends,
        partLength: partLength, maximumLength: maximumLength, path: hub.path))
  }
}
