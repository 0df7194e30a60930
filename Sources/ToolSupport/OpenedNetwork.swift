import Forge
import ForgeImporters

/// What a command that predicts works with: a model, which it compiles, or a network that is
/// compiled already.
///
/// A compiled network comes from a compiled file, or from a cache that has it of model files that
/// have not changed. It has no layers and no weights; commands that need these take a ``Network``.
package struct OpenedNetwork: Sendable {
  private enum Content: Sendable {
    /// A model. What compiles it notes which files it comes from, if a cache can recognize them.
    case model(Network, CompileOptions, FileCompile?)
    /// The network of a compiled file.
    case file(CompiledModel)
    /// A network of a cache, whose model was not imported.
    case cached(CompiledModel)
  }

  /// What the network is called in messages: the architecture or the path.
  package let title: String
  /// The inputs and outputs as the model file has them.
  package let interface: FileInterface
  /// The time that opening took; zero for a model, whose compile comes later.
  package let opening: Duration
  private let content: Content

  private init(
    _ content: Content, title: String, interface: FileInterface, opening: Duration = .zero
  ) {
    (self.content, self.title) = (content, title)
    (self.interface, self.opening) = (interface, opening)
  }

  /// A model to compile.
  ///
  /// - Parameters:
  ///   - network: the model.
  ///   - options: the options of the compile.
  ///   - file: the compile of the files that the model was imported from, with the same options.
  package init(
    _ network: Network, options: CompileOptions = CompileOptions(), file: FileCompile? = nil
  ) {
    self.init(
      .model(network, options, file), title: network.title,
      interface: FileInterface(network.imported))
  }

  /// Opens a compiled file.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - threads: the threads of a prediction; by default as many as suit the machine and the file.
  /// - Throws: `CompileError` for a file that is damaged or does not fit this machine;
  ///   ``ToolError`` of kind `fixedByFile` for more threads than the plan of the file has.
  package init(compiledFile path: String, threads: Int? = nil) throws {
    let start = ContinuousClock.now
    let network = try CompiledModel(
      contentsOf: path, threads: threads.map { .exactly($0) } ?? .automatic)
    if let threads, threads > network.threads {
      throw ToolError.tooManyThreads(threads, most: network.threads, path: path)
    }
    self.init(
      .file(network), title: path, interface: FileInterface(named: network),
      opening: ContinuousClock.now - start)
  }

  /// Finds the network of a model file in the cache, without importing the file; `nil` if the cache
  /// does not have it, or the file has changed.
  ///
  /// - Parameters:
  ///   - file: the compile of the file.
  ///   - title: the path.
  package init?(cached file: FileCompile, title: String) {
    let start = ContinuousClock.now
    guard let network = file.found() else { return nil }
    self.init(
      .cached(network), title: title, interface: FileInterface(named: network),
      opening: ContinuousClock.now - start)
  }

  /// Whether the network is that of a compiled file, which fixes the options of its compile.
  package var isCompiledFile: Bool { if case .file = content { true } else { false } }
  /// Whether it comes from a cache, so that no model was imported.
  package var isFromCache: Bool { if case .cached = content { true } else { false } }
  /// Whether seeded random values stand for the weights of a model.
  package var isRandom: Bool {
    if case .model(let network, _, _) = content { network.isRandom } else { false }
  }
  /// Whether it is a ready architecture with the weights of a file.
  package var isRecognized: Bool {
    guard case .model(let network, _, _) = content else { return false }
    return network.isReady && network.model.parameters != nil
  }

  /// The compiled network: that of the file or the cache, or the model compiled now.
  ///
  /// - Throws: `CompileError`.
  package func compiled() throws -> CompiledModel {
    switch content {
    case .file(let network), .cached(let network): network
    case .model(let network, _, let file?): try file.compiled(network.model)
    case .model(let network, let options, nil):
      try network.model.compile(parameters: network.parameters, options: options)
    }
  }

  /// The compiled network, or the plan of the model with random numbers in place of weights on
  /// which the plan does not depend.
  ///
  /// - Throws: `CompileError`.
  package func planned() throws -> CompiledModel {
    guard case .model(let network, let options, _) = content, !network.model.hasIntegerWeights
    else { return try compiled() }
    return try network.model.compile(
      parameters: SharedRandomParameters(network.parameters), options: options)
  }

  // MARK: Facts

  /// The labels and other metadata.
  package var metadata: ModelMetadata {
    switch content {
    case .model(let network, _, _): network.model.metadata
    case .file(let network), .cached(let network): network.metadata
    }
  }

  /// How the inputs and layers are connected and counted.
  package var outline: NetworkOutline {
    switch content {
    case .model(let network, _, _): NetworkOutline(Inference(network.model))
    case .file(let network), .cached(let network): network.outline
    }
  }

  /// The layers as a table; that of a model names no kernels.
  package func summary(_ detail: SummaryDetail) -> String {
    switch content {
    case .model(let network, _, _): network.model.summary(detail)
    case .file(let network), .cached(let network): network.summary(detail)
    }
  }

  /// The shapes of the inputs, those of a model with open sizes for the largest ones.
  package var inputShapes: [Shape?] {
    switch content {
    case .model(let network, _, _): network.model.inputs.map(\.shape)
    case .file(let network), .cached(let network): network.inputShapes
    }
  }

  /// The sizes of inputs that each prediction chooses independently; `nil` if there are none.
  ///
  /// Compiled networks that a file or a cache holds have none.
  package var openSizes: OpenSizes? {
    switch content {
    case .model(let network, _, _): network.model.openSizes
    case .file(let network), .cached(let network): network.openSizes
    }
  }

  /// The examples of one prediction unless an argument states them: as many as the model file
  /// fixes, or at most those that a compiled file is planned for.
  package var usualBatch: Int {
    let batch = interface.inputs.first?.batchSize ?? 1
    if case .file(let network) = content { return min(batch, network.maximumBatch) }
    return batch
  }

  /// Checks that a prediction of the network may have some examples.
  ///
  /// - Throws: ``ToolError`` of kind `fixedByFile` for a compiled file that is planned for fewer.
  package func check(batch: Int) throws(ToolError) {
    guard case .file(let network) = content, batch > network.maximumBatch else { return }
    throw .tooManyExamples(batch, most: network.maximumBatch, path: title)
  }
}

extension FileInterface {
  /// The inputs and outputs of a compiled network: as its model file had them, or else with its own
  /// axes.
  package init(named network: CompiledModel) {
    if let stated = FileInterface(of: network) {
      self = stated
      return
    }
    self.init(
      inputs: zip(network.inputNames, network.inputShapes).map { .init(name: $0, shape: $1) },
      outputs: zip(network.outputNames, network.outputShapes).map { .init(name: $0, shape: $1) })
  }

  /// The names of all outputs, those that are known last.
  package var outputNames: [String] { outputs.map(\.name) + constants.map(\.name) }
}
