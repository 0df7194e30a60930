import ForgeOperations

/// Everything about a compile that can be chosen.
public struct CompileOptions: Sendable {
  /// What is checked besides counts and shapes.
  public struct Checks: OptionSet, Sendable {
    /// The checks as bits.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Nothing more.
    public static let none: Checks = []
    /// Each prediction checks that every output is finite.
    ///
    /// A NaN or an infinity becomes an error that names the output and where the number came from: an input that is
    /// not finite, or else the first layer whose result is not. To find the layer the network is compiled once more
    /// and run with every layer kept, so that such an error takes about as long as a compile.
    public static let finiteOutputs = Checks(rawValue: 1 << 0)
    /// The compile checks that every parameter is finite, and names each that is not.
    ///
    /// Parameters are read twice for that.
    public static let finiteParameters = Checks(rawValue: 1 << 1)
  }

  /// Whether a compile compares the plan with the reference executor.
  public enum Verification: Sendable {
    /// No comparison.
    case none
    /// Compares on this many seeded random inputs, 1 to 1000; a compile fails when an output differs by more than
    /// ``CompileOptions/accuracy``, or by more than rounding explains where its numbers cancel (see ``Verification``).
    case samples(Int, seed: UInt64 = 1)
  }

  /// What a plan is made for.
  public enum Preference: Sendable {
    /// Speed: weights may be packed in larger forms, up to 64/9 of their size.
    case speed
    /// Size: weights are packed as they are, but for filling up to whole vectors.
    case size
  }

  /// Instruction sets, in the order of what they need.
  public enum InstructionSet: String, Sendable, CaseIterable {
    /// Plain C, one number at a time: what every faster kernel is checked against.
    case scalar
    /// Vectors that every machine of the architecture has: SSE2, NEON.
    case baseline
    /// AVX2 and FMA.
    case avx2
    /// AVX-512 F, BW, DQ, VL.
    case avx512
  }

  /// The most examples one prediction may hold, 1 to 2²⁰.
  public var maximumBatch: Int
  /// Layers whose outputs can be read after a prediction, by name; it changes no bit of any output.
  public var keep: [String]
  /// What the compile and each prediction check.
  public var checks: Checks
  /// Whether the plan is compared with the reference executor.
  public var verify: Verification
  /// The relative L2 error that `verify` allows, above 0; a third of it limits the choice of each kernel.
  ///
  /// Unless it is set it is ``Precision/accuracy`` of ``precision``, and Float32 kernels are chosen as for
  /// `.float32`.
  public var accuracy: Double {
    get { givenAccuracy ?? precision.accuracy }
    set { givenAccuracy = newValue }
  }
  private var givenAccuracy: Double?
  /// The relative L2 error whose third limits the choice of Float32 kernels.
  var kernelAccuracy: Double { givenAccuracy ?? Precision.float32.accuracy }
  /// What dense layers and convolutions are computed in.
  public var precision: Precision
  /// Rewrites to leave out, by name; `Rewrites.names` lists them.
  public var disabledRewrites: Set<String>
  /// The instruction set; unless given, what `FORGE_ISA` names, else the best of the machine.
  public var instructionSet: InstructionSet?
  /// Whether the plan is made for speed or for size.
  public var preference: Preference
  /// How the kernels of convolutions are chosen: by estimate, by timing, or as recorded.
  public var tuning: Tuning
  /// The number of plans kept for inputs whose size is chosen at run time, at least 1.
  public var planCacheSize: Int
  /// The threads of one prediction, 1 to ``Threads/maximum``; no bit of any result depends on it.
  public var threads: Threads
  /// The threads that read and pack parameters, in a compile and where a plan for other input sizes is made.
  ///
  /// With 1 nothing but the calling thread works. No bit of any result depends on it.
  public var compileThreads: Threads
  /// The least work of a thread in seconds: tests deal out steps of any size by setting it to 0.
  package var smallestShare = ThreadSplit.smallestShare
  /// Takes the place of the clock when kernels are measured: tests give costs of their own.
  package var tuningTimer: TuningTimer?

  /// Creates options; each has a default.
  ///
  /// A compile says which of them is out of its range.
  ///
  /// - Parameters:
  ///   - maximumBatch: the most examples one prediction may hold.
  ///   - keep: layers whose outputs can be read after a prediction.
  ///   - checks: what the compile and each prediction check: `.finiteOutputs`, `.finiteParameters` or both.
  ///   - verify: whether the plan is compared with the reference executor.
  ///   - accuracy: the relative L2 error that `verify` allows; by default what fits the precision.
  ///   - disabledRewrites: rewrites to leave out, by name.
  ///   - instructionSet: the instruction set; unless given, what `FORGE_ISA` names, else the best of the machine.
  ///   - preference: whether the plan is made for speed or for size.
  ///   - tuning: how the kernels of convolutions are chosen.
  ///   - planCacheSize: the number of plans kept for inputs of run-time size.
  ///   - threads: the threads of one prediction: by default one per physical core that the process may
  ///     use, because the time of a prediction is what most wait for. With 1 a prediction takes no
  ///     thread but its own.
  ///   - compileThreads: the threads that read and pack parameters: by default one per physical core that
  ///     the process may use, whatever `threads` is.
  ///   - precision: what dense layers and convolutions are computed in.
  public init(
    maximumBatch: Int = 64, keep: [String] = [], checks: Checks = .none,
    verify: Verification = .none, accuracy: Double? = nil, disabledRewrites: Set<String> = [],
    instructionSet: InstructionSet? = nil, preference: Preference = .speed,
    tuning: Tuning = .costModel, planCacheSize: Int = 8, threads: Threads = .automatic,
    compileThreads: Threads = .automatic, precision: Precision = .float32
  ) {
    self.maximumBatch = maximumBatch
    self.keep = keep
    self.checks = checks
    self.verify = verify
    givenAccuracy = accuracy
    self.precision = precision
    self.disabledRewrites = disabledRewrites
    self.instructionSet = instructionSet
    self.preference = preference
    self.tuning = tuning
    self.planCacheSize = planCacheSize
    self.threads = threads
    self.compileThreads = compileThreads
  }
}
