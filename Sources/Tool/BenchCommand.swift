import ArgumentParser
import Forge
import ForgeImporters
import ForgeSystem
import ForgeToolSupport
import FoundationEssentials

/// Times predictions of a network, from input to output values, or single layers.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Times predictions of a network, or single layers.",
    discussion: """
      The time is from height × width × channels floats in the caller's memory to plain floats \
      in the caller's memory. A FLOP is a multiplication or an addition. Loading is timed from the \
      start of the compile, with opening the weight file, to its end; the first prediction \
      includes making its context. Loading a network from a cache or a compiled file is timed from \
      the start of the search for it.

      EXAMPLES
        forge bench net.onnx --threads 4
        forge bench net.forge --json
        forge bench resnet50 --batch 8 --precision half-weights --json
        forge bench stateful.keras --stream --input frames.npy
      """)

  @Argument(help: NetworkArgument.openedHelp, completion: .file())
  var network: NetworkArgument?

  @Option(
    help: ArgumentHelp(
      "A list of layers to time one by one, each next to its bound, instead of a network.",
      valueName: "file"))
  var layers: String?

  @OptionGroup var importing: ImportArguments
  @OptionGroup var arguments: TimingArguments

  @Option(
    help: ArgumentHelp(
      "The input as float32 .npy, one picture or the whole batch; by default seeded random.",
      valueName: "npy"))
  var input: String?

  @Option(help: ArgumentHelp("Where to write the output as float32 .npy.", valueName: "npy"))
  var output: String?

  @Option(
    help: "The number of pictures per prediction; by default 1, or the batch that the file fixes.")
  var batch: Int?

  @Flag(
    help: """
      Predict the frames of the input one after the other, each from the state that the previous \
      one left. Times are per frame; --runs counts streams.
      """)
  var stream = false

  @Option(help: "What the plan is made for: speed (by default) or size.")
  var preference: PreferenceArgument?

  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    guard (1...1_000_000).contains(arguments.runs) else {
      throw ValidationError("runs must be 1 to 1000000")
    }
    guard (1...4096).contains(batch ?? 1) else { throw ValidationError("batch must be 1 to 4096") }
    guard (network == nil) != (layers == nil) else {
      throw ValidationError("give a network or --layers")
    }
    guard !stream || batch ?? 1 == 1 else { throw ValidationError("--stream takes a batch of 1") }
    guard layers == nil || isForLayers else {
      throw ValidationError(
        "--layers takes --threads, --preference, --precision, --tuning costModel or measured, "
          + "--runs and --json only")
    }
  }

  private var isForLayers: Bool {
    if case .recorded? = arguments.compile.tuning { return false }
    return importing.weights == nil && importing.size.isEmpty && importing.constant.isEmpty
      && arguments.compile.caching.directory == nil
      && input == nil && output == nil && batch ?? 1 == 1 && !stream
      && arguments.saveTuning == nil
  }

  private func options(batch: Int) throws -> CompileOptions {
    var options = try arguments.compile.options
    options.maximumBatch = batch
    options.preference = preference?.preference ?? .speed
    return options
  }

  func run() throws {
    if let layers {
      let lines = try LayerLine.all(path: layers)
      try LayerTable(
        options: try options(batch: 1), threads: arguments.compile.threads ?? 1,
        runs: arguments.runs
      )
      .print(lines, json: json)
    } else if let network {
      try run(network)
    }
  }

  private func run(_ network: NetworkArgument) throws {
    let clock = ContinuousClock()
    let before = ProcessMemory()
    var choices = NetworkOptions(
      try options(batch: stream ? 1 : batch ?? 1), threads: arguments.compile.threads,
      given: arguments.compile.given + GivenArguments.names(["preference": preference]))
    choices.followsFileBatch = !stream && batch == nil
    let network = try network.opened(importing, choices)
    let batch = stream ? 1 : batch ?? network.usualBatch
    try network.check(batch: batch)
    let start = clock.now
    let compiled = try network.compiled(tellsOfRandom: false)
    let loading = network.opening + (clock.now - start)
    BuildWarning.print(for: compiled.report)
    try arguments.save(compiled.report.tuning)
    let after = ProcessMemory()
    let frames =
      stream
      ? try FrameStream(compiled, seedCount: 100).frames(of: input)
      : [try inputValues(of: network.interface, compiled, batch: batch)]
    let outputCounts = compiled.outputShapes.map(\.elementCount)
    guard !outputCounts.contains(nil) else {
      throw ValidationError("an input takes any size; state it with --size")
    }
    let zeros = outputCounts.map { [Float](repeating: 0, count: ($0 ?? 0) * batch) }
    var results = frames.map { _ in zeros }

    let begin = clock.now
    let context = try Context(compiled, batch: batch)
    try Self.predict(context, frames[0], into: &results[0], batch: batch)
    let first = (clock.now - begin) / .milliseconds(1)
    let end = ProcessMemory()

    try Self.predict(context, frames[0], into: &results[0], batch: batch)
    var times: [Double] = []
    times.reserveCapacity(arguments.runs * frames.count)
    for _ in 0..<arguments.runs {
      // Every run begins as the first one, so that all have the same results.
      if !compiled.stateNames.isEmpty { try context.state.reset() }
      for index in frames.indices {
        let start = clock.now
        try Self.predict(context, frames[index], into: &results[index], batch: batch)
        times.append((clock.now - start) / .milliseconds(1))
      }
    }
    times.sort()
    if let output { try write(results, of: network.interface, compiled, batch: batch, to: output) }
    let timing = Timing(
      times: times, batch: batch, multiplyAdds: network.outline.multiplyAdds,
      load: network.isCompiledFile ? .file : compiled.isCached ? .cached : .fresh,
      loadMs: loading / .milliseconds(1), firstMs: first,
      resident: .init(beforeCompile: before, afterCompile: after, afterPredicting: end),
      memory: compiled.memory, precision: compiled.report.precision)
    if json {
      ToolOutput.write(json: Data(try timing.json.utf8))
    } else {
      print(timing.text(runs: times.count))
    }
  }

  /// Runs one prediction of `batch` examples, including copies of inputs and outputs.
  private static func predict(
    _ context: Context, _ values: [[Float]], into results: inout [[Float]], batch: Int
  ) throws {
    if batch == 1, values.count == 1, results.count == 1 {
      let input = values[0]
      return try results[0].withUnsafeMutableBufferPointer { result in
        var span = result.mutableSpan
        try context.predict(input.span, into: &span)
      }
    }
    for (index, values) in values.enumerated() {
      context.withInput(index) { input in
        input.withUnsafeMutableBufferPointer { _ = $0.update(fromContentsOf: values) }
      }
    }
    try context.predict(batch: batch)
    for index in results.indices {
      context.withOutput(index) { output in
        results[index].withUnsafeMutableBufferPointer { result in
          output.withUnsafeBufferPointer { _ = result.update(fromContentsOf: $0) }
        }
      }
    }
  }

  /// Writes the only output of each prediction, with the axes and the type of the file.
  private func write(
    _ results: [[[Float]]], of interface: FileInterface, _ network: CompiledModel, batch: Int,
    to path: String
  ) throws {
    guard network.outputShapes.count == 1, let port = interface.outputs.first else {
      throw ValidationError("--output is for models of one output; forge run writes several")
    }
    let examples = results.flatMap { outputs in
      let count = outputs[0].count / batch
      return (0..<batch).map { example in
        TensorValues(
          shape: network.outputShapes[0],
          values: Array(outputs[0][example * count..<(example + 1) * count]))
      }
    }
    try port.array(of: examples, isBatch: true).write(to: path)
  }

  /// The values of each input for all examples, from a file or seeded random ones in −1…1.
  private func inputValues(
    of interface: FileInterface, _ network: CompiledModel, batch: Int
  ) throws -> [[Float]] {
    let counts = network.inputShapes.compactMap(\.elementCount)
    guard counts.count == network.inputShapes.count else {
      throw ValidationError("an input takes any size; state it with --size")
    }
    guard let input else {
      let ids = network.indexInputs
      guard interface.integerInputs.isEmpty, ids.isEmpty else {
        let run = NetworkRun(interface, metadata: network.metadata) { network }
        let given = try interface.seededInputs(network.inputShapes, ids: ids)
        let example = try run.examples(given).first ?? [:]
        return network.inputNames.map { name in
          (0..<batch).flatMap { _ in example[name]?.values ?? [] }
        }
      }
      var state: UInt32 = 1
      return counts.map { count in
        (0..<count * batch).map { _ in
          state = state &* 1_664_525 &+ 1_013_904_223
          return Float(state >> 8) * 0x1p-23 - 1
        }
      }
    }
    guard let count = counts.first, counts.count == 1, let port = interface.inputs.first else {
      throw ValidationError("--input is for models of one input; forge run takes several")
    }
    let array = try StoredTensor(numPy: input)
    let shape = network.inputShapes[0]
    if let example = try? port.examples(in: array, forge: shape).first {
      return [(0..<batch).flatMap { _ in example.values }]
    }
    guard array.count == count * batch else {
      throw ValidationError(
        "\(input.printable) holds \(LoadError.counted(array.count, "value")), "
          + "the network takes \(count) per example")
    }
    // Several examples, or values in Forge's order without sizes.
    let examples = try? port.examples(in: array, forge: shape, isBatch: true)
    return [examples?.flatMap(\.values) ?? array.floats]
  }
}
