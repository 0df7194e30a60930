import ArgumentParser
import Forge
import ForgeImages
import Foundation

/// Reads the digits in a video, with each policy of a stream.
@main
struct Video: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Video",
    abstract: "Reads the digits in a video: frame rate, latency and drops of each policy.",
    discussion: """
      Without a file it draws a clip of the digits of the example LeNet, and reads it three times: \
      with the policy block, of which no frame is lost; with dropOldest at the times of the clip, as \
      a camera delivers frames; and with dropOldest as fast as the file is read.

      EXAMPLES
        Video
        Video --make digits.y4m
        ffmpeg -i film.mp4 -f yuv4mpegpipe - | Video - --policy block --every 5
      """)

  /// The policies that the example shows.
  enum Policy: String, ExpressibleByArgument, CaseIterable {
    case block, dropOldest

    var policy: StreamPolicy { self == .block ? .block : .dropOldest }
  }

  @Argument(help: "A Y4M file, or - for one that comes through standard input.")
  var file: String?
  @Option(help: ArgumentHelp("Writes the clip and ends.", valueName: "file"))
  var make: String?
  @Option(help: "One policy instead of all.")
  var policy: Policy?
  @Option(help: "How many times as fast as recorded frames come; 0 for as fast as they are read.")
  var speed: Double?
  @Option(help: "Takes every n-th frame.")
  var every = 1
  @Option(help: "Takes at most so many frames in a second of the video.")
  var rate: Double?
  @Option(help: ArgumentHelp("The weights of LeNet.", valueName: "h5"))
  var weights: String?
  @Flag(help: "Prints the digit of each frame.")
  var frames = false

  func validate() throws {
    guard speed ?? 0 >= 0 else { throw ValidationError("--speed must be 0 or more") }
    guard every >= 1 else { throw ValidationError("--every must be 1 or more") }
    guard rate ?? 1 > 0 else { throw ValidationError("--rate must be above 0") }
    guard file != "-" || policy != nil else {
      throw ValidationError("standard input is read once; give a --policy")
    }
  }

  func run() async throws {
    if let make { return try Clip.write(to: make) }
    let drawn = FileManager.default.temporaryDirectory
      .appending(path: "forge-\(UUID().uuidString).y4m")
    defer { try? FileManager.default.removeItem(at: drawn) }
    if file == nil { try Clip.write(to: drawn.path) }
    let path = file ?? drawn.path
    let task = try Digits.classifier(weights: weights)
    let runs: [(Policy, Double)] =
      if let policy {
        [(policy, speed ?? 0)]
      } else {
        [(.block, speed ?? 0), (.dropOldest, 1), (.dropOldest, 0)]
      }
    for (number, (policy, speed)) in runs.enumerated() {
      let reader = try path == "-" ? VideoReader(descriptor: 0) : VideoReader(contentsOf: path)
      if number == 0 { print(Self.text(reader.format)) }
      let run = try await Run(task, reader, policy, speed, every: every, rate: rate)
      print(run.text)
      if number == 0 { print("  digits  \(run.digits.map(String.init).joined(separator: " "))") }
      if frames { for line in run.lines { print(line) } }
    }
  }

  private static func text(_ format: VideoFormat) -> String {
    let rate = format.framesPerSecond.map { String(format: ", %.3g frames a second", $0) } ?? ""
    return "\(format.width)×\(format.height)\(rate)"
  }
}

/// One reading of a video.
private struct Run {
  private let policy: Video.Policy
  private let speed: Double
  private var latencies: [Duration] = []
  private var dropped = 0
  private var elapsed = Duration.zero
  private(set) var lines: [String] = []
  /// The digits in the order in which they are seen, each once for as long as it is there.
  private(set) var digits: [Int] = []

  init(
    _ task: ImageTask<[RankedClass]>, _ reader: VideoReader, _ policy: Video.Policy,
    _ speed: Double, every: Int, rate: Double?
  ) async throws {
    (self.policy, self.speed) = (policy, speed)
    let runner = try Runner(task.network, inflightBuffers: 1)
    let frames = reader.frames.everyNth(every).limited(toRate: rate ?? .infinity)
      .paced(speed: speed)
    let results = try task.predictions(of: frames, in: runner, policy: policy.policy)
    let clock = ContinuousClock()
    let start = clock.now
    for try await result in results {
      latencies.append(result.latency)
      guard let best = result.prediction.first else { continue }
      lines.append(
        String(
          format: "  frame %d: %d, %.1f %%", result.kept.index, best.index,
          best.probability * 100))
      // What is not certain is between two digits.
      if best.probability > 0.5, best.index != digits.last { digits.append(best.index) }
    }
    elapsed = clock.now - start
    dropped = results.dropped
  }

  var text: String {
    let pace = speed > 0 ? (speed == 1 ? "as recorded" : "\(speed) times as fast") : "at once"
    let sorted = latencies.sorted()
    func milliseconds(_ share: Double) -> Double {
      guard !sorted.isEmpty else { return 0 }
      return sorted[Int(Double(sorted.count - 1) * share)] / .milliseconds(1)
    }
    let rate = Double(latencies.count) / max(elapsed / .seconds(1), 1e-9)
    return "\(policy.rawValue), frames \(pace): "
      + String(
        format: "%d frames, %d dropped, %.1f frames a second, latency %.2f ms p50, %.2f ms p99",
        latencies.count, dropped, rate, milliseconds(0.5), milliseconds(0.99))
  }
}
