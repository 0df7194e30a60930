import ForgeGraph
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// A network ready to predict, immutable and shared by all threads.
///
/// ```swift
/// let probabilities = try network.predict(pixels)
/// ```
public final class CompiledModel: Sendable {
  /// The names of the inputs, in order.
  public var inputNames: [String] { inputTable.names }
  /// The declared shapes of the inputs, in order; sizes may be unknown.
  public var inputShapes: [Shape] { facts.inputs.map(\.shape) }
  /// The names of the outputs, in order; kept layers follow.
  public var outputNames: [String] { outputTable.names }
  /// The shapes of the outputs, in order; sizes may be unknown.
  public var outputShapes: [Shape] { facts.outputs.map(\.shape) }
  /// The names of the states that layers keep from one prediction to the next, such as
  /// `gru1.hidden`; see ``Context/state``.
  public var stateNames: [String] { facts.stateNames }
  /// The memory of the states.
  let stateLayouts: [StateLayout]
  /// The labels and other metadata of the network.
  public let metadata: ModelMetadata
  /// The report of the compile.
  public let report: CompileReport

  /// The names and tensors of the inputs.
  let inputTable: TensorTable
  /// The names and tensors of the outputs and the kept layers.
  let outputTable: TensorTable
  /// What the network knows of its model.
  let facts: NetworkFacts
  /// The model, or the file that holds the network.
  let origin: ModelOrigin
  let options: CompileOptions
  /// The inputs whose values are integers.
  let integerInputs: IntegerInputs
  /// The inputs that are sequences of changing length; `nil` if all sizes are fixed.
  let sequenceLength: SequenceLength?
  /// The sizes of inputs that each prediction chooses independently; `nil` if there are none.
  package let openSizes: OpenSizes?
  let network: any BackendNetwork
  let executables: ExecutableCache
  /// The executable of a model whose inputs have fixed sizes, available without a lock.
  let fixedExecutable: (any Executable)?
  /// The memory kept between calls of `predict`.
  let spare = SpareMemory()

  /// Creates a network from its parts.
  init(
    _ origin: ModelOrigin, _ facts: NetworkFacts, _ options: CompileOptions,
    _ metadata: ModelMetadata, _ network: any BackendNetwork, _ executable: (any Executable)?,
    report: CompileReport
  ) {
    (self.origin, self.facts, self.options, self.metadata) = (origin, facts, options, metadata)
    (self.network, self.report) = (network, report)
    let inference = origin.inference
    let names = facts.inputs.map(\.name)
    inputTable = TensorTable(
      names: names, tensors: inference?.inputs.compactMap { inference?.nodes[$0].tensor } ?? [],
      modelCount: names.count)
    outputTable = TensorTable(
      names: facts.outputs.map(\.name), tensors: origin.outputTensors,
      modelCount: facts.modelOutputCount)
    stateLayouts = origin.compiler?.graph.stateLayouts ?? executable?.states ?? []
    integerInputs = IntegerInputs(
      positions: facts.inputs.indices.filter { facts.inputs[$0].isOfIntegers })
    sequenceLength = SequenceLength(facts.inputs)
    openSizes = inference?.openSizes
    executables = ExecutableCache(capacity: options.planCacheSize)
    let isFixed = facts.inputs.allSatisfy(\.shape.isKnown)
    fixedExecutable = isFixed ? executable : nil
    if let executable {
      executables.add(executable, facts, for: executable.inputSizes.map { Shape(sizes: $0) })
    }
  }

  convenience init(
    _ compiler: Compiler, metadata: ModelMetadata, cache: CacheUse? = nil
  ) throws(CompileError) {
    let facts = NetworkFacts(compiler, outputShapes: try compiler.openOutputShapes())
    let shapes = compiler.largestInputShapes
    let network: any BackendNetwork
    let executable: (any Executable)?
    do throws(BackendError) {
      network = try compiler.network()
      executable =
        shapes.allSatisfy(\.isKnown)
        ? try compiler.executable(of: network, inputs: shapes) : nil
    } catch {
      throw error.compileError(compiler)
    }
    compiler.parameters.endLoading()
    let verification = try Verification.run(compiler, network)
    self.init(
      .model(compiler), facts, compiler.options, metadata, network, executable,
      report: CompileReport(
        network, executable: executable, facts: facts, options: compiler.options,
        rewrites: compiler.rewrites, verification: verification, compiler: compiler,
        cache: cache))
  }

