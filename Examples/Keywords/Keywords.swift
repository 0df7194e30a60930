import ArgumentParser
import Forge
import Foundation

/// Hears ten words in a stream of sound.
@main
struct Keywords: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Keywords",
    abstract: "Hears ten words in a stream of sound, frame by frame.",
    discussion: """
      Without arguments it hears the recording that ships with it, spoken by espeak-ng in voices \
      that were not used for training. The words: yes, no, up, down, left, right, stop, go, on, off.
      """)

  @Argument(help: "A WAV file: 16-bit PCM, 16,000 samples per second, one channel.")
  var file: String?
  @Flag(help: "Count what is heard in clips of voices that were not used for training.")
  var evaluate = false
  @Flag(
    help: "Compare front end and network with NumPy and PyTorch, and streaming with all at once.")
  var check = false

  @Option(
    help: ArgumentHelp(
      "Write the network as a compiled file, for programs such as Examples/CHost.",
      valueName: "file"))
  var compile: String?
  @Option(
    help: ArgumentHelp(
      "Write the probabilities of all frames as floats of 32 bits, one after the other.",
      valueName: "file"))
  var probabilities: String?

  func validate() throws {
    guard [file != nil, evaluate, check].filter({ $0 }).count <= 1 else {
      throw ValidationError("a file, --evaluate and --check do not go together")
    }
  }

  func run() throws {
    if evaluate {
      let network = try KeywordNetwork.compiled(KeywordNetwork.classifier(), weights: weights)
      print(
        try Evaluation(
          features: resource("test_features.npy"), labels: resource("test_labels.npy"),
          noise: resource("test_noise.npy"), network: network
        ).text)
      return
    }
    if let compile {
      try KeywordNetwork.compiled(KeywordNetwork.model(), weights: weights).write(to: compile)
      return
    }
    // The file first: what is wrong with it is said at once.
    let wave = try Wave(path: file ?? resource("recording.wav"))
    let transcript = file == nil ? try Transcript(path: resource("recording.txt")) : nil
    let network = try KeywordNetwork.compiled(KeywordNetwork.model(), weights: weights)
    if !check {
      print(network.summary())
      print()
    }
    let frames = try Recognizer(network: network).frames(of: wave.samples)
    if let probabilities {
      let bytes = frames.flatMap(\.probabilities).withUnsafeBytes { Data($0) }
      try bytes.write(to: URL(fileURLWithPath: probabilities))
    }
    let timeline = Timeline(frames: frames, transcript: transcript)
    if check {
      let check = Check(
        wave: wave, weights: weights,
        features: try NumPyArray(path: resource("reference_features.npy")),
        probabilities: try NumPyArray(path: resource("reference_probabilities.npy")))
      print(try check.run())
      if let verdict = timeline.verdict { print("the recording: \(verdict)") }
      return
    }
    print(timeline.text)
    print()
    if let verdict = timeline.verdict { print(verdict) }
    print(FrameTimes(frames))
  }

  private var weights: String { resource("keywords.safetensors") }

  private func resource(_ name: String) -> String {
    Bundle.module.bundleURL.appendingPathComponent("Resources").appendingPathComponent(name).path
  }
}
