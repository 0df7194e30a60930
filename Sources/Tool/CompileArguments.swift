import ArgumentParser
import Forge

/// The arguments that decide how a network is compiled.
struct CompileArguments: ParsableArguments {
  @Option(
    help: """
      Threads per prediction, 1 by default; may exceed the number of cores. A compiled file uses \
      the number it was planned for.
      """)
  var threads: Int?

  @Option(help: TuningArgument.help)
  var tuning: TuningArgument?

  @Option(
    help: """
      The precision of dense layers and convolutions: float32 (by default), half-weights, \
      bfloat16 or int8.
      """)
  var precision: CompileOptions.Precision?

  @OptionGroup var integers: QuantizationArgument
  @OptionGroup var caching: CacheArguments

  func validate() throws {
    try CompileOptions.Threads.check(threads)
  }

  /// The corresponding options of a compile.
  var options: CompileOptions {
    get throws {
      CompileOptions(
        tuning: try tuning?.tuning ?? .costModel, threads: .exactly(threads ?? 1),
        precision: precision ?? .float32, quantization: try integers.table, cache: caching.cache)
    }
  }

  /// The arguments that are given and that a compiled file leaves no choice of.
  var given: [String] {
    GivenArguments.names(["tuning": tuning, "precision": precision]) + integers.given
      + caching.given
  }
}

/// The arguments of the commands that compile a network and time it.
struct TimingArguments: ParsableArguments {
  @OptionGroup var compile: CompileArguments

  @Option(
    help: ArgumentHelp(
      "Where to write the kernels of the plan as JSON, for --tuning.", valueName: "file"))
  var saveTuning: String?

  @Option(help: "The number of timed predictions.")
  var runs = 50

  /// Writes the kernels of a plan to the file of `--save-tuning`, if given.
  func save(_ tuning: TuningReport) throws {
    if let path = saveTuning { try ArgumentFile.write(tuning.record, to: path) }
  }
}

extension CompileOptions.Threads {
  /// The threads of an argument; as many as suit the machine if it is not given.
  static func given(_ count: Int?) -> CompileOptions.Threads {
    count.map { .exactly($0) } ?? .automatic
  }

  /// Checks an argument of threads, if it is given.
  static func check(_ count: Int?) throws {
    guard (1...maximum).contains(count ?? 1) else {
      throw ValidationError("threads must be 1 to \(maximum)")
    }
  }
}

extension CompileOptions.Precision: ExpressibleByArgument {
  /// The name in commands and reports: `half-weights` rather than `halfWeights`.
  var argument: String { self == .halfWeights ? "half-weights" : rawValue }

  /// The names of all precisions.
  public static var allValueStrings: [String] { allCases.map(\.argument) }

  /// Creates a precision from its name.
  public init?(argument: String) {
    guard let named = Self.allCases.first(where: { $0.argument == argument }) else { return nil }
    self = named
  }
}
