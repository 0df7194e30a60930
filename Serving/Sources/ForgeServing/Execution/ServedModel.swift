import Forge
import ForgeImporters

/// One version of a model that is ready to answer requests.
package final class ServedModel: Sendable {
  /// The name in the repository.
  package let name: String
  /// The version in the repository.
  package let version: Int
  /// What config.pbtxt says, or nothing.
  package let configuration: ModelConfiguration
  /// The inputs, also those that no output depends on.
  package let inputs: [ServedPort]
  /// The outputs that a prediction computes, in the order of ``CompiledModel/outputNames``.
  package let outputs: [ServedPort]
  /// The outputs that no input changes.
  package let constants: [TensorData]
  /// The network.
  let network: CompiledModel
  /// Runs one example in each slot.
  let runner: Runner<CompiledModel>
  /// Runs several examples in each slot, where that was faster.
  package let batched: Runner<BatchedNetwork>?
  /// How it runs, in one line.
  package let plan: String
  /// What it has done.
  package let statistics = ModelStatistics()
  /// The states of streams.
  package let sessions: SessionTable
  /// The most examples of a request.
  let maximumBatch: Int
  /// The requests that may wait or run.
  package let capacity: Int
  /// The bytes of packed parameters and plans.
  package let byteCount: Int
  /// The format of the file: `onnx`.
  let format: String
  private let inputIndices: [String: Int]
  private let outputIndices: [String: Int]
  private let ignoredInputs: Set<String>

  /// Imports, compiles and warms up a model.
  ///
  /// - Throws: `ImportError`, `CompileError` or ``ServingError``.
  package init(
    _ name: String, version: Int, path: String, configuration: ModelConfiguration,
    options: ModelOptions
  ) throws {
    self.name = name
    self.version = version
    self.configuration = configuration
    var file = ModelFile(path, limits: options.importLimits)
    format = file.pathExtension
    file.options.sizes = try configuration.sizes()
    let imported = try file.imported()
    guard !imported.outputs.isEmpty else {
      throw ServingError(.unsupported, "no output of the model depends on an input")
    }
    let hasOpenBatch =
      configuration.maximumBatch > 0 || ["keras", "h5", "hdf5"].contains(file.pathExtension)
    inputs = imported.inputs.map { ServedPort($0, hasOpenBatch: hasOpenBatch) }
    outputs = imported.outputs.map { ServedPort($0, hasOpenBatch: hasOpenBatch) }
    constants = imported.constants.map { constant in
      TensorData(
        name: constant.name, datatype: Datatype(constant.values.elementType),
        shape: constant.values.sizes, content: constant.values.bytes[...])
    }
    ignoredInputs = Set(imported.ignoredInputs)
    inputIndices = Dictionary(
      inputs.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    outputIndices = Dictionary(
      outputs.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let isBatched = inputs.contains { $0.batchAxis != nil } && imported.exampleMixer == nil
    maximumBatch =
      isBatched
      ? (configuration.maximumBatch > 0 ? configuration.maximumBatch : options.maximumBatch) : 1
    network = try imported.model.compile(options: CompileOptions(maximumBatch: 64))
    let sizing = try ModelSizing(
      network, isBatched: isBatched, exampleMixer: imported.exampleMixer,
      configuration: configuration, options: options)
    runner = try Runner(network, inflightBuffers: sizing.slots, threads: sizing.threads)
    batched =
      sizing.batch > 1
      ? try Runner(
        BatchedNetwork(network: network), inflightBuffers: sizing.slots, batch: sizing.batch,
        within: sizing.window, threads: sizing.threads) : nil
    plan = "\(sizing)"
    capacity = sizing.capacity
    let memory = network.memory
    byteCount = memory.packedParameters + memory.plans
    sessions = SessionTable(
      runner, limit: options.sessions, idle: configuration.sequenceIdle ?? options.sessionIdle)
  }

  /// Whether it keeps states between the requests of a sequence.
  package var isStateful: Bool { !network.stateNames.isEmpty }

  /// The platform in the metadata: `forge_onnx`.
  package var platform: String { "forge_\(format)" }

  /// The batch that a model configuration states: the first axis of all inputs and outputs.
  package var configuredBatch: Int {
    (inputs + outputs).allSatisfy { $0.batchAxis == 0 } && maximumBatch > 1 ? maximumBatch : 0
  }

  /// The index of an input; `nil` for one that no output depends on.
  func index(ofInput name: String) throws(ServingError) -> Int? {
    if let index = inputIndices[name] { return index }
    if ignoredInputs.contains(name) { return nil }
    throw .invalid(
      "the model \"\(self.name)\" has no input \"\(name)\"; it has "
        + inputs.map { "\"\($0.name)\"" }.joined(separator: ", "))
  }

  /// The output of a name: the place of a computed one, or a constant.
  func output(_ name: String) throws(ServingError) -> OutputPlace {
    if let index = outputIndices[name] { return .computed(index) }
    if let constant = constants.first(where: { $0.name == name }) { return .constant(constant) }
    throw .invalid(
      "the model \"\(self.name)\" has no output \"\(name)\"; it has "
        + outputs.map { "\"\($0.name)\"" }.joined(separator: ", "))
  }

  /// Where an output comes from.
  enum OutputPlace {
    case computed(Int)
    case constant(TensorData)
  }

  /// Answers what has been accepted, and accepts nothing more.
  package func shutDown() async {
    await batched?.shutDown()
    await runner.shutDown()
  }
}

extension ModelFile {
  /// The extension in lower case, without the dot.
  var pathExtension: String {
    path.lowercased().split(separator: "/").last?.split(separator: ".").last.map(String.init) ?? ""
  }
}
