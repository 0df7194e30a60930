import ArgumentParser
import Forge
import ForgeImporters
import ForgeModels
import ForgeToolSupport
import FoundationEssentials

/// A network argument: the name of a ready architecture, a model file, or a file of the weights of
/// a ready architecture.
enum NetworkArgument: ExpressibleByArgument {
  case ready(Architecture)
  case file(path: String)

  /// The text for help and messages.
  static let help = ArgumentHelp(
    "A model file, the name of a ready architecture, or a weight file of one.",
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

  /// The network, with the parameters of its file if one is given.
  func network(_ arguments: ImportArguments = ImportArguments()) throws -> Network {
    switch self {
    case .ready(let architecture):
      try arguments.checkNothingToImport()
      return try Network(
        architecture.model, title: architecture.rawValue,
        weights: arguments.weights.map { try WeightFile($0).parameters() })
    case .file(let path):
      return try Progress.during("importing \(path)") { try network(at: path, arguments) }
    }
  }

  private func network(at path: String, _ arguments: ImportArguments) throws -> Network {
    var file = try arguments.modelFile(path)
    let format: any ModelFormat.Type
    do throws(ImportError) { format = try file.format() } catch {
      guard error.kind != .fileMissing else { throw error }
      // Files of formats that are not imported may look like archives of weights.
      guard !file.isForeign else { throw error }
      return try Self.ready(at: path, orElse: error)
    }
    let isImporters = arguments.weights.map(format.takesWeights(at:)) ?? true
    if !isImporters { file.weights = nil }
    let imported: ImportedModel
    do throws(ImportError) { imported = try file.imported() } catch {
      // The same container may hold the weights of a ready architecture.
      guard let recognized = try? Network(recognized: path) else { throw error }
      return recognized
    }
    if let assumed = imported.assumedArguments {
      Progress.note("\(path) leaves sizes open; assumed is \(assumed)")
    }
    guard let weights = arguments.weights, !isImporters else {
      return Network(imported: imported, title: path, isReady: false)
    }
    let source = try WeightFile(weights).parameters()
    return Network(imported: imported.with(parameters: source), title: path, isReady: false)
  }

  /// The ready architecture of a folder or a file of weights; throws the other error if it is
  /// neither.
  private static func ready(at path: String, orElse other: ImportError) throws -> Network {
    guard (try? WeightFile(path)) != nil else { throw other }
    return try Network(recognized: path)
  }
}

/// A network of the tool: a model with its weights, and its inputs and outputs in the world of its
/// file.
struct Network {
  /// The model, inputs and outputs.
  let imported: ImportedModel
  /// What the network is called in messages: the architecture or the path.
  let title: String
  /// Whether it is a ready architecture.
  let isReady: Bool

  /// The model.
  var model: Model { imported.model }
  /// Whether seeded random values stand for the weights.
  var isRandom: Bool { model.parameters == nil && model.parameterCount > 0 }
  /// The weights, or seeded random values.
  var parameters: any ParameterSource { model.parameters ?? RandomParameters(seed: 1) }

  init(imported: ImportedModel, title: String, isReady: Bool) {
    self.imported = imported
    self.title = title
    self.isReady = isReady
  }

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
    if tellsOfRandom, isRandom {
      Progress.note("there are no weights: seeded random values stand for them")
    }
    let compiled = try Progress.compiling(title) {
      try model.compile(parameters: parameters, options: options)
    }
    Progress.tell(of: compiled.report.precision, inPlaceOf: options.precision)
    Progress.tell(of: compiled.report.cache)
    return compiled
  }
}

extension ImportedModel {
  /// The same model with other weights.
  func with(parameters: any ParameterSource) -> ImportedModel {
    var model = model
    model.parameters = parameters
    return ImportedModel(
      model: model, inputs: inputs, outputs: outputs, constants: constants,
      ignoredInputs: ignoredInputs)
  }
}
