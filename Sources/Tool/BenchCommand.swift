import ArgumentParser
import Forge
import Foundation

/// Times predictions of a network, from input to output values, or single layers.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Times predictions of a network, or single layers.",
    discussion: """
      What is timed takes height × width × channels floats in the caller's memory to plain floats \
      in the caller's memory. A FLOP is a multiplication or an addition. Loading is timed from the \
      start of the compile, with opening the weight file, to its end; the first prediction \
      includes making its context.

      EXAMPLES
        forge bench net.onnx --threads 4
        forge bench resnet50 --batch 8 --precision half-weights --json
      """)

  @Argument(help: NetworkArgument.help)
  var network: NetworkArgument?

  @Option(
    help: ArgumentHelp(
      "A list of layers, each timed by itself beside its bound, instead of a network.",
      valueName: "file"))
  var layers: String?

  @OptionGroup var importing: ImportArguments
  @OptionGroup var arguments: CompileArguments

  @Option(
    help: ArgumentHelp(
      "The input as float32 .npy, one picture or the whole batch; seeded random without.",
      valueName: "npy"))
  var input: String?

  @Option(help: ArgumentHelp("Where to write the output as float32 .npy.", valueName: "npy"))
  var output: String?

  @Option(help: "The pictures of one prediction.")
  var batch = 1

  @Option(help: "What the plan is made for: speed or size.")
  var preference = PreferenceArgument.speed

  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    guard (1...1_000_000).contains(arguments.runs) else {
      throw ValidationError("runs must be 1 to 1000000")
    }
    guard (1...4096).contains(batch) else { throw ValidationError("batch must be 1 to 4096") }
    guard (network == nil) != (layers == nil) else {
      throw ValidationError("give a network or --layers")
    }
    guard layers == nil || isForLayers else {
      throw ValidationError(
        "--layers takes --threads, --preference, --precision, --tuning costModel or measured, "
          + "--runs and --json only")
    }
  }

  private var isForLayers: Bool {
    if case .recorded = arguments.tuning { return false }
    return importing.weights == nil && importing.size.isEmpty && importing.constant.isEmpty
      && input == nil && output == nil && batch == 1
      && arguments.saveTuning == nil
  }

  private var options: CompileOptions {
    get throws {
      var options = try arguments.options
      options.maximumBatch = batch
      options.preference = preference.preference
      return options
    }
  }

  func run() throws {
    if let layers {
      let lines = try LayerLine.all(path: layers)
      try LayerTable(options: try options, threads: arguments.threads, runs: arguments.runs)
        .print(lines, json: json)
    } else if let network {
      try run(network)
    }
  }

  private func run(_ network: NetworkArgument) throws {
    let clock = ContinuousClock()
    let before = ProcessMemory()
    let start = clock.now
    let model = try network.network(importing)
    let compiled = try model.compiled(try options)
    let loaded = clock.now
    BuildWarning.print(for: compiled.report)
    try arguments.save(compiled.report.tuning)
    let after = ProcessMemory()
    guard let inputCount = compiled.inputShapes.first?.elementCount,
      let outputShape = compiled.outputShapes.first, let outputCount = outputShape.elementCount
    else { throw ValidationError("the architecture has no fixed size") }
    let values = try inputValues(count: inputCount)
    var result = [Float](repeating: 0, count: outputCount * batch)

    let begin = clock.now
    let context = try Context(compiled, batch: batch)
    try Self.predict(context, values, into: &result, batch: batch)
    let first = (clock.now - begin) / .milliseconds(1)
    let end = ProcessMemory()

    try Self.predict(context, values, into: &result, batch: batch)
    let times = try (0..<arguments.runs).map { _ in
      let start = clock.now
      try Self.predict(context, values, into: &result, batch: batch)
      return (clock.now - start) / .milliseconds(1)
    }.sorted()
    if let output {
      try NumPyArray(result, sizes: [batch] + (outputShape.sizes ?? [])).write(to: output)
    }
    let timing = Timing(
      times: times, batch: batch, multiplyAdds: model.model.multiplyAdds,
      loadMs: (loaded - start) / .milliseconds(1), firstMs: first,
      resident: .init(beforeCompile: before, afterCompile: after, afterPredicting: end),
      memory: compiled.memory, precision: compiled.report.precision)
    print(json ? try timing.json : timing.text(runs: times.count))
  }

  /// Runs one prediction of `batch` pictures, including copies of input and output.
  private static func predict(
    _ context: Context, _ values: [Float], into result: inout [Float], batch: Int
  ) throws {
    guard batch > 1 else {
      var span = result.mutableSpan
      return try context.predict(values.span, into: &span)
    }
    context.withInput(0) { input in
      input.withUnsafeMutableBufferPointer { _ = $0.update(fromContentsOf: values) }
    }
    try context.predict(batch: batch)
    context.withOutput(0) { output in
      result.withUnsafeMutableBufferPointer { result in
        output.withUnsafeBufferPointer { _ = result.update(fromContentsOf: $0) }
      }
    }
  }

  /// The values of all pictures, from a file or seeded random ones in −1…1.
  private func inputValues(count: Int) throws -> [Float] {
    guard let input else {
      var state: UInt32 = 1
      return (0..<count * batch).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return Float(state >> 8) * 0x1p-23 - 1
      }
    }
    let values = try NumPyArray(path: input).values
    if values.count == count * batch { return values }
    guard values.count == count else {
      throw ValidationError(
        "\(input) holds \(LoadError.counted(values.count, "value")), "
          + "the network takes \(count) per picture")
    }
    return (0..<batch).flatMap { _ in values }
  }
}
