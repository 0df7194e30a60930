import ForgeShapes

/// The options of a compile.
///
/// They are encoded for keys of the cache, without the options that do not change the result.
public struct CompileOptions: Sendable, Encodable {
  /// Optional checks in addition to those of counts and shapes.
  public struct Checks: OptionSet, Sendable, Encodable {
    /// The bit mask.
    public let rawValue: Int

    /// Creates a set from its bit mask.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// No additional checks.
    public static let none: Checks = []
    /// Each prediction checks that every output is finite.
    ///
    /// A NaN or an infinity becomes an error that names the output and the source: an input that is
    /// not finite, or else the first layer whose result is not. To find the layer, the network is
    /// compiled again and run with every layer kept, so this error takes about as long as a
    /// compile.
    public static let finiteOutputs = Checks(rawValue: 1 << 0)
    /// The compile checks that every parameter is finite and names each that is not.
    ///
    /// This reads every parameter twice.
    public static let finiteParameters = Checks(rawValue: 1 << 1)
  }

  /// Whether a compile compares the plan with the reference executor.
  public enum Verification: Sendable, Encodable {
    /// No comparison.
    case none
    /// Compares on this many seeded random inputs, 1 to 1000, each once with numbers of one scale
    /// and once with rows and channels of different scale.
    ///
    /// The compile fails when an item of an output differs by more than
    /// ``CompileOptions/accuracy``, or by more than Float32 itself loses (see ``Verification``).
    case samples(Int, seed: UInt64 = 1)
  }

  /// What a plan is optimized for.
  public enum Preference: Sendable, Encodable {
    /// Speed: weights may be packed into larger forms, up to 9 times their size, apart from
    /// padding.
    case speed
    /// Size: weights are packed at their own size, except for padding to whole vectors.
    case size
  }

  /// Instruction sets, from the least to the most demanding.
  public enum InstructionSet: String, Sendable, CaseIterable {
    /// Plain C without vectors, for any processor.
    case scalar
    /// The vectors that every machine of the architecture supports: SSE2 or NEON.
    case baseline
    /// AVX2 and FMA.
    case avx2
    /// AVX-512 F, BW, DQ, VL.
    case avx512
  }

  /// The maximum number of examples per prediction, 1 to 2²⁰.
  public var maximumBatch: Int
  /// The layers whose outputs can be read after a prediction, by name or by `Tensor`.
  ///
  /// Keeping a layer does not change any output.
  public var keep: [any TensorReference] {
    get { place.value.keep }
    set { place.value.keep = newValue }
  }
  /// The checks of the compile and of each prediction.
  public var checks: Checks
  /// Whether the plan is compared with the reference executor.
  public var verify: Verification
  /// The relative L2 error that `verify` permits, above 0.
  ///
  /// The error of each kernel is limited to a third of it. By default it is ``Precision/accuracy``
  /// of ``precision``, and Float32 kernels are chosen as for `.float32`.
  public var accuracy: Double {
    get { givenAccuracy ?? precision.accuracy }
    set { givenAccuracy = newValue }
  }
  private var givenAccuracy: Double?
  /// The relative L2 error of which each Float32 kernel may have a third.
  package var kernelAccuracy: Double { givenAccuracy ?? Precision.float32.accuracy }
  /// The precision of dense layers and convolutions.
  public var precision: Precision
  /// The names of rewrites to skip; `Rewrites.names` lists them.
  public var disabledRewrites: Set<String>
  /// The instruction set; by default the value of `FORGE_ISA`, else the best of the machine.
  public var instructionSet: InstructionSet? {
    get { place.value.instructionSet }
    set { place.value.instructionSet = newValue }
  }
  /// Whether the plan is optimized for speed or for size.
  public var preference: Preference
  /// How the kernels of convolutions are chosen: by estimate, by timing, or from a record.
  public var tuning: Tuning
  /// The number of plans cached for inputs whose size is known only at run time, at least 1.
  public var planCacheSize: Int {
    get { place.value.planCacheSize }
    set { place.value.planCacheSize = newValue }
  }
  /// The threads of one prediction, 1 to ``Threads/maximum``.
  ///
  /// The result is bit-identical for any number.
  public var threads: Threads {
    get { place.value.threads }
    set { place.value.threads = newValue }
  }
  /// The threads that read and pack parameters, in a compile and when planning for new input sizes.
  ///
  /// With 1, only the calling thread works. The result is bit-identical for any number.
  public var compileThreads: Threads {
    get { place.value.compileThreads }
    set { place.value.compileThreads = newValue }
  }
  /// The tensors that become 8-bit integers; none by default.
  ///
  /// `verify` compares with the network of real numbers, so ``accuracy`` must allow for the
  /// rounding.
  public var quantization: QuantizationTable?
  /// The folder of compiled models in which the compile looks for the result; `nil` for none.
  ///
  /// ``CompileReport/cache`` says whether it was found. A compile with ``verify``, and a
  /// model that a compiled file cannot hold, are compiled again.
  public var cache: CompileCache? {
    get { place.value.cache }
    set { place.value.cache = newValue }
  }
  /// The inputs, by index, that `verify` fills with 0 and 1 unless they hold ids, because a file
  /// declares them as integers or Booleans.
  package var integerInputs: Set<Int> = []
  /// The device that computes predictions; `nil` selects the processor.
  package var backend: (any Backend)? {
    get { place.value.backend }
    set { place.value.backend = newValue }
  }
  /// The minimum work per thread in seconds; tests set it to 0 to split steps of any size.
  package var smallestShare: Double?
  /// Replaces the clock that measures kernels; tests supply their own costs.
  package var tuningTimer: TuningTimer? {
    get { place.value.tuningTimer }
    set { place.value.tuningTimer = newValue }
  }

