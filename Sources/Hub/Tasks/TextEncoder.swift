import Forge
import ForgeText

/// Computes vectors of texts, as sentence-transformers does: texts with similar meanings have
/// vectors with a small angle between them.
///
/// ```swift
/// let encoder = try TextEncoder(contentsOf: "all-MiniLM-L6-v2")
/// let vectors = try encoder.embed(["Swallows leave before winter.", "Birds migrate."])
/// print(vectors[0].count, TextEncoder.cosine(vectors[0], vectors[1]))
/// ```
/// Tokenizer, network, pooling, the layers after it, maximum length and prompts are those of the
/// folder. Without a modules.json the vector is the mean of the features. Texts are not padded, so
/// a vector does not depend on the texts beside it. All threads can share an encoder.
public struct TextEncoder: Sendable {
  /// The folder.
  public let hub: HubModel
  /// How features are pooled.
  public let pooling: TextPooling
  /// The numbers of a vector.
  public let dimensions: Int
  /// The texts that are put before others, by name: `query`, `passage`.
  public var prompts: [String: String] { hub.sentence.prompts }
  /// The maximum number of tokens of a text; tokens beyond it are left out.
  public var maximumLength: Int { hub.maximumLength }

  private let network: HubNetwork
  private let layers: [SentenceLayers.Layer]
  private let normalizes: Bool
  private let lowercases: Bool
  private let limits: HubLimits
  private let precision: CompileOptions.Precision

  /// Reads a folder and compiles its network.
  ///
  /// - Parameters:
  ///   - folder: the folder; see ``HubModel``.
  ///   - dimensions: the numbers of a vector that are kept, of networks trained for it
  ///     (Matryoshka); all of them if `nil`.
  ///   - pooling: how features are pooled; as the folder says if `nil`.
  ///   - normalizes: whether vectors are scaled to length 1 at the end; if `nil`, where the folder
  ///     does so, which is before `dimensions` cuts them.
  ///   - maximumLength: a smaller maximum number of tokens than the folder's, which saves memory.
  ///   - threads: the threads that share the texts of a call; `nil` for one per processor.
  ///   - options: the options of the compile, such as the precision.
  ///   - limits: limits on what the files may state.
  /// - Throws: ``HubError``, as ``HubModel``; `compile`.
  public init(
    contentsOf folder: String, dimensions: Int? = nil, pooling: TextPooling? = nil,
    normalizes: Bool? = nil, maximumLength: Int? = nil, threads: Int? = nil,
    options: CompileOptions = CompileOptions(), limits: HubLimits = HubLimits()
  ) throws(HubError) {
    let hub = try HubModel(
      contentsOf: folder, head: .features, inputs: [], maximumLength: maximumLength, limits: limits)
    self.hub = hub
    let sentence = try SentenceLayers(
      hub.sentence.modules, of: HubFolder(path: folder, limits: limits), channels: hub.channels,
      pooling: pooling)
    let width = sentence.width
    self.pooling = sentence.pooling
    layers = sentence.layers
    self.normalizes = normalizes ?? false
    self.limits = limits
    precision = options.precision
    if let dimensions {
      guard (1...width).contains(dimensions) else {
        throw .invalid("dimensions", "\(dimensions)", in: folder, needs: "1 to \(width)")
      }
    }
    self.dimensions = dimensions ?? width
    network = try HubNetwork(hub, options, threads: threads)
    lowercases = hub.sentence.lowercases && !Self.lowercases(network.tokenizer)
  }

  /// Whether a tokenizer makes texts lowercase itself.
  private static func lowercases(_ tokenizer: Tokenizer) -> Bool {
    guard let upper = try? tokenizer.encode("A B"), let lower = try? tokenizer.encode("a b") else {
      return false
    }
    return upper.ids == lower.ids
  }

  /// The vector of a text.
  ///
  /// - Parameters:
  ///   - text: the text; tokens beyond ``maximumLength`` are left out.
  ///   - prompt: the name of a text to put before it; that of the folder, if any, if `nil`.
  /// - Returns: ``dimensions`` numbers.
  /// - Throws: ``HubError``: `invalid` for an unknown name, `tokenizer`, `prediction`.
  public func embed(_ text: String, prompt: String? = nil) throws(HubError) -> [Float] {
    try embed([text], prompt: prompt)[0]
  }

