import ForgeGraph
import ForgeOperations
import ForgeShapes

/// What a compile did, stage by stage.
public struct CompileReport: Sendable, CustomStringConvertible {
  /// One rewrite and how many places it changed.
  public struct RewriteCount: Sendable {
    /// The name of the rewrite.
    public let name: String
    /// The number of places.
    public let places: Int
  }

  /// One step of the plan.
  public struct Step: Sendable {
    /// The kernel.
    public let kernel: String
    /// The names of the layers it computes.
    public let layers: [String]
    /// The positions of the same layers.
    let positions: [Int]
  }

  /// The rewrites in order.
  public let rewrites: [RewriteCount]
  /// The steps in order; empty when the input size is not known yet.
  public let steps: [Step]
  /// The bytes of packed parameters; 0 when the input size is not known yet.
  public let constantBytes: Int
  /// The bytes of the arena of one context; 0 when the input size is not known yet.
  public let arenaBytes: Int
  /// The bytes that the arena would take if tensors shared no memory.
  ///
  /// It is 0 when the input size is not known yet.
  public let unsharedBytes: Int
  /// The instruction set of the kernels.
  public let instructionSet: String
  /// Whether the kernels were built with the optimization of the C compiler.
  ///
  /// In a debug build they were not, and predictions take about 50 times longer.
  public let kernelsAreOptimized: Bool
  /// How the kernels of convolutions were chosen, and a record of them.
  public let tuning: TuningReport
  /// The requested precision.
  public let requestedPrecision: CompileOptions.Precision
  /// The precision of the plan: `.float32` when the instruction set does not support the requested
  /// one.
  public let precision: CompileOptions.Precision
  /// The comparison with the reference executor, when it was requested.
  public let verification: Verification?
  /// Whether the network comes from the cache of the options; `nil` without a cache.
  public private(set) var cache: CacheUse?
  /// What each stage produced, as text, which is made each time it is read; of a compiled file and
  /// of an entry of a cache only the last two.
  public var stages: [StageReport] { StageReport.all(compiler, executable) }

  private let compiler: Compiler?
  private let executable: (any Executable)?

  init(
    _ network: any BackendNetwork, executable: (any Executable)?, facts: NetworkFacts,
    options: CompileOptions, rewrites: [RewriteCount], verification: Verification? = nil,
    compiler: Compiler? = nil, cache: CacheUse? = nil
  ) {
    self.cache = cache
    self.rewrites = rewrites
    steps = (executable?.steps ?? []).map { step in
      Step(
        kernel: step.kernel, layers: facts.layerNames(step.layers), positions: step.layers)
    }
    constantBytes = network.constantByteCount
    arenaBytes = executable?.arenaByteCount ?? 0
    unsharedBytes = executable?.unsharedByteCount ?? 0
    instructionSet = network.decisions.instructionSet
    kernelsAreOptimized = network.decisions.kernelsAreOptimized
    tuning = network.decisions.tuning
    requestedPrecision = options.precision
    precision = network.decisions.precision
    self.verification = verification
    (self.compiler, self.executable) = (compiler, executable)
  }

  /// The report with how the cache was used.
  func with(_ cache: CacheUse) -> CompileReport {
    var report = self
    report.cache = cache
    return report
  }

  /// What to say of kernels without optimization.
  package static let notOptimized =
    "built without optimization, about 50 times slower; build with -c release"

  /// The kernels that compute each layer, by its position.
  var kernelsByLayer: [Int: String] {
    var kernels: [Int: [String]] = [:]
    for step in steps where step.kernel != "clearHalo" {
      for position in Set(step.positions) { kernels[position, default: []].append(step.kernel) }
    }
    return kernels.mapValues { SummaryTable.list($0) { $0 } }
  }

  /// The report as text, one line per rewrite and step.
  public var description: String {
    var lines = ["Instruction set: \(instructionSet)"]
    if !kernelsAreOptimized { lines.append("Kernels: \(Self.notOptimized)") }
    lines.append("Rewrites:")
    lines += rewrites.map { "  \($0.name): \($0.places)" }
    if requestedPrecision != .float32 {
      let missing = "float32, as \(requestedPrecision.needs) is missing for "
      lines.append(
        "Precision: " + (precision == requestedPrecision ? "" : missing)
          + requestedPrecision.rawValue)
    }
    lines.append("Steps: \(steps.count)")
    for (index, step) in steps.enumerated() {
      let layers =
        step.layers.isEmpty ? "" : "  (\(step.layers.map(\.printable).joined(separator: ", ")))"
      lines.append("  \(index + 1). \(step.kernel)\(layers)")
    }
    if let cache { lines.append("Cache: \(cache)") }
    if tuning.way != .costModel { lines.append("\(tuning)") }
    lines.append("Packed parameters: \(ShapeError.bytes(constantBytes))")
    lines.append("Arena: \(ShapeError.bytes(arenaBytes)), \(unsharedBytes) without sharing")
    if let verification {
      lines.append(
        "Verified on \(ShapeError.counted(verification.samples, "sample")), "
          + "bound \(verification.bound):")
      lines += verification.errors.map {
        "  \($0.output.printable): relative L2 \($0.relativeL2), largest difference \($0.maximum)"
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension Inference {
  /// The names of the layers by position.
  var layerNames: [Int: String] {
    Dictionary(uniqueKeysWithValues: nodes.filter { !$0.isInput }.map { ($0.position, $0.name) })
  }
}
