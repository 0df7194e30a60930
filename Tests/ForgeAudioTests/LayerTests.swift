import Forge
import ForgeAudio
import Foundation
import Testing

/// The layers against the functions of arrays, which are compared with librosa and torchaudio.
@Suite struct LayerTests {
  private func output(
    _ layer: some Layer, _ samples: [Float], threads: CompileOptions.Threads = 1
  ) throws -> (shape: Shape?, values: [Float]) {
    let input = Input(shape: [samples.count])
    let output = input --> layer
    let model = Model(input: input, output: output)
    let network = try model.compile(options: CompileOptions(threads: threads))
    return (output.shape, try network.predict(samples))
  }

  @Test(arguments: FramePadding.allCases, SpectrumValues.allCases)
  func spectra(_ padding: FramePadding, _ values: SpectrumValues) throws {
    let voice = try SoundFixtures.signal("voice")
    for (size, hop, length) in [
      (64, 16, 64), (97, 31, 80), (100, 100, 100), (17, 5, 17), (1, 1, 1),
    ] {
      let samples = padding == .streaming ? Array(voice.prefix(10 * hop)) : voice
      let stft = STFT(
        size: size, hop: hop, windowLength: length, padding: padding, values: values)
      let expected = try stft.spectrogram(of: samples)
      let found = try output(stft, samples)
      #expect(found.shape == Shape(sizes: [expected.frameCount, expected.width]))
      expectClose(found.values, expected.values)
    }
  }

  @Test(arguments: ["linear", "logarithm", "decibels", "ranged", "whisper"])
  func bands(_ name: String) throws {
    let samples = try SoundFixtures.signal("voice")
    let scale: SpectrumScale =
      switch name {
      case "logarithm": .logarithm()
      case "decibels": .decibels()
      case "ranged": .decibels(reference: 2, range: 30)
      case "whisper": .whisper
      default: .linear
      }
    let mel = MelSpectrogram(
      bands: 40, rate: 16000, size: 400, hop: 160, scale: scale, omitsLastFrame: true)
    let expected = try mel.spectrogram(of: samples)
    let found = try output(mel, samples)
    #expect(found.shape == Shape(sizes: [expected.frameCount, 40]))
    expectClose(found.values, expected.values)
    // The logarithm as a layer of its own.
    let linear = MelSpectrogram(bands: 40, rate: 16000, size: 400, hop: 160, omitsLastFrame: true)
    let input = Input(shape: [samples.count])
    let model = Model(input: input, output: input --> linear --> LogMel(scale))
    expectClose(try model.compile().predict(samples), expected.values)
  }

  @Test func coefficients() throws {
    let samples = try SoundFixtures.signal("voice")
    let mel = MelSpectrogram(
      bands: 30, rate: 16000, size: 256, hop: 100, scale: .decibels(range: 80))
    let mfcc = MFCC(count: 13, mel: mel, lifter: 22)
    let expected = try mfcc.spectrogram(of: samples)
    let found = try output(mfcc, samples)
    #expect(found.shape == Shape(sizes: [expected.frameCount, 13]))
    expectClose(found.values, expected.values)
  }

  /// The parts of a sound, each of whole hops, give the same bits as the sound at once.
  @Test func streams() throws {
    let samples = Array(try SoundFixtures.signal("voice").prefix(2000))
    let mel = MelSpectrogram(
      bands: 20, rate: 16000, size: 120, hop: 40, padding: .streaming, scale: .logarithm(),
      name: "front")
    let whole = try {
      let input = Input(shape: [samples.count])
      return try Model(input: input, output: input --> mel).compile().predict(samples)
    }()
    expectClose(whole, try mel.spectrogram(of: samples).values)
    for part in [40, 200, 1000] {
      let input = Input(shape: [part])
      let network = try Model(input: input, output: input --> mel).compile()
      let context = try Context(network)
      #expect(context.state.names == ["front.samples"])
      var joined: [Float] = []
      for start in stride(from: 0, to: samples.count, by: part) {
        joined += try context.predict(Array(samples[start..<start + part]))
      }
      expectSameBits(joined, whole)
    }
  }

  /// A number that is not finite stays in the frames that hold it.
  @Test func nonFiniteNumbersStayInTheirFrames() throws {
    let samples = try SoundFixtures.signal("nan")
    let mel = MelSpectrogram(bands: 8, rate: 16000, size: 100, hop: 40, padding: .none)
    let expected = try mel.spectrogram(of: samples).values
    let found = try output(mel, samples).values
    #expect(found.count == expected.count)
    #expect(zip(found, expected).allSatisfy { $0.isFinite == $1.isFinite })
    #expect(expected.contains { $0.isNaN } && expected.contains { $0.isFinite })
  }

  @Test func mistakes() throws {
    func message(_ input: Tensor, _ layer: some Layer) -> String {
      do {
        _ = try Model(input: input, output: input --> layer).compile()
        return "no error"
      } catch {
        return "\(error)"
      }
    }
    let sound = Input(shape: [100])
    #expect(message(sound, STFT(size: 0)).contains("the size of a frame is out of range"))
    #expect(
      message(Input(shape: [1 << 17]), STFT(size: 1 << 16)).contains("functions on arrays"))
    #expect(message(sound, STFT(size: 300)).contains("too short to be mirrored"))
    #expect(message(sound, STFT(size: 101, padding: .none)).contains("the output would be empty"))
    #expect(
      message(sound, STFT(size: 64, hop: 33, padding: .streaming))
        .contains("a multiple of the hop 33"))
    #expect(
      message(Input(shape: [100, 2]), STFT(size: 16)).contains("not a sound of one channel"))
    #expect(
      message(
        sound,
        MelSpectrogram(
          bands: 4, rate: 16000, size: 40, hop: 20, padding: .streaming, scale: .whisper)
      ).contains("depends on the largest number"))
    let mel = MelSpectrogram(bands: 4, rate: 16000, size: 40)
    #expect(message(sound, MFCC(count: 5, mel: mel)).contains("1 to 4, the bands"))
    #expect(
      message(sound, LogMel(.logarithm(offset: .nan))).contains("the offset of the logarithm"))
  }

  /// Layers stand in chains, have rows in summaries, and compare.
  @Test func summaries() throws {
    let input = Input(shape: [16000])
    let output =
      input --> MelSpectrogram.whisper(name: "mel")
      --> Convolution1D(kernel: 3, channels: 8, name: "conv")
    let model = Model(input: input, output: output)
    #expect(output.shape == Shape(sizes: [100, 8]))
    #expect(model.summary().contains("mel") && model.summary().contains("MelSpec"))
    #expect(STFT(size: 4, hop: 2, name: "a") != STFT(size: 4, hop: 1, name: "a"))
  }
}