  /// The vectors of texts, on several threads.
  ///
  /// - Parameters:
  ///   - texts: the texts; tokens beyond ``maximumLength`` are left out.
  ///   - prompt: the name of a text to put before each; that of the folder, if any, if `nil`.
  /// - Returns: a vector of ``dimensions`` numbers for each text, in their order. A text without
  ///   tokens has 0.
  /// - Throws: ``HubError``: `invalid` for an unknown name, `tokenizer`, `prediction`.
  public func embed(_ texts: [String], prompt: String? = nil) throws(HubError) -> [[Float]] {
    let prefix = try prefix(named: prompt)
    let promptLength = try promptLength(of: prefix)
    let encoded = try network.encode(
      texts.map { text in
        let text = prefix + text
        return lowercases ? text.lowercased() : text
      })
    let (pooling, channels) = (pooling, hub.channels)
    let pooled = try network.map(encoded) { _, features in
      pooling.pool(features, channels: channels, promptLength: promptLength)
    }
    var vectors: [[Float]] = []
    vectors.reserveCapacity(pooled.count)
    for vector in pooled { vectors.append(try finished(vector)) }
    return vectors
  }

  /// A digest of everything that determines the vectors.
  ///
  /// Store it with an index of vectors; if it
  /// differs later, build the index again.
  ///
  /// It covers the files of the folder, among them tokenizer and weights with their type of
  /// elements, and how they are used here: maximum length, pooling, dimensions, normalization,
  /// precision, and the rules by which this version of Forge computes. Each call reads the files.
  ///
  /// - Returns: 64 hexadecimal digits, the same on every machine.
  /// - Throws: ``HubError``: `unreadable`.
  public func fingerprint() throws(HubError) -> String {
    var fingerprint = HubFingerprint()
    let root = HubFolder(path: hub.path, limits: limits)
    let others = SentenceSettings.transformerFiles + hub.weightFiles
    try fingerprint.add(root, as: "", others: others)
    let modules = Set(hub.sentence.modules.map(\.folder)).subtracting(["", "."]).sorted()
    for name in modules {
      let folder = try root.folder(name, namedIn: root.path(of: "modules.json"))
      try fingerprint.add(folder, as: name, others: others)
    }
    fingerprint.add("length", maximumLength)
    fingerprint.add("pooling", pooling.modes.map(\.rawValue).joined(separator: " "))
    fingerprint.add("prompts", pooling.includesPrompt)
    fingerprint.add("dimensions", dimensions)
    fingerprint.add("normalizes", normalizes)
    fingerprint.add("precision", precision.rawValue)
    return fingerprint.digest()
  }

  /// The cosine of the angle between two vectors; 0 if one is 0 or they differ in length.
  ///
  /// - Parameters:
  ///   - a: a vector.
  ///   - b: another vector.
  /// - Returns: −1 to 1.
  public static func cosine(_ a: [Float], _ b: [Float]) -> Float {
    guard a.count == b.count else { return 0 }
    var (product, first, second) = (0.0, 0.0, 0.0)
    for (x, y) in zip(a, b) {
      product += Double(x) * Double(y)
      first += Double(x) * Double(x)
      second += Double(y) * Double(y)
    }
    let lengths = (first * second).squareRoot()
    return lengths > 0 ? Float(min(max(product / lengths, -1), 1)) : 0
  }

  private func prefix(named name: String?) throws(HubError) -> String {
    guard let name = name ?? hub.sentence.defaultPrompt else { return "" }
    guard let prompt = prompts[name] else {
      throw .invalid(
        "prompt", "\"\(name)\"", in: hub.path,
        needs: prompts.isEmpty
          ? "nil: the folder has no prompts" : prompts.keys.sorted().joined(separator: ", "))
    }
    return prompt
  }

  /// The tokens at the start of a text that belong to its prompt, those that are added included.
  private func promptLength(of prompt: String) throws(HubError) -> Int {
    guard !prompt.isEmpty, !pooling.includesPrompt else { return 0 }
    let text = try network.encode([lowercases ? prompt.lowercased() : prompt])[0]
    return text.count - (text.specialTokensMask.last == 1 ? 1 : 0)
  }

  /// The vector after the pooling.
  private func finished(_ pooled: [Float]) throws(HubError) -> [Float] {
    var vector = pooled
    for layer in layers {
      switch layer {
      case .normalize: vector.normalizeLength()
      case .dense(let dense): vector = try dense(vector)
      }
    }
    if dimensions < vector.count { vector.removeLast(vector.count - dimensions) }
    if normalizes { vector.normalizeLength() }
    return vector
  }
}
