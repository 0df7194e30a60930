import CForgeKernels
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// Creates the plans of a graph: stages 5 and 6 of a compile.
struct Planner: Sendable {
  /// The rewritten operations.
  let graph: OperationGraph
  /// The parameters in the forms that kernels read, shared by all plans.
  private(set) var constants: PackedConstants
  let options: CompileOptions
  let instructionSet: CompileOptions.InstructionSet
  /// The maximum number of threads of a prediction on this machine.
  let threads: Int
  /// The measured or recorded kernels; see ``tune()``.
  var tuned: TunedKernels = [:]

  /// The C value of the instruction set.
  var level: forge_level { instructionSet.level }

  init(_ graph: OperationGraph, constants: any ConstantSource, options: CompileOptions) {
    self.graph = graph
    self.constants = PackedConstants(constants)
    self.options = options
    instructionSet = options.requestedInstructionSet ?? .best
    threads = options.threads.count(usable: Device.usableCores())
  }

  /// The planner of graphs of the same model for other sizes, which shares the constants that both
  /// have.
  func sized(_ constants: any ConstantSource) -> Planner {
    var planner = self
    planner.constants = PackedConstants(constants, like: self.constants, of: graph)
    return planner
  }

  /// The settings that the choice of kernels depends on.
  var settings: PlanSettings { PlanSettings(self) }

  /// Returns the plan for a graph whose sizes are known, for sequences of all `lengths` if given.
  func plan(
    _ bound: OperationGraph, lengths: LengthRange? = nil
  ) throws(BackendError) -> Plan {
    guard let table = forge_kernels(level) else { throw .noKernels }
    try checkAxes(of: bound)
    let shorter = try planning { () throws in
      try lengths.map { range in try range.probes.map { try range.graph($0) } } ?? []
    }
    var settings = settings
    settings.separatesRows = shorter.first?.hasNarrowerRows(than: bound) ?? false
    let convolutions = try planning { () throws in
      try ConvolutionPlan(bound, settings, constants: constants)
    }
    try checkMemory(of: bound, convolutions)
    return try planning { () throws in
      var builder = PlanBuilder(
        graph: bound, kernels: table.pointee, constants: constants, settings: settings,
        convolutions: convolutions)
      try builder.build()
      let probes = try shorter.map { graph in
        guard graph.hasSameNodes(as: bound) else { throw BackendError.lengthNotFollowed(by: nil) }
        return try builder.shorter(graph.sharingValues(with: bound))
      }
      return try Plan(
        builder,
        split: ThreadSplit(smallestShare: options.smallestShare ?? ThreadSplit.smallestShare),
        lengths: lengths, shorter: probes)
    }
  }

  /// Runs a part of planning and converts its errors to ``BackendError``.
  func planning<Result>(_ body: () throws -> Result) throws(BackendError) -> Result {
    do { return try body() } catch let error as BackendError {
      throw error
    } catch let error as NoMemory {
      throw .noMemory(error)
    } catch is NoConvolutionAlgorithm {
      throw .noKernels
    } catch is CancellationError where CompileWatch.isCancelled {
      throw .cancelled
    } catch {
      throw .constants(error)
    }
  }
}

extension OperationGraph {
  /// Whether images of several rows have fewer columns than in a graph of the same nodes.
  fileprivate func hasNarrowerRows(than longest: OperationGraph) -> Bool {
    let (values, others) = (
      inputs + nodes.map(\.output), longest.inputs + longest.nodes.map(\.output)
    )
    return zip(values, others).contains { value, other in
      let (own, whole) = (imageSizes(of: value), longest.imageSizes(of: other))
      return whole[0] > 1 && own[1] < whole[1]
    }
  }
}

extension BackendError {
  /// The error for an instruction set without kernels.
  static var noKernels: BackendError {
    .problems([(nil, Problem(headline: "this machine lacks the instruction set"))])
  }
}

extension CompileOptions.InstructionSet {
  /// The C value of the instruction set.
  var level: forge_level {
    switch self {
    case .scalar: FORGE_SCALAR
    case .baseline: FORGE_BASELINE
    case .avx2: FORGE_AVX2
    case .avx512: FORGE_AVX512
    }
  }

  /// Whether this machine supports the instruction set.
  var isAvailable: Bool { forge_kernels(level) != nil }

  /// The best instruction set of this machine.
  static var best: Self { allCases.last(where: \.isAvailable) ?? .scalar }
}

extension CompileOptions {
  /// The instruction set of the options, else the one that the environment variable `FORGE_ISA`
  /// names, for tests and comparisons.
  var requestedInstructionSet: InstructionSet? {
    instructionSet ?? environmentValue("FORGE_ISA").flatMap(InstructionSet.init(rawValue:))
  }
}