  /// The options that a key does not hold, or not in this form: the facts of the machine say the
  /// instruction set and the threads, and positions say which layers are kept.
  private struct Place: Sendable {
    var keep: [any TensorReference]
    var instructionSet: InstructionSet?
    var planCacheSize: Int
    var threads: Threads
    var compileThreads: Threads
    var cache: CompileCache?
    var backend: (any Backend)?
    var tuningTimer: TuningTimer?
  }

  private var place: NotKeyed<Place>

  /// Creates options; each has a default.
  ///
  /// The compile reports each option that is out of range.
  ///
  /// - Parameters:
  ///   - maximumBatch: the most examples one prediction may hold.
  ///   - keep: layers whose outputs can be read after a prediction, by name or by `Tensor`.
  ///   - checks: what the compile and each prediction check: `.finiteOutputs`, `.finiteParameters`
  ///     or both.
  ///   - verify: whether the plan is compared with the reference executor.
  ///   - accuracy: the relative L2 error that `verify` allows; by default that of the precision.
  ///   - disabledRewrites: the names of rewrites to skip.
  ///   - instructionSet: the instruction set; by default the value of `FORGE_ISA`, else the best of
  ///     the machine.
  ///   - preference: whether the plan is optimized for speed or for size.
  ///   - tuning: how the kernels of convolutions are chosen.
  ///   - planCacheSize: the number of plans cached for inputs whose size is known only at run time.
  ///   - threads: the threads of one prediction; by default one per physical core that the process
  ///     may use, for the lowest latency. With 1, a prediction runs on the calling thread alone.
  ///   - compileThreads: the threads that read and pack parameters; by default one per physical
  ///     core that the process may use, whatever `threads` is.
  ///   - precision: the precision of dense layers and convolutions.
  ///   - quantization: the tensors that become 8-bit integers.
  ///   - cache: the folder of compiled models in which the compile looks for the result.
  public init(
    maximumBatch: Int = 64, keep: [any TensorReference] = [], checks: Checks = .none,
    verify: Verification = .none, accuracy: Double? = nil, disabledRewrites: Set<String> = [],
    instructionSet: InstructionSet? = nil, preference: Preference = .speed,
    tuning: Tuning = .costModel, planCacheSize: Int = 8, threads: Threads = .automatic,
    compileThreads: Threads = .automatic, precision: Precision = .float32,
    quantization: QuantizationTable? = nil, cache: CompileCache? = nil
  ) {
    self.maximumBatch = maximumBatch
    self.checks = checks
    self.verify = verify
    givenAccuracy = accuracy
    self.precision = precision
    self.disabledRewrites = disabledRewrites
    self.preference = preference
    self.tuning = tuning
    self.quantization = quantization
    place = NotKeyed(
      Place(
        keep: keep, instructionSet: instructionSet, planCacheSize: planCacheSize,
        threads: threads, compileThreads: compileThreads, cache: cache))
  }
}