  /// The same network, which says how the cache was used.
  func reporting(_ cache: CacheUse) -> CompiledModel {
    CompiledModel(
      origin, facts, options, metadata, network, fixedExecutable, report: report.with(cache))
  }

  /// Whether the network comes from ``CompileOptions/cache`` and was not compiled;
  /// ``CompileReport/cache`` says more.
  public var isCached: Bool { if case .cached = report.cache { true } else { false } }

  /// The most threads of one prediction, as ``CompileOptions/threads`` resolved on this machine.
  public var threads: Int { network.decisions.threads }

  /// The most examples one prediction may hold.
  public var maximumBatch: Int { options.maximumBatch }

  /// The instruction set of the kernels.
  public var instructionSet: CompileOptions.InstructionSet {
    CompileOptions.InstructionSet(rawValue: network.decisions.instructionSet) ?? .scalar
  }

  /// The layers with their shapes and parameter counts, as a table.
  ///
  /// - Parameter detail: the amount of detail; `.detailed` names the chosen kernels.
  /// - Returns: the table, without a line break at its end.
  public func summary(_ detail: SummaryDetail = .standard) -> String {
    if let summary = origin.summary { return summary.text(detail) }
    guard let inference = origin.inference else { return "" }
    let kernels = report.kernelsByLayer
    return SummaryTable(inference, detail: detail) { kernels[$0, default: ""] }.text
  }

  /// The bytes that a ``Context`` needs for predictions of up to `batch` examples.
  ///
  /// - Parameters:
  ///   - batch: the number of examples.
  ///   - inputShapes: the sizes of inputs that take any, by name.
  /// - Returns: the bytes; the memory must be aligned to 64.
  /// - Throws: ``PredictionError`` when the batch or a size does not fit, or a size is missing.
  public func workspaceSize(
    batch: Int = 1, inputShapes: [String: Shape] = [:]
  ) throws(PredictionError) -> Int {
    try check(batch: batch)
    let executable = try executable(for: try shapes(named: inputShapes))
    do { return try Workspace.byteCount(of: executable, batch: batch) } catch {
      throw .noMemory(error)
    }
  }

  /// The bytes of packed parameters and of executables.
  var byteCounts: (constants: Int, executables: Int) {
    (network.constantByteCount, executables.byteCount)
  }

  /// The executable for inputs of these sizes, cached after the first use.
  func executable(for shapes: [Shape]) throws(PredictionError) -> any Executable {
    if let known = fixedExecutable ?? executables.executable(for: shapes) { return known }
    // A file holds a network for fixed sizes, whose executable is known.
    guard let compiler = origin.compiler else {
      throw .wrongShape(
        inputNames.first ?? "", received: shapes.first ?? Shape([]),
        needs: inputShapes.first ?? Shape([]))
    }
    try openSizes?.check(shapes, of: inputNames)
    let sized: Compiler?
    do throws(CompileError) { sized = try compiler.sized(for: shapes) } catch {
      throw .sizesNotTaken(shapes, of: inputNames, error)
    }
    do throws(BackendError) {
      guard let sized else {
        let made = try compiler.executable(of: network, inputs: shapes)
        executables.add(made, facts, for: shapes)
        return made
      }
      let made = try sized.executable(sharing: network, inputs: shapes)
      sized.parameters.endLoading()
      executables.add(made, NetworkFacts(sized), for: shapes)
      return made
    } catch {
      throw error.predictionError(sized ?? compiler)
    }
  }

  /// New memory for an executable.
  func makeMemory(
    _ executable: any Executable, batch: Int, threads: Int? = nil,
    workspace: WorkspaceMemory? = nil
  ) throws(PredictionError) -> PredictionMemory {
    do {
      return try PredictionMemory(
        executable, batch: batch, threads: min(threads ?? self.threads, self.threads),
        workspace: workspace)
    } catch {
      throw .noMemory(error)
    }
  }

  /// Passes memory to `body`: that of the previous prediction if it is free, else new memory.
  func withMemory<Result>(
    _ body: (ReusableMemory) throws(PredictionError) -> Result
  ) throws(PredictionError) -> Result {
    let memory = spare.take() ?? ReusableMemory()
    defer { spare.put(memory) }
    return try body(memory)
  }

  /// The memory for an executable within reusable memory.
  func memory(
    _ executable: any Executable, batch: Int = 1, in reusable: ReusableMemory, threads: Int? = nil
  ) throws(PredictionError) -> PredictionMemory {
    do {
      return try reusable.memory(
        for: executable, batch: batch, threads: min(threads ?? self.threads, self.threads))
    } catch {
      throw .noMemory(error)
    }
  }

