import CForgeKernels
import ForgeGraph
import ForgeOperations
import ForgeRunner
import ForgeShapes

/// A network ready to predict: packed parameters and a plan, immutable, shared by all threads.
///
/// ```swift
/// let probabilities = try network.predict(pixels)
/// ```
public final class CompiledModel: Sendable {
  /// The names of the inputs, in order.
  public let inputNames: [String]
  /// The declared shapes of the inputs, in order; sizes may be unknown.
  public let inputShapes: [Shape]
  /// The names of the outputs, in order; kept layers follow.
  public let outputNames: [String]
  /// The shapes of the outputs, in order; sizes may be unknown.
  public var outputShapes: [Shape] { compiler.graph.outputs.map { compiler.graph.shape(of: $0) } }
  /// The labels and other metadata of the network.
  public let metadata: ModelMetadata
  /// The most threads of one prediction, as ``CompileOptions/threads`` resolved on this machine.
  public let threads: Int
  /// The report of the compile.
  public let report: CompileReport

  let compiler: Compiler
  let constants: PackedConstants
  let plans: PlanCache
  /// The plan of a model whose inputs have fixed sizes, available without a lock.
  private let fixedPlan: Plan?
  /// The memory kept between calls of `predict`.
  private let spare = SpareMemory()

  var options: CompileOptions { compiler.options }

  init(_ compiler: Compiler, metadata: ModelMetadata) throws(CompileError) {
    var compiler = compiler
    constants = PackedConstants(compiler.parameters)
    let tuning = try compiler.tune(constants: constants)
    self.compiler = compiler
    self.metadata = metadata
    threads = compiler.threads
    plans = PlanCache(capacity: compiler.options.planCacheSize)
    inputNames = compiler.inference.inputs.map { compiler.inference.nodes[$0].name }
    inputShapes = compiler.inference.inputs.compactMap { compiler.inference.nodes[$0].shape }
    outputNames = compiler.outputNames
    var plan: Plan?
    if inputShapes.allSatisfy(\.isKnown) {
      do {
        let made = try compiler.plan(inputs: inputShapes, constants: constants)
        plans.add(made, for: inputShapes)
        plan = made
      } catch {
        throw CompileError([error.problem(compiler)])
      }
    }
    fixedPlan = plan
    let verification = try Verification.run(compiler, constants: constants)
    report = CompileReport(
      compiler, plan: plan, tuning: tuning, constantBytes: constants.byteCount,
      verification: verification)
    constants.settle()
  }

  /// Whether the background work of a compile has ended.
  ///
  /// That work moves parameters to large pages, on systems where page faults on these are slow.
  package var isSettled: Bool { constants.isSettled }

  /// The most examples one prediction may hold.
  public var maximumBatch: Int { options.maximumBatch }

  /// The instruction set of the kernels.
  public var instructionSet: CompileOptions.InstructionSet {
    CompileOptions.InstructionSet.allCases.first { $0.level == compiler.level } ?? .scalar
  }

  /// The layers with their shapes and parameter counts, as a table.
  ///
  /// - Parameter detail: the amount of detail; `.detailed` names the chosen kernels.
  /// - Returns: the table, without a line break at its end.
  public func summary(_ detail: SummaryDetail = .standard) -> String {
    SummaryTable(compiler.inference, detail: detail) { self.report.kernels(ofLayer: $0) }.text
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
  )
    throws(PredictionError) -> Int
  {
    guard (1...maximumBatch).contains(batch) else {
      throw .wrongBatch(
        batch, maximum: maximumBatch, remedy: "compile(options: .init(maximumBatch: …))")
    }
    let plan = try plan(for: try shapes(named: inputShapes))
    return try WorkspaceLayout(plan, batch: batch).byteCount
  }

  /// A layer by its position.
  func node(at position: Int) -> Inference.Node? {
    compiler.inference.nodes.first { $0.position == position && !$0.isInput }
  }

