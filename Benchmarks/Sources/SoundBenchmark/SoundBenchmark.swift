import Forge
import ForgeAudio
import Foundation

/// Times spectra and samples of 10 s of sound; Benchmarks/sound runs it beside other libraries.
///
/// `swift run -c release SoundBenchmark [ROUNDS [THREADS]]`
///
/// It prints a line for each case: its name, and the least and the median of its milliseconds.
@main
struct SoundBenchmark {
  static func main() throws {
    let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }.filter { $0 > 0 }
    let rounds = numbers.first ?? 50
    let threads = CompileOptions.Threads.exactly(numbers.dropFirst().first ?? 1)
    let samples = sound(160_000)
    try spectra(samples, rounds, threads)
    try layers(samples, rounds, threads)
    try functions(samples, rounds)
  }

  private static func time(_ name: String, _ rounds: Int, _ body: () throws -> Void) rethrows {
    let clock = ContinuousClock()
    try body()
    var times: [Double] = []
    for _ in 0..<rounds {
      let start = clock.now
      try body()
      times.append((clock.now - start) / .milliseconds(1))
    }
    times.sort()
    print("\(name)\t\(times[0])\t\(times[times.count / 2])")
  }

  /// A sound that is not the same anywhere: noise and a rising tone.
  private static func sound(_ count: Int) -> [Float] {
    var state: UInt32 = 1
    return (0..<count).map { index in
      state = state &* 1_664_525 &+ 1_013_904_223
      let noise = Float(Int32(bitPattern: state)) / 2_147_483_648
      return 0.1 * noise + 0.4 * Float(sin(Double(index) * (0.01 + Double(index) * 1e-6)))
    }
  }

  private static func spectra(
    _ samples: [Float], _ rounds: Int, _ threads: CompileOptions.Threads
  ) throws {
    for size in [400, 512, 401] {
      let mel = MelSpectrogram(
        bands: 80, rate: 16000, size: size, hop: 160, scale: .decibels(range: 80))
      let analyzer = try mel.analyzer(threads: threads)
      try time("80 log-mels, frames of \(size)", rounds) {
        _ = try analyzer.spectrogram(of: samples)
      }
    }
    let stft = STFT(size: 400, hop: 160)
    let analyzer = try stft.analyzer(threads: threads)
    try time("STFT, frames of 400", rounds) { _ = try analyzer.spectrogram(of: samples) }
    let spectrum = try analyzer.spectrogram(of: samples)
    try time("inverse STFT, frames of 400", rounds) { _ = try stft.samples(of: spectrum) }
    let mfcc = MFCC(
      count: 20,
      mel: MelSpectrogram(
        bands: 80, rate: 16000, size: 400, hop: 160, scale: .decibels(range: 80)))
    let coefficients = try mfcc.analyzer(threads: threads)
    try time("20 MFCCs", rounds) { _ = try coefficients.spectrogram(of: samples) }
    // The tables too, as for a single sound.
    try time("80 log-mels, frames of 400, once", rounds) {
      _ = try MelSpectrogram(
        bands: 80, rate: 16000, size: 400, hop: 160, scale: .decibels(range: 80)
      ).spectrogram(of: samples)
    }
  }

  private static func layers(
    _ samples: [Float], _ rounds: Int, _ threads: CompileOptions.Threads
  ) throws {
    let input = Input(shape: [samples.count])
    let mel = MelSpectrogram(
      bands: 80, rate: 16000, size: 400, hop: 160, scale: .decibels(range: 80))
    let network = try Model(input: input, output: input --> mel)
      .compile(options: CompileOptions(threads: threads))
    let context = try Context(network)
    try time("80 log-mels, frames of 400, as a layer", max(rounds / 5, 3)) {
      _ = try context.predict(samples)
    }
  }

  private static func functions(_ samples: [Float], _ rounds: Int) throws {
    try time("44.1 to 16 kHz", rounds) { _ = try samples.resampled(from: 44100, to: 16000) }
    let integers = samples.map { Int16($0 * 32767) }
    try time("int16, decibels, clipped, 40 bars", rounds) {
      _ = try integers.floats().decibels(floor: -60).clipped(to: -60...0).bars(40, of: .mean)
    }
    try time("RMS of 40 bars", rounds) { _ = try samples.bars(40, of: .rms) }
  }
}
