import ArgumentParser
import ForgeAudio
import Foundation

/// Draws the levels of a voice message as bars, as messengers do.
@main
struct LevelStrip: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "LevelStrip",
    abstract: "A voice message's levels as bars, in an SVG picture.",
    discussion: """
      It reads a WAV file in parts, of any length in the memory of one bar, mixes its channels, and \
      takes the RMS of each bar in decibels. Without a file it draws the message that ships with the \
      example.
      """)

  @Argument(help: "A WAV file of any rate and number of channels.")
  var file: String?
  @Option(name: .shortAndLong, help: ArgumentHelp("Where to write the picture.", valueName: "file"))
  var output = "levels.svg"
  @Option(help: "The number of bars, 1 to 1000.")
  var bars = 40
  @Option(help: "The level of the lowest bar, in decibels below full scale.")
  var floor: Float = -48

  func validate() throws {
    guard (1...1000).contains(bars) else { throw ValidationError("--bars must be from 1 to 1000") }
    guard floor < 0, floor.isFinite else { throw ValidationError("--floor must be below 0") }
  }

  func run() throws {
    let message = Bundle.module.bundleURL.appendingPathComponent("Resources/message.wav")
    let path = file ?? message.path
    let reader = try SoundReader(contentsOf: path)
    let levels = try Levels.decibels(of: reader, bars: bars, floor: floor)
    let strip = Strip(levels: levels, floor: floor)
    try strip.svg.write(toFile: output, atomically: true, encoding: .utf8)
    let seconds = Double(reader.position) / Double(reader.format.rate)
    print(String(format: "%.2f s at %d Hz, %d bars", seconds, reader.format.rate, bars))
    print(strip.text)
    print("wrote \(output)")
  }
}

/// The levels of a sound.
enum Levels {
  /// The RMS of each bar in decibels, from `floor` to 0.
  static func decibels(of reader: SoundReader, bars: Int, floor: Float) throws -> [Float] {
    let rms: [Float]
    if let count = reader.frameCount {
      rms = try (0..<bars).map { bar in
        let frames = (bar + 1) * count / bars - bar * count / bars
        guard frames > 0 else { return 0 }
        return try reader.read(frames: frames).mono(channels: reader.format.channels).rms()
      }
    } else {
      // A pipe does not tell how long the sound is.
      rms = try Sound(reader).mono().samples.bars(bars, of: .rms)
    }
    return try rms.decibels(floor: floor).clipped(to: floor...0)
  }
}