  /// The shapes of all inputs; those that take any size are looked up in `named`.
  func shapes(named: [String: Shape]) throws(PredictionError) -> [Shape] {
    for name in named.keys where !inputNames.contains(name) {
      throw .unknownName(name, what: "input", known: inputNames)
    }
    var shapes: [Shape] = []
    for (name, declared) in zip(inputNames, inputShapes) {
      guard let given = named[name] else {
        guard declared.isKnown else { throw .sizeNeeded(name, declared) }
        shapes.append(declared)
        continue
      }
      guard given.rank == declared.rank, given.isKnown,
        zip(given.dimensions, declared.dimensions).allSatisfy({ $1 == nil || $0 == $1 })
      else { throw .wrongShape(name, received: given, needs: declared) }
      // The range that also bounds the declared sizes of an Input.
      let range = 1...ConvolutionGeometry.maximumArgument
      guard given.dimensions.allSatisfy({ range.contains($0 ?? 0) }), given.elementCount != nil
      else { throw .sizeOutOfRange(name, received: given, needs: declared, range: range) }
      shapes.append(given)
    }
    return shapes
  }

  /// The plan for inputs of these sizes, cached after the first use.
  func plan(for shapes: [Shape]) throws(PredictionError) -> Plan {
    if let plan = fixedPlan ?? plans.plan(for: shapes) { return plan }
    do {
      let plan = try compiler.plan(inputs: shapes, constants: constants)
      plans.add(plan, for: shapes)
      constants.settle()
      return plan
    } catch {
      throw error.predictionError(compiler)
    }
  }

  /// Passes memory for a plan to `body`: the spare memory if it fits and is free, else new memory.
  func withMemory<Result>(
    _ plan: Plan, batch: Int, _ body: (PredictionMemory) throws(PredictionError) -> Result
  ) throws(PredictionError) -> Result {
    let memory: PredictionMemory
    if let spare = takeSpare(plan, batch: batch) {
      memory = spare
    } else {
      memory = try PredictionMemory(plan: plan, batch: batch, threads: threads)
    }
    defer { spare.put(memory) }
    return try body(memory)
  }

  private func takeSpare(_ plan: Plan, batch: Int) -> PredictionMemory? {
    guard let taken = spare.take() else { return nil }
    guard taken.plan === plan, taken.maximumBatch >= batch else {
      spare.put(taken)
      return nil
    }
    return taken
  }

  /// Runs a plan in its memory and makes the checks that the options request.
  func run(_ memory: PredictionMemory, batch: Int) throws(PredictionError) {
    do throws(PredictionMemory.CustomFailure) { try memory.run(batch: batch) } catch {
      throw predictionError(error)
    }
    try check(memory, batch: batch)
  }

  /// Runs a plan as ``run(_:batch:)`` until the signal is raised.
  ///
  /// - Returns: whether all steps ran.
  func run(
    _ memory: PredictionMemory, batch: Int, until stop: borrowing StopSignal
  ) throws(PredictionError) -> Bool {
    let isDone: Bool
    do throws(PredictionMemory.CustomFailure) {
      isDone = try memory.run(batch: batch, until: stop)
    } catch {
      throw predictionError(error)
    }
    if isDone { try check(memory, batch: batch) }
    return isDone
  }

  /// Makes the checks that the options request.
  private func check(_ memory: PredictionMemory, batch: Int) throws(PredictionError) {
    guard options.checks.contains(.finiteOutputs) else { return }
    for (index, sizes) in memory.plan.outputSizes.enumerated() {
      let (values, count) = (memory.output(index), sizes.reduce(1, *))
      for position in 0..<count * batch where !values[position].isFinite {
        throw .notFinite(
          outputNames[index], index: position, value: values[position],
          source: NonFiniteSource(self, memory, example: position / count))
      }
    }
  }

  /// The error for a custom layer that threw, with the layer's name and source location.
  func predictionError(_ failure: PredictionMemory.CustomFailure) -> PredictionError {
    let node = node(at: failure.layer)
    return .customLayer(node?.reference, place: node?.place, cause: failure.cause)
  }
}
