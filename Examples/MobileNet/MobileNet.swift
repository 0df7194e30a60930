import ArgumentParser
import Forge
import Foundation

/// Prints the summary of MobileNet v1 and times it on random parameters.
@main
struct MobileNet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "MobileNet",
    abstract: "Prints the summary of MobileNet v1 and times it on random parameters.",
    discussion: "Reading photos with trained weights is not there yet.")

  @Option(help: "The factor on the channels of every layer.")
  var alpha = 1.0

  @Option(help: "Width and height of the input in pixels.")
  var size = 224

  @Option(help: "The number of timed predictions.")
  var runs = 20

  @Flag(help: "Also print what the compiler did.")
  var report = false

  func validate() throws {
    guard alpha > 0, alpha <= 4 else { throw ValidationError("alpha must be above 0, at most 4") }
    guard (32...4096).contains(size) else { throw ValidationError("size must be 32 to 4096") }
    guard (1...100_000).contains(runs) else { throw ValidationError("runs must be 1 to 100000") }
  }

  func run() throws {
    let model = MobileNetV1.model(alpha: alpha, size: size)
    let clock = ContinuousClock()
    let start = clock.now
    let network = try model.compile(parameters: RandomParameters(seed: 1))
    let compileTime = clock.now - start
    print(network.summary())
    if report { print("\n\(network.report)") }

    let context = try Context(network)
    context.withInput(0) { pixels in
      for index in pixels.indices { pixels[index] = Float(index % 255) / 127.5 - 1 }
    }
    try context.predict()
    let times = try (0..<runs).map { _ in
      let start = clock.now
      try context.predict()
      return (clock.now - start) / .milliseconds(1)
    }.sorted()
    print(
      String(
        format: "\nCompiled in %.0f ms; one prediction: median %.2f ms, fastest %.2f ms of %d runs",
        compileTime / .milliseconds(1), times[times.count / 2], times[0], runs))
    print("The parameters are random: the answer means nothing, the time does.")
  }
}
