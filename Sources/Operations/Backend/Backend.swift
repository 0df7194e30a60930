import ForgeShapes
import ForgeSystem

/// A device that computes predictions: it turns a rewritten graph into executables.
///
/// Stages 1 to 4 of a compile are independent of the device. A back end performs the rest: it
/// prepares a graph once (``network(_:constants:options:like:)``) and creates an executable for
/// each input size. An executable creates the memory of predictions and runs them.
///
/// ForgeCPU is the back end for processors. The tests have a second one, which runs the reference
/// executor.
package protocol Backend: Sendable {
  /// The names of the back end's own rewrites, for ``CompileOptions/disabledRewrites``.
  var rewriteNames: [String] { get }

  /// Returns a problem for each option that the back end does not support.
  func problems(of options: CompileOptions) -> [Problem]

  /// The number of elements that values of a shape take in memory; 0 while a size is not known.
  func storedCount(of shape: Shape) -> Int

  /// Prepares a graph.
  ///
  /// - Parameters:
  ///   - graph: the rewritten operations; shapes may be unknown while an input's size is.
  ///   - constants: the values that the recipes of the graph refer to.
  ///   - options: options without ``problems(of:)``.
  ///   - earlier: a network of the same model whose choices are reused where they fit.
  /// - Returns: the state that executables for all input sizes share.
  /// - Throws: ``BackendError``.
  func network(
    _ graph: OperationGraph, constants: any ConstantSource, options: CompileOptions,
    like earlier: (any BackendNetwork)?
  ) throws(BackendError) -> any BackendNetwork

  /// What the networks of these options depend on besides their graphs and constants: the version
  /// of the back end and facts of the machine.
  ///
  /// It is `nil` if networks cannot be in files.
  func storedFacts(of options: CompileOptions) -> [String]?

  /// Reads a network and its only executable, which ``BackendNetwork/write(_:twin:to:)`` has
  /// written.
  ///
  /// - Parameters:
  ///   - reader: the facts and the memory of a compiled file.
  ///   - threads: the threads of one prediction.
  /// - Returns: the network, which makes no other executable, and the executable.
  /// - Throws: ``StoredMisfit`` if the file is not of this machine, and `NoMemory`.
  func storedNetwork(
    from reader: inout StoredReader, threads: CompileOptions.Threads
  ) throws -> (network: any BackendNetwork, executable: any Executable)
}

/// A graph on a back end: the state that its executables for all input sizes share.
package protocol BackendNetwork: AnyObject, Sendable {
  /// The decisions of the back end, for reports.
  var decisions: BackendDecisions { get }
  /// The bytes of constants in the form that the back end reads.
  var constantByteCount: Int { get }

  /// Creates an executable.
  ///
  /// - Parameters:
  ///   - graph: the graph of this network, bound to the sizes of its inputs, or the graph of the
  ///     same model for other sizes.
  ///   - constants: the constants of a graph for other sizes; `nil` for those of this network.
  ///     Where ``ConstantSource/counterpart(of:)`` says that they are equal, the executable shares
  ///     them.
  ///   - lengths: the lengths of sequences that the executable serves, of which the graph's is the
  ///     largest; `nil` if all sizes are fixed.
  /// - Returns: the executable, which may share constants with others.
  /// - Throws: ``BackendError``.
  func executable(
    for graph: OperationGraph, constants: (any ConstantSource)?, lengths: LengthRange?
  ) throws(BackendError) -> any Executable

  /// Writes the network with an executable, for ``Backend/storedNetwork(from:threads:)``.
  ///
  /// - Parameters:
  ///   - executable: an executable of this network.
  ///   - twin: the same of another network of the graph, by which the back end finds what differs
  ///     from process to process.
  ///   - writer: receives facts and memory.
  /// - Throws: ``BackendError`` if the network cannot be in a file.
  func write(
    _ executable: any Executable, twin: any Executable, to writer: inout StoredWriter
  ) throws(BackendError)
}

/// The decisions of a back end for a network.
package struct BackendDecisions: Sendable {
  /// The name of the instruction set, or of the device.
  package let instructionSet: String
  /// The maximum number of threads of a prediction.
  package let threads: Int
  /// The precision; `.float32` if the device does not support the requested one.
  package let precision: CompileOptions.Precision
  /// How algorithms were chosen.
  package let tuning: TuningReport
  /// Whether the kernels were built with the optimization of the C compiler.
  package let kernelsAreOptimized: Bool

  package init(
    instructionSet: String, threads: Int, precision: CompileOptions.Precision,
    tuning: TuningReport, kernelsAreOptimized: Bool = true
  ) {
    self.kernelsAreOptimized = kernelsAreOptimized
    self.instructionSet = instructionSet
    self.threads = threads
    self.precision = precision
    self.tuning = tuning
  }
}

/// The reason why a back end cannot run a graph.
package enum BackendError: Error {
  /// A layer, given by its position, does not fit inputs of this size; `received` are its input
  /// shapes.
  case unfit(ShapeError, layer: Int, received: [Shape] = [])
  /// A constant could not be read.
  case constants(any Error)
  /// The system is out of memory.
  case noMemory(NoMemory)
  /// The task of a watched compile was canceled.
  case cancelled
  /// Other problems, with the position of the layer if they belong to one.
  case problems([(layer: Int?, problem: Problem)])
}
