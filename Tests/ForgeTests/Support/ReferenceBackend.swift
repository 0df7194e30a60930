import ForgeOperations
import ForgeShapes
import ForgeSystem

/// A second back end: it runs the reference executor behind the protocol that ForgeCPU implements.
struct ReferenceBackend: Backend {
  let rewriteNames: [String] = []
  /// What the back end says of its kernels.
  var kernelsAreOptimized = true
  /// What it adds to the outputs of sequences that are not of the largest length.
  var errorOfShorter: Float = 0
  /// What it does to the values of each output after computing them, as a broken kernel would.
  var fault: (@Sendable (inout [Float]) -> Void)?

  func problems(of options: CompileOptions) -> [Problem] {
    guard options.precision != .float32 else { return [] }
    return [.badOption("precision", options.precision.rawValue, needs: "float32")]
  }

  func storedCount(of shape: Shape) -> Int { shape.elementCount ?? 0 }

  func network(
    _ graph: OperationGraph, constants: any ConstantSource, options: CompileOptions,
    like earlier: (any BackendNetwork)?
  ) throws(BackendError) -> any BackendNetwork {
    Network(constants, self)
  }

  func storedFacts(of options: CompileOptions) -> [String]? { nil }

  func storedNetwork(
    from reader: inout StoredReader, threads: CompileOptions.Threads
  ) throws -> (network: any BackendNetwork, executable: any Executable) {
    throw StoredMisfit.foreign("the reference executor reads no compiled files")
  }

  private final class Network: BackendNetwork {
    func write(
      _ executable: any Executable, twin: any Executable, to writer: inout StoredWriter
    ) throws(BackendError) {
      throw .problems([
        (nil, Problem(headline: "the reference executor writes no compiled files"))
      ])
    }

    let decisions: BackendDecisions
    let constantByteCount = 0
    private let constants: any ConstantSource
    private let backend: ReferenceBackend

    init(_ constants: any ConstantSource, _ backend: ReferenceBackend) {
      self.constants = constants
      self.backend = backend
      decisions = BackendDecisions(
        instructionSet: "reference", threads: 1, precision: .float32,
        tuning: TuningReport(
          way: .costModel,
          record: TuningRecord(instructionSet: "reference", threads: 1, choices: [])),
        kernelsAreOptimized: backend.kernelsAreOptimized)
    }

    func executable(
      for graph: OperationGraph, constants: (any ConstantSource)?, lengths: LengthRange?
    ) throws(BackendError) -> any Executable {
      do {
        return try ReferenceExecutable(graph, constants ?? self.constants, lengths, backend)
      } catch {
        throw .constants(error)
      }
    }
  }
}

extension CompileOptions {
  /// Creates options for a device other than the processor.
  init(
    backend: any Backend, maximumBatch: Int = 64, keep: [String] = [], checks: Checks = .none,
    verify: Verification = .none
  ) {
    self.init(maximumBatch: maximumBatch, keep: keep, checks: checks, verify: verify)
    self.backend = backend
  }
}

/// A graph of known sizes with the constants it reads.
private final class ReferenceExecutable: Executable {
  let inputSizes: [[Int]]
  let outputSizes: [[Int]]
  let states: [StateLayout]
  let positionLimits: [PositionLimit]
  let indexInputs: [Int: Int]
  let cropSlots: [CropSlot]
  let arenaByteCount = 0
  let unsharedByteCount = 0
  let byteCount = 0
  let steps: [StepReport]
  let tensors: [TensorReport] = []
  let executor: ReferenceExecutor
  let lengths: LengthRange?
  let sequenceSizes: SequenceSizes?
  let constants: any ConstantSource
  let backend: ReferenceBackend