  /// The results of one prediction with inputs that have been checked.
  ///
  /// `kept` says whether the kept layers are read too. `example` is the index of a single example
  /// that is one of several.
  func predictions(
    _ inputs: CheckedInputs, in reusable: ReusableMemory, kept: Bool = true, example: Int? = nil
  ) throws(PredictionError) -> Predictions {
    try withInputs(inputs, in: reusable) { memory throws(PredictionError) in
      try self.run(memory, batch: 1, example: example)
      return self.predictions(in: memory, kept: kept)
    }
  }

  /// The results of one prediction in a slot; `nil` if `stop` was met before the last step.
  func predictions(
    _ inputs: CheckedInputs, in reusable: ReusableMemory, state: StateMemory?, threads: Int?,
    until stop: StopCondition
  ) throws(PredictionError) -> Predictions? {
    try withInputs(
      inputs, in: reusable, state: state, threads: threads
    ) { memory throws(PredictionError) in
      guard try self.run(memory, batch: 1, until: stop) else { return nil }
      return self.predictions(in: memory)
    }
  }

  /// Passes memory to `body` that holds the inputs of a prediction and the state that it begins
  /// with: that of a session, or zeros.
  private func withInputs<Result>(
    _ inputs: CheckedInputs, in reusable: ReusableMemory, state: StateMemory? = nil,
    threads: Int? = nil,
    _ body: (PredictionMemory) throws(PredictionError) -> Result
  ) throws(PredictionError) -> Result {
    let memory = try memory(inputs.executable, in: reusable, threads: threads)
    memory.resetCrops()
    let own = memory.state
    defer { memory.state = own }
    if let state {
      memory.state = state
    } else {
      // Predictions without a context or a session start from the beginning.
      own.reset()
    }
    try memory.write(inputs)
    return try body(memory)
  }

  /// The results of one of the examples in a prediction's memory.
  func predictions(
    in memory: PredictionMemory, example: Int = 0, kept: Bool = true
  ) -> Predictions {
    let count = kept ? outputTable.names.count : outputTable.modelCount
    return Predictions(
      table: outputTable,
      tensors: (0..<count).map { memory.tensor(ofOutput: $0, example: example) })
  }

  /// Runs a prediction in its memory and makes the checks that the options request.
  ///
  /// The states do not advance; nothing of a prediction that fails remains in them. `example` is
  /// the index of a single example that is one of several.
  ///
  /// - Returns: whether it ran to the end before `stop` was met.
  @discardableResult
  func run(
    _ memory: PredictionMemory, batch: Int, until stop: StopCondition = StopCondition(),
    example: Int? = nil
  ) throws(PredictionError) -> Bool {
    if !integerInputs.isEmpty { try checkIntegers(memory, batch: batch, example: example) }
    let isDone: Bool
    do throws(LayerFailure) { isDone = try memory.run(batch: batch, until: stop) } catch {
      throw predictionError(
        error, of: memory.executable, example: batch > 1 ? error.example : example)
    }
    if isDone { try check(memory, batch: batch, example: example) }
    return isDone
  }

  /// Makes the checks that the options request.
  ///
  /// `single` is the index of a single example that is one of several.
  private func check(
    _ memory: PredictionMemory, batch: Int, example single: Int?
  ) throws(PredictionError) {
    guard options.checks.contains(.finiteOutputs) else { return }
    for index in memory.executable.outputSizes.indices {
      for example in 0..<batch {
        let values = memory.values(ofOutput: index, example: example)
        for position in values.indices where !values[position].isFinite {
          memory.forgetAppended(batch: batch)
          throw .notFinite(
            outputNames[index], index: position, value: values[position],
            example: batch > 1 ? example : single,
            source: NonFiniteSource(self, network, memory, example: example))
        }
      }
    }
  }

  /// The error for a layer that failed, with the layer's name and source location.
  ///
  /// The error names an example if it was one of several.
  func predictionError(
    _ failure: LayerFailure, of executable: any Executable, example: Int? = nil
  ) -> PredictionError {
    facts(of: executable).predictionError(failure, example: example)
  }

  /// What is known of the layers of an executable, which may be other ones for other sizes.
  func facts(of executable: any Executable) -> NetworkFacts {
    executables.facts(of: executable) ?? facts
  }
}
