import ForgeLoaders

/// How sentence-transformers makes a vector of the features of a text's tokens.
struct SentenceSettings: Sendable {
  /// A layer behind the pooling.
  enum Layer: Sendable {
    /// Scales the vector to length 1.
    case normalize
    /// A product with the matrix in a folder, and an activation.
    case dense(folder: String)
  }

  /// Whether the folder has modules.json.
  var isStated = false
  /// The folder of the network in this one.
  var transformerFolder = ""
  /// How the features are pooled; the mean if the folder does not say.
  var pooling = TextPooling(.mean)
  /// The layers behind the pooling, in order.
  var layers: [Layer] = []
  /// The maximum number of tokens; `nil` if the folder does not say.
  var maximumLength: Int?
  /// Whether texts become lowercase before they are tokenized.
  var lowercases = false
  /// The texts that are put before others, by name.
  var prompts: [String: String] = [:]
  /// The name of the prompt for texts that name none.
  var defaultPrompt: String?

  /// The names that the settings of the network have had.
  private static let transformerFiles = [
    "sentence_bert_config.json", "sentence_roberta_config.json", "sentence_distilbert_config.json",
    "sentence_camembert_config.json", "sentence_albert_config.json",
    "sentence_xlm-roberta_config.json",
  ]

  private static let maximumModules = 32

  /// Reads modules.json and the files that it names.
  ///
  /// - Throws: ``HubError``: `malformed`, `invalid`, `unsupported` and those of reading.
  init(_ folder: HubFolder) throws(HubError) {
    let path = folder.path(of: "modules.json")
    if let json = try folder.json("modules.json") {
      guard let modules = json.array, modules.count <= Self.maximumModules else {
        throw .wrongForm(path, needs: "a list of at most \(Self.maximumModules) modules")
      }
      isStated = true
      try read(modules, of: folder, path)
    }
    let own = try folder.folder(transformerFolder, namedIn: path)
    for name in Self.transformerFiles {
      guard let settings = try own.settings(name) else { continue }
      maximumLength = try settings.integer("max_seq_length", in: 1...folder.limits.positions)
      lowercases = try settings.flag("do_lower_case")
      break
    }
    if let settings = try folder.settings("config_sentence_transformers.json") {
      defaultPrompt = try settings.text("default_prompt_name")
      if let prompts = try settings.settings("prompts") {
        for name in prompts.names { self.prompts[name] = try prompts.text(name) ?? "" }
      }
    }
  }

  private mutating func read(
    _ modules: [JSONValue], of folder: HubFolder, _ path: String
  ) throws(HubError) {
    var hasPooling = false
    for (index, value) in modules.enumerated() {
      guard let object = value.object else {
        throw .wrongForm(path, needs: "a list of objects")
      }
      let module = Settings(object, path: path, prefix: "\(index).")
      let type = try module.text("type") ?? ""
      let place = try module.text("path") ?? ""
      let own = try folder.folder(place, namedIn: path)
      // Only the class counts: versions of the library have moved its modules.
      let name = type.split(separator: ".").last.map(String.init) ?? ""
      switch name {
      case "Transformer" where index == 0: transformerFolder = place
      case "Pooling" where index > 0 && !hasPooling && layers.isEmpty:
        hasPooling = true
        guard let settings = try own.settings("config.json") else {
          throw .missing("path", in: path, needs: "a folder with the pooling's config.json")
        }
        pooling = try TextPooling(settings)
      case "Normalize" where hasPooling: layers.append(.normalize)
      case "Dense" where hasPooling: layers.append(.dense(folder: place))
      case "Dropout" where hasPooling: break
      default:
        throw module.unsupported(
          "type", needs: "Transformer, Pooling, Dense, Dropout, Normalize, in this order")
      }
    }
    guard hasPooling else {
      throw .wrongForm(path, needs: "a module Pooling behind the module Transformer")
    }
  }
}
