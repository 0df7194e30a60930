import Forge
import ForgeImporters
import ForgeModels
import ForgeToolSupport

/// The import of a model file with the arguments of a command, or the recognition of a file of
/// weights.
struct ImportedFile {
  private let path: String
  private var file: ModelFile
  /// Why the file is not a model; `nil` if its format is known.
  private let misfit: ImportError?
  /// A file of weights in place of the model's own.
  private let otherWeights: String?

  /// Describes the import; the beginning of the file is read.
  ///
  /// - Throws: `ValidationError` for invalid arguments; ``ImportError`` for a file that is missing
  ///   or clearly of another kind.
  init(_ path: String, _ arguments: ImportArguments) throws {
    self.path = path
    file = try arguments.modelFile(path)
    do throws(ImportError) {
      let format = try file.format()
      let isImporters = arguments.weights.map(format.takesWeights(at:)) ?? true
      if !isImporters { file.weights = nil }
      otherWeights = isImporters ? nil : arguments.weights
      misfit = nil
    } catch {
      guard error.kind != .fileMissing else { throw error }
      // Files of formats that are not imported may look like archives of weights.
      guard !file.isForeign else { throw error }
      (otherWeights, misfit) = (nil, error)
    }
  }

  /// The model.
  ///
  /// - Parameter reading: calls its argument, which reads the files of the model.
  /// - Returns: the model with its weights.
  /// - Throws: ``ImportError``; what recognizing a file of weights throws.
  func network(
    reading: (() throws -> ImportedModel) throws -> ImportedModel
  ) throws -> Network {
    try Progress.during("importing \(path)") {
      if let misfit {
        // A folder or a file of weights may be that of a ready architecture.
        guard (try? WeightFile(path)) != nil else { throw misfit }
        return try Network(recognized: path)
      }
      let imported: ImportedModel
      do { imported = try reading(self.imported) } catch let error as ImportError {
        // The same container may hold the weights of a ready architecture.
        guard let recognized = try? Network(recognized: path) else { throw error }
        return recognized
      }
      note(assumed: imported.assumedArguments)
      return Network(imported: imported, title: path, isReady: false)
    }
  }

  /// The model, or its network in the cache of the options.
  ///
  /// - Parameter options: the options of the compile.
  /// - Returns: what the command predicts with.
  /// - Throws: as ``network(reading:)``.
  func opened(_ options: NetworkOptions) throws -> OpenedNetwork {
    guard options.compile.cache != nil, misfit == nil else {
      let network = try self.network { try $0() }
      return OpenedNetwork(network, options: options.compile(for: network))
    }
    let compile = file.fileCompile(options.compile, otherWeights: otherWeights) {
      try imported().model
    }
    if let known = OpenedNetwork(cached: compile, title: path), options.suit(known.interface) {
      note(assumed: known.interface.assumedArguments)
      return known
    }
    let network = try self.network { body in try compile.reading(body) }
    // A record of the cache is of a model with weights, for the options as they are given.
    guard !network.isReady, !network.isRandom, options.suit(FileInterface(network.imported)) else {
      return OpenedNetwork(network, options: options.compile(for: network))
    }
    return OpenedNetwork(network, options: options.compile, file: compile)
  }

  private func imported() throws -> ImportedModel {
    var imported = try file.imported()
    if let otherWeights {
      imported.model.parameters = try WeightFile(otherWeights).parameters()
    }
    return imported
  }

  private func note(assumed: String?) {
    if let assumed { Progress.note("\(path) leaves sizes open; assuming \(assumed)") }
  }
}