  init(
    _ graph: OperationGraph, _ constants: any ConstantSource, _ lengths: LengthRange?,
    _ backend: ReferenceBackend
  ) throws {
    self.lengths = lengths
    self.backend = backend
    sequenceSizes = try lengths.flatMap { range in
      SequenceSizes(range, longest: graph, probes: try range.probes.map { try range.graph($0) })
    }
    executor = try ReferenceExecutor(graph)
    self.constants = constants
    let sizes = { (value: OperationGraph.Value) in graph.shape(of: value).sizes ?? [] }
    inputSizes = graph.modelInputs.map(sizes)
    outputSizes = graph.modelOutputs.map(sizes)
    states = graph.stateLayouts
    positionLimits = graph.positionLimits
    indexInputs = graph.indexInputs
    cropSlots = graph.nodes.compactMap { node in
      guard case .resize(.size(_, let name?), _) = node.primitive else { return nil }
      let image = sizes(node.inputs[0])
      return CropSlot(name: name, width: image[1], height: image[0])
    }
    steps = graph.nodes.enumerated().map { position, node in
      StepReport(
        kernel: "reference \(node.primitive.name)", layers: node.layers, node: position,
        multiplyAdds: 0, bytes: 0)
    }
  }

  func runner(in workspace: Workspace, threads: Int) -> any ExampleRunner {
    ReferenceRunner(self, workspace)
  }
}

private final class ReferenceRunner: ExampleRunner {
  let threads = 1
  let realtimeRun: RealtimeRun? = nil
  func realtimeFailure(example: Int) -> LayerFailure {
    preconditionFailure("there are no real-time runs")
  }
  private let executable: ReferenceExecutable
  private let workspace: Workspace
  private var length: Int?

  init(_ executable: ReferenceExecutable, _ workspace: Workspace) {
    self.executable = executable
    self.workspace = workspace
  }

  func run(example: Int, until stop: StopCondition) throws(LayerFailure) -> Bool {
    if stop.isMet { return false }
    var executor = executable.executor
    var error: Float = 0
    do {
      if let length, let lengths = executable.lengths, length < lengths.maximum {
        executor = try ReferenceExecutor(lengths.graph(length))
        error = executable.backend.errorOfShorter
      }
      let graph = executor.graph
      var inputs = try zip(graph.modelInputs, executable.inputSizes).enumerated().map {
        index, input in
        let sizes = graph.shape(of: input.0).sizes ?? []
        let start = example * input.1.reduce(1, *)
        return try ReferenceTensor(
          sizes: sizes,
          floats: Array(workspace.inputs[index][start..<start + sizes.reduce(1, *)]))
      }
      for (index, sizes) in executable.stateSizes.enumerated() {
        inputs.append(
          try ReferenceTensor(
            sizes: sizes, floats: Array(workspace.state.values(index, example: example))))
      }
      let crops = executable.cropSlots.enumerated().map { slot, crop in
        (crop.name, workspace.crop(slot: slot))
      }
      let results = try executor.run(
        inputs: inputs, crops: Dictionary(uniqueKeysWithValues: crops), values: graph.outputs
      ) { try executable.constants.values(of: .parameter($0)) }
      for (index, output) in workspace.outputs.enumerated() {
        var floats = (results[graph.outputs[index]]?.floats ?? []).map { $0 + error }
        executable.backend.fault?(&floats)
        let start = example * executable.outputSizes[index].reduce(1, *)
        _ = UnsafeMutableBufferPointer(rebasing: output[start...]).update(fromContentsOf: floats)
      }
      let states = graph.outputs.suffix(executable.stateSizes.count)
      for (index, value) in states.enumerated() {
        let next = workspace.state.next(index, example: example)
        _ = next.update(fromContentsOf: results[value]?.floats ?? [])
      }
    } catch {
      let node = (error as? ReferenceError)?.node.map { executor.graph.nodes[$0] }
      throw LayerFailure(layer: node?.layers.last ?? 0, cause: error)
    }
    return true
  }

  func set(length: Int) { self.length = length }

  func profile(adding seconds: inout [Double]) throws(LayerFailure) {
    let clock = ContinuousClock()
    let start = clock.now
    _ = try run(example: 0, until: StopCondition())
    // The executor does not time its operations: each gets an equal share.
    let share = (clock.now - start) / .seconds(1) / Double(max(seconds.count, 1))
    for index in seconds.indices { seconds[index] += share }
  }
}
