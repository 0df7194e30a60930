import ArgumentParser
import Forge
import Foundation

/// Crushes a sine wave with a small network on the real-time path, and says how long frames take.
@main
struct Bitcrusher: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Bitcrusher",
    abstract: "A small signal network on the real-time path: times per frame, and a picture.",
    discussion: """
      It processes a sine wave at 48 kHz in frames of 64 to 1,024 samples and compares the worst and \
      the 99.9th percentile of the time per frame with the deadline, which is the frame's length.
      """)

  @Option(help: "Bits per sample that are left, from 1 to 16.")
  var bits = 4
  @Option(help: "How strongly the signal is saturated.")
  var gain: Float = 1.5
  @Option(help: "The share of the crushed signal, from 0 to 1.")
  var wet: Float = 1
  @Option(help: "Seconds of sound for each size of frame.")
  var seconds = 10.0
  @Option(help: ArgumentHelp("Where to write the picture.", valueName: "file"))
  var svg: String?

  func validate() throws {
    guard (1...16).contains(bits) else { throw ValidationError("--bits must be from 1 to 16") }
    guard gain.isFinite, wet.isFinite else {
      throw ValidationError("--gain and --wet must be finite")
    }
    guard (0.01...3600).contains(seconds) else {
      throw ValidationError("--seconds must be from 0.01 to 3600")
    }
  }

  func run() throws {
    let network = try BitcrusherNetwork.compiled()
    let blocks = BitcrusherNetwork.largestFrame / BitcrusherNetwork.blockSize
    let context = try RealtimeContext(network, batch: blocks)
    context.setInput(try context.index(ofInput: "gain"), to: gain)
    context.setInput(
      BitcrusherNetwork.resolution, to: BitcrusherNetwork.resolution(bits: bits))
    context.setInput(BitcrusherNetwork.wet, to: wet)
    print("\(bits) bits, gain \(gain), wet \(wet); \(network.instructionSet.rawValue) kernels")
    let report = try AudioThread(context).run { [self] context in
      (table: try table(context), picture: try picture(context))
    }
    guard let report else { return }
    print(report.table)
    if let svg { try report.picture.write(toFile: svg, atomically: true, encoding: .utf8) }
  }

  /// The times of frames of every size.
  private func table(_ context: borrowing RealtimeContext) throws -> String {
    var lines = ["samples  deadline µs  p99.9 µs  worst µs  worst/deadline"]
    var size = BitcrusherNetwork.blockSize
    while size <= BitcrusherNetwork.largestFrame {
      let times = try measure(size, context)
      let deadline = Double(size) / Wave.rate * 1e6
      let worst = times.last ?? 0
      let high = times[min(Int(Double(times.count) * 0.999), times.count - 1)]
      lines.append(
        String(
          format: "%7d %12.0f %9.1f %9.1f %14.1f %%", size, deadline, high, worst,
          100 * worst / deadline))
      size *= 2
    }
    return lines.joined(separator: "\n")
  }

  /// The microseconds of each frame, sorted; samples are written and read within them.
  private func measure(_ size: Int, _ context: borrowing RealtimeContext) throws -> [Double] {
    let frames = max(Int(seconds * Wave.rate) / size, 1)
    var times = [Double](repeating: 0, count: frames)
    var output = [Float](repeating: 0, count: size)
    let clock = ContinuousClock()
    for frame in 0..<frames {
      let input = Wave.samples(from: frame * size, count: size)
      let start = clock.now
      try process(input, into: &output, context)
      times[frame] = (clock.now - start) / .microseconds(1)
    }
    return times.sorted()
  }

  /// One frame, as an audio thread would do it.
  private func process(
    _ input: [Float], into output: inout [Float], _ context: borrowing RealtimeContext
  ) throws {
    context.withInput(BitcrusherNetwork.signal) { samples in
      for index in input.indices { samples[index] = input[index] }
    }
    try context.predict(batch: input.count / BitcrusherNetwork.blockSize)
    context.withOutput(0) { samples in
      for index in output.indices { output[index] = samples[index] }
    }
  }

  /// Two periods of the wave before and after.
  private func picture(_ context: borrowing RealtimeContext) throws -> String {
    let before = Wave.samples(from: 0, count: 512)
    var after = before
    try process(before, into: &after, context)
    return Wave.svg(before: Array(before.prefix(220)), after: Array(after.prefix(220)))
  }
}
