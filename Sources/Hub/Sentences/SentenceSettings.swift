import ForgeLoaders

/// What sentence-transformers says about a folder: its modules, the maximum length, prompts.
struct SentenceSettings: Sendable {
  /// A module of the folder.
  struct Module: Sendable {
    /// The class, without the Python module that holds it.
    var name: String
    /// The folder in this one.
    var folder: String
    /// The settings of modules.json, for messages.
    var settings: Settings
  }

  /// The modules; empty if the folder has no modules.json.
  var modules: [Module] = []
  /// The folder of the network in this one.
  var transformerFolder: String { modules.first?.folder ?? "" }
  /// The maximum number of tokens; `nil` if the folder does not say.
  var maximumLength: Int?
  /// Whether texts become lowercase before they are tokenized.
  var lowercases = false
  /// What a cross-encoder does with its number; `nil` if the folder does not say.
  var scoring: LabelScoring?
  /// The texts that are put before others, by name.
  var prompts: [String: String] = [:]
  /// The name of the prompt for texts that name none.
  var defaultPrompt: String?

  /// The names that the settings of the network have had.
  static let transformerFiles = [
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
      for (index, value) in modules.enumerated() {
        guard let object = value.object else {
          throw .wrongForm(path, needs: "a list of objects")
        }
        let module = Settings(object, path: path, prefix: "\(index).")
        // Versions of the library have moved its classes.
        let name = try module.text("type")?.split(separator: ".").last ?? ""
        self.modules.append(
          Module(name: String(name), folder: try module.text("path") ?? "", settings: module))
      }
      if let first = self.modules.first, first.name != "Transformer" {
        throw first.settings.unsupported("type", needs: "Transformer as the first module")
      }
    }
    let transformer = try folder.folder(transformerFolder, namedIn: path)
    for name in Self.transformerFiles {
      guard let settings = try transformer.settings(name) else { continue }
      maximumLength = try settings.integer("max_seq_length", in: 1...folder.limits.positions)
      lowercases = try settings.flag("do_lower_case")
      break
    }
    if let settings = try folder.settings("config_sentence_transformers.json") {
      scoring = try settings.scoring("activation_fn")
      defaultPrompt = try settings.text("default_prompt_name")
      if let prompts = try settings.settings("prompts") {
        for name in prompts.names { self.prompts[name] = try prompts.text(name) ?? "" }
      }
    }
  }
}
