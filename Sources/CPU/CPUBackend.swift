import CForgeKernels
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// The back end for the processors of this machine.
package struct CPUBackend: Backend {
  /// Creates the back end.
  package init() {}

  package var rewriteNames: [String] { PlanRewrites.names }

  package func problems(of options: CompileOptions) -> [Problem] {
    if options.instructionSet == nil, let name = environmentValue("FORGE_ISA"),
      CompileOptions.InstructionSet(rawValue: name) == nil
    {
      return [
        .unknownNames(
          "FORGE_ISA does not name an instruction set", [name],
          known: CompileOptions.InstructionSet.allCases.map(\.rawValue))
      ]
    }
    guard let requested = options.requestedInstructionSet, !requested.isAvailable else { return [] }
    return [
      .instructionSetMissing(
        requested.rawValue, has: CompileOptions.InstructionSet.best.rawValue)
    ]
  }

  /// The channels of an image are stored in whole groups.
  package func storedCount(of shape: Shape) -> Int {
    guard let sizes = shape.sizes, let count = shape.elementCount else { return 0 }
    guard sizes.count == 3, let channels = sizes.last, channels > 0 else { return count }
    let groups = (channels + PlannedTensor.lanes - 1) / PlannedTensor.lanes
    return (count / channels).multipliedSaturated(by: groups * PlannedTensor.lanes)
  }

  package func network(
    _ graph: OperationGraph, constants: any ConstantSource, options: CompileOptions,
    like earlier: (any BackendNetwork)?
  ) throws(BackendError) -> any BackendNetwork {
    try CPUNetwork(graph, constants: constants, options: options, like: earlier as? CPUNetwork)
  }

  package func storedFacts(of options: CompileOptions) -> [String]? {
    StoredMachine.facts(of: options)
  }

  package func storedNetwork(
    from reader: inout StoredReader, threads: CompileOptions.Threads
  ) throws -> (network: any BackendNetwork, executable: any Executable) {
    let network = try StoredNetwork(from: &reader, threads: threads)
    return (network, network.plan)
  }
}

/// A graph with its packed constants and the choices shared by all input sizes.
final class CPUNetwork: BackendNetwork {
  let decisions: BackendDecisions
  private let planner: Planner

  init(
    _ graph: OperationGraph, constants: any ConstantSource, options: CompileOptions,
    like earlier: CPUNetwork?
  ) throws(BackendError) {
    var planner = Planner(graph, constants: constants, options: options)
    let tuning: TuningReport
    if let earlier {
      planner.tuned = earlier.planner.tuned
      tuning = earlier.decisions.tuning
    } else {
      tuning = try planner.tune()
    }
    self.planner = planner
    decisions = BackendDecisions(
      instructionSet: planner.instructionSet.rawValue, threads: planner.threads,
      precision: ConvolutionAlgorithmList.compute(in: options.precision, level: planner.level)
        ? options.precision : .float32, tuning: tuning,
      kernelsAreOptimized: forge_is_optimized() != 0)
  }

  var constantByteCount: Int { planner.constants.byteCount }

  func executable(
    for graph: OperationGraph, constants: (any ConstantSource)?, lengths: LengthRange?
  ) throws(BackendError) -> any Executable {
    try (constants.map(planner.sized) ?? planner).plan(graph, lengths: lengths)
  }

  func write(
    _ executable: any Executable, twin: any Executable, to writer: inout StoredWriter
  ) throws(BackendError) {
    guard let plan = executable as? Plan else { throw .plansDiffer }
    writer.write(StoredMachine(level: planner.level))
    writer.write(decisions)
    try plan.write(to: &writer, twin: twin)
  }
}
