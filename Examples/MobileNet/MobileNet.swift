import ArgumentParser
import Forge
import ForgeImages
import Foundation

/// Says what is in photos.
@main
struct MobileNet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "MobileNet",
    abstract: "Says what is in photos, with MobileNet v1.",
    discussion: """
      Weights are a Keras .h5 file, a .safetensors file or a folder of raw .bin files. Without weights \
      it runs on random parameters: the answer means nothing then, the time does.
      """)

  @Argument(help: "The photos: JPEG, PNG or PPM.")
  var photos: [String] = []

  @Option(help: ArgumentHelp("A weight file, or a folder of them.", valueName: "file|dir"))
  var weights: String?

  @Option(help: "The factor on the channels of every layer; without, that of the weights, or 1.")
  var alpha: Double?

  @Option(help: "Width and height of the input in pixels.")
  var size = 224

  @Option(help: "The number of timed predictions without photos.")
  var runs = 20

  @Flag(help: "Print the network's layers.")
  var summary = false

  @Flag(help: "Print what the compiler did.")
  var report = false

  func validate() throws {
    guard alpha.map({ $0 > 0 && $0 <= 4 }) ?? true else {
      throw ValidationError("alpha must be above 0, at most 4")
    }
    guard (32...4096).contains(size) else { throw ValidationError("size must be 32 to 4096") }
    guard (1...100_000).contains(runs) else { throw ValidationError("runs must be 1 to 100000") }
  }

  func run() throws {
    let network: CompiledModel
    if let weights {
      let choice = try WeightChoice(path: weights, alpha: alpha, size: size)
      network = try choice.network.model.compile(parameters: choice.source)
    } else {
      print(
        "No weights: pass --weights with a Keras .h5, a .safetensors or a folder of .bin files.\n")
      let model = MobileNetV1(weights: .keras, alpha: alpha ?? 1, classes: 1001, size: size).model
      network = try model.compile(parameters: RandomParameters(seed: 1))
    }
    if summary || photos.isEmpty { print(network.summary() + "\n") }
    if report { print("\(network.report)\n") }
    if photos.isEmpty {
      try time(network)
    } else {
      var failures = 0
      for photo in photos {
        do { try classify(photo, network) } catch {
          print("\(error)\n")
          failures += 1
        }
      }
      if failures > 0 { throw ExitCode.failure }
    }
  }

  /// Prints the five likeliest classes of a photo.
  private func classify(_ path: String, _ network: CompiledModel) throws {
    let preparation = ImagePreparation(width: size, height: size, normalization: .keras(.tf))
    let pixels = try Image(contentsOf: path).values(prepared: preparation)
    let clock = ContinuousClock()
    let start = clock.now
    let probabilities = try network.predict(pixels)
    let milliseconds = (clock.now - start) / .milliseconds(1)
    print(String(format: "%@  (%.1f ms)", path, milliseconds))
    // The first of 1,001 classes is the background.
    let labels = Array(try labels().dropFirst(probabilities.count == 1001 ? 0 : 1))
    for answer in probabilities.top(k: 5, labels: labels) {
      // Damaged weights may give NaN, which has no length.
      let share = answer.probability.isFinite ? max(answer.probability, 0) : 0
      let bar = String(repeating: "█", count: Int((share * 20).rounded()))
      let percent = String(format: "%5.1f %%", answer.probability * 100)
      let label = (answer.label ?? "\(answer.index)").padding(
        toLength: 32, withPad: " ", startingAt: 0)
      print("  \(label) \(percent)  \(bar)")
    }
    print()
  }

  /// Times predictions of made-up pixels.
  private func time(_ network: CompiledModel) throws {
    let context = try Context(network)
    context.withInput(0) { pixels in
      for index in pixels.indices { pixels[index] = Float(index % 255) / 127.5 - 1 }
    }
    try context.predict()
    let clock = ContinuousClock()
    let times = try (0..<runs).map { _ in
      let start = clock.now
      try context.predict()
      return (clock.now - start) / .milliseconds(1)
    }.sorted()
    print(
      String(
        format: "One prediction: median %.2f ms, fastest %.2f ms of %d", times[times.count / 2],
        times[0], runs))
  }

  /// The names of the 1,001 classes, background first.
  private func labels() throws -> [String] {
    let url = Bundle.module.bundleURL.appendingPathComponent("Resources/labels.txt")
    return try String(contentsOf: url, encoding: .utf8).split(whereSeparator: \.isNewline).map {
      String($0.drop { $0 != ":" }.dropFirst())
    }
  }
}
