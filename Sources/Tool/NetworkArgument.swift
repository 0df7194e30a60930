import ArgumentParser
import Forge
import ForgeImporters
import ForgeModels
import ForgeToolSupport
import FoundationEssentials

/// A network argument: the name of a ready architecture, a model file, a compiled file, a folder of
/// the Hub, or a file of the weights of a ready architecture.
enum NetworkArgument: ExpressibleByArgument {
  case ready(Architecture)
  case file(path: String)

  /// The text for help and messages.
  static let help = ArgumentHelp(
    "A model file, a folder of the Hub, the name of a ready architecture, or a weight file of one.",
    valueName: "network|file")
  /// The text for help of commands that need no layers.
  static let openedHelp = ArgumentHelp(
    """
    A model file, a compiled file, a folder of the Hub, the name of a ready architecture, or a \
    weight file of one.
    """,
    valueName: "network|file")

  static var allValueStrings: [String] { Architecture.allCases.map(\.rawValue) }

  /// Without a dot or slash, it is a name, so that a misspelled name is not read as a path, unless
  /// a folder or a file is called so.
  init?(argument: String) {
    if let architecture = Architecture(rawValue: argument) {
      self = .ready(architecture)
    } else if argument.contains(where: { "./".contains($0) })
      || FileManager.default.fileExists(atPath: argument)
    {
      self = .file(path: argument)
    } else {
      return nil
    }
  }

  /// Whether it is a folder, such as one of the Hub; a package of Core ML counts as a file.
  var isFolder: Bool {
    guard case .file(let path) = self, (try? ModelFile(path).format()) == nil else { return false }
    return ArgumentFile.isFolder(path)
  }

  /// The model, with the parameters of its file if one is given.
  ///
  /// - Throws: ``ToolError`` of kind `layersNeeded` for a compiled file; what importing throws.
  func network(_ arguments: ImportArguments = ImportArguments()) throws -> Network {
    switch self {
    case .ready(let architecture): return try ready(architecture, arguments)
    case .file(let path):
      guard !Self.isCompiled(path) else { throw ToolError.noLayers(in: path) }
      if ArgumentFile.isHubFolder(path) { return try hubFolder(path, arguments) }
      return try ImportedFile(path, arguments).network { try $0() }
    }
  }

  /// What a command needs that predicts: the model, or the network of a compiled file or of the
  /// cache of the options.
  ///
  /// - Throws: ``ToolError`` of kind `fixedByFile` for arguments beside a compiled file that choose
  ///   what it fixes, and of kind `layersNeeded` for a command that takes none; `CompileError` for
  ///   one that cannot be used; what importing throws.
  func opened(_ arguments: ImportArguments, _ options: NetworkOptions) throws -> OpenedNetwork {
    switch self {
    case .ready(let architecture):
      return OpenedNetwork(try ready(architecture, arguments), options: options.compile)
    case .file(let path) where Self.isCompiled(path):
      guard options.takesCompiledFiles else { throw ToolError.noLayers(in: path) }
      let fixed = arguments.given + options.given
      guard fixed.isEmpty else { throw ToolError.fixed(fixed, by: path) }
      return try Progress.during("opening \(path)") {
        try OpenedNetwork(compiledFile: path, threads: options.threads)
      }
    case .file(let path) where ArgumentFile.isHubFolder(path):
      return OpenedNetwork(try hubFolder(path, arguments), options: options.compile)
    case .file(let path): return try ImportedFile(path, arguments).opened(options)
    }
  }

  private func ready(_ architecture: Architecture, _ arguments: ImportArguments) throws -> Network {
    try arguments.checkNothingToImport()
    return try Network(
      architecture.model, title: architecture.rawValue,
      weights: arguments.weights.map { try WeightFile($0).parameters() })
  }

  private func hubFolder(_ path: String, _ arguments: ImportArguments) throws -> Network {
    guard arguments.given.isEmpty else {
      throw ValidationError(
        "\(arguments.given.joined(separator: ", ")): not for a folder of the Hub")
    }
    return try Progress.during("reading \(path)") { try Network(hubFolder: path) }
  }

  /// Whether a path leads to a compiled file, by its first bytes.
  static func isCompiled(_ path: String) -> Bool {
    (try? FileHead(path))?.isCompiledNetwork ?? false
  }
}

extension Network {
  /// A ready architecture.
  init(_ model: Model, title: String, weights: (any ParameterSource)? = nil) throws {
    var model = model
    if let weights { model.parameters = weights }
    let inference = Inference(model)
    func ports(_ nodes: [Int]) -> [ImportedModel.Port] {
      nodes.map { index in
        let node = inference.nodes[index]
        return ImportedModel.Port(name: node.name, shape: node.shape ?? Shape([]))
      }
    }
    self.init(
      imported: ImportedModel(
        model: model, inputs: ports(inference.inputs), outputs: ports(inference.outputs)),
      title: title, isReady: true)
  }

  /// The ready architecture that a file of weights belongs to.
  init(recognized path: String) throws {
    let recognized = try RecognizedModel(weights: path)
    try self.init(recognized.model, title: "\(path): \(recognized.name)")
  }

  /// Compiles the network with its weights, or with seeded random ones, which a line tells.
  func compiled(_ options: CompileOptions, tellsOfRandom: Bool = false) throws -> CompiledModel {
    try OpenedNetwork(self, options: options).compiled(tellsOfRandom: tellsOfRandom)
  }
}

extension Network {
  /// The model with its weights, or with seeded random ones, which a line tells.
  var weighted: Model {
    guard isRandom else { return model }
    Progress.tellOfRandomWeights()
    var weighted = model
    weighted.parameters = parameters
    return weighted
  }
}

extension Progress {
  fileprivate static func tellOfRandomWeights() {
    note("no weights found: using seeded random values")
  }
}

extension OpenedNetwork {
  /// The compiled network; lines tell of seeded random weights, and of what is not as requested.
  func compiled(tellsOfRandom: Bool) throws -> CompiledModel {
    if tellsOfRandom, isRandom { Progress.tellOfRandomWeights() }
    let compiled = try Progress.compiling(title) { try self.compiled() }
    Progress.tell(of: compiled.report.precision, inPlaceOf: compiled.report.requestedPrecision)
    Progress.tell(of: compiled.report.cache)
    return compiled
  }
}
