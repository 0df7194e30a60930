import CForgeKernels
import ForgeGraph
import ForgeOperations
import ForgeShapes

/// Runs stages 1 to 4 on a model and keeps what stages 5 to 7 need for any input size.
struct Compiler: Sendable {
  /// Stage 1.
  let inference: Inference
  /// Stage 2, kept for `verify`.
  let lowered: LoweredModel
  /// Stage 3.
  let parameters: ParameterStore
  /// Stage 4: the rewritten operations; kept layers follow the model's own outputs.
  let graph: OperationGraph
  /// What each rewrite did.
  let rewrites: [Rewrites.Count]
  /// The names of the outputs, followed by those of the kept layers.
  let outputNames: [String]
  /// The results of kept layers in the lowered graph.
  let keptValues: [OperationGraph.Value]
  /// The number of outputs that are the model's own.
  let ownOutputCount: Int
  /// The options.
  let options: CompileOptions
  /// The instruction set of the kernels.
  let level: forge_level
  /// The most threads of a prediction, as resolved from the options on this machine.
  let threads: Int
  /// The kernels that were measured or read from a record, see ``tune(constants:)``.
  var tuned: [TuningRecord.Convolution: TuningRecord.Kernel] = [:]

  /// Runs stages 1 to 4.
  init(
    _ model: Model, options: CompileOptions, goesByName: Bool, names: () -> [String],
    prepare: ([ParameterSpec]) throws -> Void = { _ in }, ask: LoadStage.Ask
  ) throws(CompileError) {
    let inference = Inference(model)
    var problems = inference.problems + Self.problems(of: options, inference: inference)
    let level = forge_level(options, problems: &problems)
    guard problems.isEmpty else { throw CompileError(problems) }
    let lowered = try LoweredModel(inference)
    do { try prepare(lowered.parameters) } catch let error as CompileError { throw error } catch {
      throw CompileError([
        Problem(headline: "the source of parameters could not be prepared", cause: error)
      ])
    }
    let parameters = try LoadStage.load(
      lowered, inference: inference, goesByName: goesByName, names: names, ask: ask)
    if options.checks.contains(.finiteParameters) {
      try LoadStage.checkFinite(parameters, owners: lowered.owners.map { inference.nodes[$0] })
    }
    try self.init(
      inference: inference, lowered: lowered, parameters: parameters, options: options,
      level: level)
  }

  /// Runs stage 4 with other options on the results of stages 1 to 3.
  init(
    inference: Inference, lowered: LoweredModel, parameters: ParameterStore,
    options: CompileOptions, level: forge_level
  ) throws(CompileError) {
    self.inference = inference
    self.lowered = lowered
    var parameters = parameters
    parameters.threads = options.compileThreads.count(usable: Device.usableCores())
    self.parameters = parameters
    self.options = options
    self.level = level
    threads = options.threads.count(usable: Device.usableCores())
    var graph = lowered.graph
    do {
      rewrites = try Rewrites.apply(
        to: &graph, constants: parameters, disabled: options.disabledRewrites)
    } catch {
      throw CompileError([Problem(headline: "a constant could not be computed", cause: error)])
    }
    ownOutputCount = graph.outputs.count
    let kept = options.keep.compactMap { name in
      inference.nodes.first { $0.name == name && !$0.isInput }
    }
    keptValues = kept.compactMap { lowered.graph.layerOutputs[$0.position] }
    do {
      try KeepOutputs.apply(
        to: &graph, values: keptValues, lowered: lowered.graph, constants: parameters,
        foldsConstants: !options.disabledRewrites.contains(FoldConstants.name))
    } catch {
      throw CompileError([Problem(headline: "a constant could not be computed", cause: error)])
    }
    let problems = ConstantOperands.problems(graph, inference: inference)
    guard problems.isEmpty else { throw CompileError(problems) }
    self.graph = graph
    outputNames =
      Self.uniqueNames(inference.outputs.map { inference.nodes[$0].name }) + kept.map(\.name)
  }

  /// The problems with the options.
  private static func problems(of options: CompileOptions, inference: Inference) -> [Problem] {
    var problems: [Problem] = []
    if !(1...(1 << 20)).contains(options.maximumBatch) {
      problems.append(
        .badOption("maximumBatch", "\(options.maximumBatch)", needs: "1 to \(1 << 20)"))
    }
    if !(options.accuracy > 0) {
      problems.append(.badOption("accuracy", "\(options.accuracy)", needs: "a number above 0"))
    }
    if options.planCacheSize < 1 {
      problems.append(.badOption("planCacheSize", "\(options.planCacheSize)", needs: "at least 1"))
    }
    for (name, threads) in [
      ("threads", options.threads), ("compileThreads", options.compileThreads),
    ] {
      if let count = threads.given, count < 1 || count > CompileOptions.Threads.maximum {
        problems.append(
          .badOption(name, "\(count)", needs: "1 to \(CompileOptions.Threads.maximum)"))
      }
    }
    if case .samples(let count, _) = options.verify, !(1...1000).contains(count) {
      problems.append(.badOption("verify", "\(count) samples", needs: "1 to 1000 samples"))
    }
    let unknown = options.disabledRewrites.subtracting(Rewrites.names).sorted()
    if !unknown.isEmpty {
      problems.append(.unknownNames("there are no such rewrites", unknown, known: Rewrites.names))
    }
    let layers = inference.nodes.filter { !$0.isInput }.map(\.name)
    let missing = options.keep.filter { !layers.contains($0) }
    if !missing.isEmpty {
      problems.append(
        .unknownNames("there are no such layers to keep", missing, known: layers))
    }
    return problems
  }

