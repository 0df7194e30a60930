import Forge
import ForgeModels
import Foundation

/// Times predictions of ready networks on seeded random parameters and prints a table.
///
/// `Benchmarks/run ForgeBenchmarks [RUNS]`
@main
struct ForgeBenchmarks {
  static func main() throws {
    let runs = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 200
    guard runs > 0 else {
      FileHandle.standardError.write(Data("RUNS must be a positive number\n".utf8))
      exit(64)
    }
    print("network      min ms  median ms  p90 ms  GFLOP/s  weights KB  context KB  kernels")
    for (name, model) in [
      ("lenet", Model.leNet()), ("mobilenet", .mobileNetV1()),
    ] {
      try measure(name, model, runs: runs)
    }
  }

  /// One line of the table; a FLOP is a multiplication or an addition.
  private static func measure(_ name: String, _ model: Model, runs: Int) throws {
    let network = try model.compile(parameters: RandomParameters(seed: 1))
    let context = try Context(network)
    context.withInput(0) { values in
      for index in values.indices { values[index] = Float(index % 251) / 251 }
    }
    let clock = ContinuousClock()
    for _ in 0..<10 { try context.predict() }
    let times = try (0..<runs).map { _ in
      let start = clock.now
      try context.predict()
      return (clock.now - start) / .milliseconds(1)
    }.sorted()
    let median = times[times.count / 2]
    let gflops = 2 * Double(model.multiplyAdds) / median / 1e6
    let line = String(
      format: "%8.3f %10.3f %7.3f %8.1f %11d %11d  ",
      times[0], median, times[times.count * 9 / 10], gflops, network.report.constantBytes / 1024,
      try network.workspaceSize() / 1024)
    print(
      name.padding(toLength: 10, withPad: " ", startingAt: 0),
      line + network.instructionSet.rawValue)
  }
}
