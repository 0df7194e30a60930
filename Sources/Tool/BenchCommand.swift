import ArgumentParser
import Forge
import Foundation

/// Times predictions of a ready architecture, from plain floats to plain floats.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Times single predictions of a ready architecture.",
    discussion: """
      What is timed takes height × width × channels floats in the caller's memory to plain floats in \
      the caller's memory. A FLOP is a multiplication or an addition.
      """)

  @Argument(help: NetworkArgument.help)
  var network: NetworkArgument

  @Option(help: ArgumentHelp("A weight file; without, seeded random values.", valueName: "file"))
  var weights: String?

  @Option(help: ArgumentHelp("The input as float32 .npy; seeded random without.", valueName: "npy"))
  var input: String?

  @Option(help: ArgumentHelp("Where to write the output as float32 .npy.", valueName: "npy"))
  var output: String?

  @Option(help: "Threads per prediction, also beyond the cores there are.")
  var threads = 1

  @Option(help: "The number of timed predictions.")
  var runs = 50

  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    guard (1...1_000_000).contains(runs) else { throw ValidationError("runs must be 1 to 1000000") }
    let most = CompileOptions.Threads.maximum
    guard (1...most).contains(threads) else {
      throw ValidationError("threads must be 1 to \(most)")
    }
  }

  func run() throws {
    let model = try network.model
    let compiled = try WeightSource.compile(
      model, weights: weights, options: CompileOptions(threads: .exactly(threads)))
    guard let inputCount = compiled.inputShapes.first?.elementCount,
      let outputShape = compiled.outputShapes.first, let outputCount = outputShape.elementCount
    else { throw ValidationError("the architecture has no fixed size") }
    let values = try inputValues(count: inputCount)
    var result = [Float](repeating: 0, count: outputCount)
    let context = try Context(compiled)
    let clock = ContinuousClock()
    func predict() throws -> Double {
      var span = result.mutableSpan
      let start = clock.now
      try context.predict(values.span, into: &span)
      return (clock.now - start) / .milliseconds(1)
    }
    for _ in 0..<2 { _ = try predict() }
    let times = try (0..<runs).map { _ in try predict() }.sorted()
    if let output {
      try NumPyArray(result, sizes: [1] + (outputShape.sizes ?? [])).write(to: output)
    }
    let timing = Timing(times: times, multiplyAdds: model.multiplyAdds)
    print(json ? timing.json : timing.text)
  }

  /// The input's values, from a file or seeded random ones in −1…1.
  private func inputValues(count: Int) throws -> [Float] {
    guard let input else {
      var state: UInt32 = 1
      return (0..<count).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return Float(state >> 8) * 0x1p-23 - 1
      }
    }
    let values = try NumPyArray(path: input).values
    guard values.count == count else {
      throw ValidationError("\(input) holds \(values.count) values, the network takes \(count)")
    }
    return values
  }
}

/// The times of several predictions.
private struct Timing {
  /// Milliseconds, sorted.
  let times: [Double]
  let multiplyAdds: Int

  private var median: Double { times[times.count / 2] }
  private var p90: Double { times[min(times.count * 9 / 10, times.count - 1)] }
  private var gigaflops: Double { 2e-6 * Double(multiplyAdds) / median }

  var json: String {
    String(
      format: #"{"min_ms": %.6f, "median_ms": %.6f, "p90_ms": %.6f, "gflops": %.3f}"#, times[0],
      median, p90, gigaflops)
  }

  var text: String {
    String(
      format: "min %.4f ms, median %.4f ms, p90 %.4f ms of %d; %.1f GFLOP/s by the median",
      times[0], median, p90, times.count, gigaflops)
  }
}