  /// Makes output names unique by appending a number to duplicates.
  private static func uniqueNames(_ names: [String]) -> [String] {
    var used: Set<String> = []
    return names.map { name in
      var unique = name
      var number = 2
      while !used.insert(unique).inserted {
        unique = "\(name)_\(number)"
        number += 1
      }
      return unique
    }
  }

  /// Runs stages 5 and 6 for inputs of known sizes.
  func plan(inputs: [Shape], constants: PackedConstants) throws(PlanError) -> Plan {
    let bound = try bound(inputs: inputs)
    let settings = planSettings
    let convolutions: ConvolutionPlan
    do {
      convolutions = try ConvolutionPlan(bound, settings, constants: constants)
    } catch let error as NoMemory {
      throw .noMemory(error)
    } catch is NoConvolutionAlgorithm {
      throw .noKernels
    } catch {
      throw .parameters(error)
    }
    guard let table = forge_kernels(level) else { throw .noKernels }
    var builder = PlanBuilder(
      graph: bound, kernels: table.pointee, constants: constants, settings: settings,
      convolutions: convolutions)
    try checkMemory(of: bound, convolutions, border: builder.halo)
    do {
      try builder.build()
      return try Plan(builder, split: ThreadSplit(smallestShare: options.smallestShare))
    } catch let error as NoMemory {
      throw .noMemory(error)
    } catch {
      throw .parameters(error)
    }
  }

  /// The settings that the choice of kernels depends on.
  var planSettings: PlanSettings {
    var settings = PlanSettings(
      options, level: level, threads: threads,
      sizesAreFixed: graph.inputs.allSatisfy { graph.shape(of: $0).isKnown })
    settings.tuned = tuned
    return settings
  }

  /// The operations for inputs of known sizes.
  func bound(inputs: [Shape]) throws(PlanError) -> OperationGraph {
    let bound: OperationGraph
    do throws(OperationGraph.BindingError) { bound = try graph.binding(inputs: inputs) } catch {
      throw unfit(inputs: inputs) ?? .unfit(error.error, layer: 0, received: [])
    }
    for value in bound.nodes.map(\.output) + bound.inputs {
      // Kernels count with 32 bits along each axis.
      guard bound.shape(of: value).sizes?.allSatisfy({ $0 <= Int32.max }) ?? false else {
        throw .unfit(.axisTooLong(), layer: 0, received: [bound.shape(of: value)])
      }
    }
    return bound
  }

  /// The first layer that does not fit inputs of these sizes, and the shapes it would receive.
  ///
  /// The search uses the lowered graph, where every operation belongs to one layer.
  private func unfit(inputs: [Shape]) -> PlanError? {
    var shapes = lowered.graph.shapes
    for (value, shape) in zip(lowered.graph.inputs, inputs) { shapes[value.index] = shape }
    for node in lowered.graph.nodes {
      do throws(ShapeError) {
        shapes[node.output.index] = try node.primitive.checkedShape(
          for: node.inputs.map { shapes[$0.index] })
      } catch {
        let received = node.inputs.filter { lowered.graph.constant($0) == nil }
        return .unfit(
          error, layer: node.layers.last ?? 0, received: received.map { shapes[$0.index] })
      }
    }
    return nil
  }

  /// Why a plan cannot be made.
  enum PlanError: Error {
    /// A layer, by its position, does not fit inputs of this size.
    case unfit(ShapeError, layer: Int, received: [Shape])
    /// A parameter could not be read.
    case parameters(any Error)
    /// The system is out of memory.
    case noMemory(NoMemory)
    /// There are no kernels for the instruction set.
    case noKernels
  }
}

extension forge_level {
  /// The instruction set that the options request, or `FORGE_ISA`, or the best of the machine.
  fileprivate init(_ options: CompileOptions, problems: inout [Problem]) {
    let best = forge_best_level()
    if options.instructionSet == nil, let name = environmentValue("FORGE_ISA"),
      CompileOptions.InstructionSet(rawValue: name) == nil
    {
      problems.append(
        .unknownNames(
          "FORGE_ISA names no instruction set", [name],
          known: CompileOptions.InstructionSet.allCases.map(\.rawValue)))
    }
    guard let wanted = options.instructionSet ?? .fromEnvironment() else {
      self = best
      return
    }
    self = wanted.level
    if forge_kernels(self) == nil {
      let has = CompileOptions.InstructionSet.allCases.last { forge_kernels($0.level) != nil }
      problems.append(.instructionSetMissing(wanted.rawValue, has: (has ?? .scalar).rawValue))
    }
  }
}

extension CompileOptions.InstructionSet {
  /// The instruction set as a `forge_level`.
  var level: forge_level {
    switch self {
    case .scalar: FORGE_SCALAR
    case .baseline: FORGE_BASELINE
    case .avx2: FORGE_AVX2
    case .avx512: FORGE_AVX512
    }
  }

  /// The instruction set that the environment variable `FORGE_ISA` names, for tests and
  /// comparisons.
  static func fromEnvironment() -> Self? {
    environmentValue("FORGE_ISA").flatMap(Self.init(rawValue:))
  }
}
