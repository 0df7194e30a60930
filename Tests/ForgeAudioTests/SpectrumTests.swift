import CForgeSound
import ForgeAudio
import Foundation
import Testing

extension SoundFixtures.Case {
  var framePadding: FramePadding { padding.flatMap(FramePadding.init(rawValue:)) ?? .reflect }

  var spectrumWindow: SpectrumWindow {
    switch window {
    case "hamming": .hamming
    case "blackman": .blackman
    case "rectangular": .rectangular
    default: .hann
    }
  }

  var stft: STFT {
    STFT(
      size: size ?? 0, hop: hop, window: spectrumWindow, windowLength: length,
      padding: framePadding, values: values.flatMap(SpectrumValues.init(rawValue:)) ?? .complex)
  }

  var spectrumScale: SpectrumScale {
    switch scale {
    case "decibels": .decibels()
    case "ranged": .decibels(reference: 2, range: 30)
    case "range80": .decibels(range: 80)
    case "logarithm": .logarithm()
    case "whisper": .whisper
    default: .linear
    }
  }

  var melSpectrogram: MelSpectrogram {
    MelSpectrogram(
      bands: bands ?? 0, rate: 16000, size: size ?? 0, hop: hop, lowest: low ?? 0, highest: high,
      melScale: mel.flatMap(MelScale.init(rawValue:)) ?? .slaney,
      normalization: norm.flatMap(MelNormalization.init(rawValue:)) ?? .slaney,
      sumsMagnitudes: values == "magnitude", scale: spectrumScale,
      omitsLastFrame: scale == "whisper")
  }
}

/// Spectra against librosa and PyTorch.
@Suite struct SpectrumTests {
  @Test(arguments: SoundFixtures.cases("window"))
  func windows(_ fixture: SoundFixtures.Case) throws {
    let window = fixture.spectrumWindow
    let values = try (fixture.symmetric == true ? window.symmetric : window)
      .weights(fixture.size ?? 0)
    expectClose(values, try SoundFixtures.array(fixture.name), within: 1e-7)
  }

  @Test(arguments: SoundFixtures.cases("stft"))
  func spectra(_ fixture: SoundFixtures.Case) throws {
    let samples = try SoundFixtures.signal(try #require(fixture.signal))
    let rows = try fixture.stft.spectrogram(of: samples)
    let expected = try SoundFixtures.array(fixture.name)
    let bins = (fixture.size ?? 0) / 2 + 1
    #expect(rows.width == (fixture.values == nil ? 2 * bins : bins))
    #expect(rows.frameCount * rows.width == rows.values.count)
    // MKL leaves some real or imaginary parts of a frame with a NaN finite; see
    // nonFiniteNumbersStayInTheirFrames.
    let whole = stride(from: 0, to: expected.count, by: rows.width).filter {
      expected[$0..<$0 + rows.width].allSatisfy(\.isFinite)
    }
    #expect(whole.count > rows.frameCount / 2 && rows.values.count == expected.count)
    // Numbers below the normal ones have fewer bits.
    expectClose(
      whole.flatMap { rows.values[$0..<$0 + rows.width] },
      whole.flatMap { expected[$0..<$0 + rows.width] }, within: 2e-6, scale: 1e-37)
    if fixture.signal == "denormal" { #expect(rows.values.contains { $0 != 0 }) }
  }

  /// One number, which librosa does not transform.
  @Test func sizeOne() throws {
    let rows = try STFT(size: 1, hop: 2, window: .rectangular, padding: .none)
      .spectrogram(of: [1, 2, 3])
    #expect(rows.values == [1, 0, 3, 0])
    #expect(try STFT(size: 1, hop: 1, padding: .none).samples(of: rows) == [1, 3])
  }

  /// A prime above all radices, twice such a prime, and a large power of two, against sums in double
  /// precision.
  @Test(arguments: [1021, 2 * 1021, 37 * 41, 4096, 3 * 5 * 7 * 11, 4099])
  func largeSizes(_ size: Int) throws {
    let voice = try SoundFixtures.signal("voice")
    let samples = (0..<size).map { voice[$0 % voice.count] }
    let row = try STFT(size: size, window: .rectangular, padding: .none)
      .spectrogram(of: samples).values
    var expected: [Float] = []
    for bin in stride(from: 0, through: size / 2, by: 7) {
      var (re, im) = (0.0, 0.0)
      for (index, sample) in samples.enumerated() {
        let angle = -2 * Double.pi * Double(bin * index % size) / Double(size)
        re += Double(sample) * cos(angle)
        im += Double(sample) * sin(angle)
      }
      expected += [Float(re), Float(im)]
    }
    let picked = stride(from: 0, through: size / 2, by: 7).flatMap {
      [row[2 * $0], row[2 * $0 + 1]]
    }
    expectClose(picked, expected, within: 2e-6)
  }

  @Test(arguments: levels)
  func levelsHaveTheSameBits(_ level: forge_level) throws {
    for size in [2, 12, 97, 100, 401, 512, 37 * 4] {
      for name in ["voice", "nan", "denormal"] {
        let samples = try SoundFixtures.signal(name)
        for values in SpectrumValues.allCases {
          let stft = STFT(size: size, hop: 33, padding: .zeros, values: values)
          let expected = try stft.spectrogram(of: samples)
          let rows = try SoundLevel.$forced.withValue(level) { try stft.spectrogram(of: samples) }
          expectSameBits(rows.values, expected.values)
        }
      }
      let complex = try STFT(size: size, hop: 33).spectrogram(of: SoundFixtures.signal("voice"))
      let stft = STFT(size: size, hop: 33)
      let expected = try stft.samples(of: complex)
      let samples = try SoundLevel.$forced.withValue(level) { try stft.samples(of: complex) }
      expectSameBits(samples, expected)
    }
  }

  /// A frame has the same bits whichever others are computed with it, on any number of threads.
  @Test func framesAreIndependent() throws {
    let samples = try SoundFixtures.signal("voice")
    let stft = STFT(size: 60, hop: 7, padding: .none, values: .power)
    let rows = try stft.spectrogram(of: samples)
    for frame in [0, 1, 5, 15, 16, 17, 100, rows.frameCount - 1] {
      let alone = try stft.spectrogram(of: Array(samples[frame * 7..<frame * 7 + 60]))
      expectSameBits(alone.values, Array(try #require(rows.frame(frame))))
    }
    let mel = MelSpectrogram(bands: 20, rate: 16000, size: 60, hop: 7, scale: .decibels())
    let alone = try mel.analyzer(threads: 1).spectrogram(of: samples)
    let together = try mel.analyzer(threads: .exactly(3)).spectrogram(of: samples)
    expectSameBits(together.values, alone.values)
  }

  /// A number that is not finite stays in the frames that hold it.
  @Test func nonFiniteNumbersStayInTheirFrames() throws {
    for name in ["nan", "infinite"] {
      let samples = try SoundFixtures.signal(name)
      let stft = STFT(size: 101, hop: 40, padding: .none, values: .power)
      let rows = try stft.spectrogram(of: samples)
      for frame in 0..<rows.frameCount {
        let holds = (frame * 40..<frame * 40 + 101).contains(613)
        let row = try #require(rows.frame(frame))
        #expect(row.allSatisfy { $0.isFinite } == !holds)
      }
    }
  }

  @Test(arguments: SoundFixtures.cases("inverse"))
  func soundsOfSpectra(_ fixture: SoundFixtures.Case) throws {
    let bins = (fixture.size ?? 0) / 2 + 1
    let spectrum = try Spectrogram(
      SoundFixtures.array("\(fixture.name).spectrum"), width: 2 * bins)
    let samples = try fixture.stft.samples(of: spectrum)
    // Samples on which hardly any window lies are quotients of tiny numbers.
    expectClose(samples, try SoundFixtures.array(fixture.name), within: 1e-4)
    let longer = try fixture.stft.samples(of: spectrum, count: samples.count + 300)
    expectSameBits(Array(longer.prefix(100)), Array(samples.prefix(100)))
    #expect(longer.count == samples.count + 300 && longer.last == 0)
  }

  @Test(arguments: [FramePadding.reflect, .zeros, .none, .streaming], [64, 75, 97, 222])
  func thereAndBack(_ padding: FramePadding, _ size: Int) throws {
    let samples = try SoundFixtures.signal("voice")
    let stft = STFT(size: size, hop: size / 4, window: .hamming, padding: padding)
    let back = try stft.samples(of: stft.spectrogram(of: samples), count: samples.count)
    let covered = samples.count - size
    expectClose(Array(back.prefix(covered)), Array(samples.prefix(covered)), within: 1e-5)
  }

  @Test func transposed() throws {
    let rows = try Spectrogram([1, 2, 3, 4, 5, 6], width: 3)
    #expect(rows.transposed() == [1, 4, 2, 5, 3, 6])
    #expect(rows.frame(1) == [4, 5, 6] && rows.frame(2) == nil && rows.frame(-1) == nil)
  }
}

/// Bands and coefficients against librosa and torchaudio.
@Suite struct MelTests {
  @Test(arguments: SoundFixtures.cases("bank"))
  func banks(_ fixture: SoundFixtures.Case) throws {
    let bank = MelFilterBank(
      count: fixture.bands ?? 0, rate: fixture.rate ?? 0, lowest: fixture.low ?? 0,
      highest: fixture.high, scale: fixture.mel.flatMap(MelScale.init(rawValue:)) ?? .slaney,
      normalization: fixture.norm.flatMap(MelNormalization.init(rawValue:)) ?? .slaney)
    expectClose(
      try bank.weights(size: fixture.size ?? 0), try SoundFixtures.array(fixture.name),
      within: 1e-6)
  }

  @Test(arguments: SoundFixtures.cases("mel"))
  func bands(_ fixture: SoundFixtures.Case) throws {
    let samples = try SoundFixtures.signal(try #require(fixture.signal))
    let rows = try fixture.melSpectrogram.spectrogram(of: samples)
    #expect(rows.width == fixture.bands)
    let expected = try SoundFixtures.array(fixture.name)
    if fixture.scale == nil {
      expectClose(rows.values, expected)
      return
    }
    // A band whose power is rounding errors of others has any logarithm below theirs.
    let linear = try MelSpectrogram(
      bands: fixture.bands ?? 0, rate: 16000, size: fixture.size ?? 0, hop: fixture.hop,
      omitsLastFrame: fixture.scale == "whisper"
    ).spectrogram(of: samples).values
    let most = linear.max() ?? 0
    let counts = linear.indices.filter { linear[$0] == 0 || linear[$0] > most * 1e-6 }
    #expect(!counts.isEmpty)
    expectClose(counts.map { rows.values[$0] }, counts.map { expected[$0] }, scale: 1)
  }

  @Test(arguments: SoundFixtures.cases("mfcc"))
  func coefficients(_ fixture: SoundFixtures.Case) throws {
    let samples = try SoundFixtures.signal(try #require(fixture.signal))
    let mfcc = MFCC(
      count: fixture.count ?? 0, mel: fixture.melSpectrogram, lifter: fixture.lifter ?? 0)
    let rows = try mfcc.spectrogram(of: samples)
    // The wave of full scale has bands of 10⁻⁷ of the loudest, whose logarithms show the rounding of
    // a transform in Float. torchaudio in Float differs from its double precision as much.
    let bound: Float = fixture.signal == "full" ? 3e-5 : 1e-5
    expectClose(rows.values, try SoundFixtures.array(fixture.name), within: bound)
  }

  @Test func scalesAreTheirOwnInverse() {
    for scale in MelScale.allCases {
      for hertz in [0.0, 60, 999.9, 1000, 1000.1, 4000, 22050] {
        #expect(abs(scale.hertz(scale.mels(hertz)) - hertz) < 1e-9 * (1 + hertz))
      }
    }
  }
}

/// Resampled sounds against torchaudio.
@Suite struct ResamplerTests {
  @Test(arguments: SoundFixtures.cases("resample"))
  func sounds(_ fixture: SoundFixtures.Case) throws {
    let samples = try SoundFixtures.signal(try #require(fixture.signal))
    var resampler = try Resampler(
      from: fixture.old ?? 0, to: fixture.new ?? 0, width: fixture.width ?? 6,
      rolloff: fixture.rolloff ?? 0.99)
    let whole = try resampler.process(samples) + resampler.finish()
    expectClose(whole, try SoundFixtures.array(fixture.name), within: 1e-6)
    // In parts, with the same resampler again.
    for part in [1, 7, 160, 1000] {
      var joined: [Float] = []
      for start in stride(from: 0, to: samples.count, by: part) {
        joined += try resampler.process(Array(samples[start...].prefix(part)))
      }
      joined += try resampler.finish()
      expectSameBits(joined, whole)
    }
    for level in levels {
      let other = try SoundLevel.$forced.withValue(level) {
        var resampler = try Resampler(
          from: fixture.old ?? 0, to: fixture.new ?? 0, width: fixture.width ?? 6,
          rolloff: fixture.rolloff ?? 0.99)
        return try resampler.process(samples) + resampler.finish()
      }
      expectSameBits(other, whole)
    }
  }

  @Test func severalChannels() throws {
    let voice = try SoundFixtures.signal("voice")
    let stereo = try Sound(voice.flatMap { [$0, -$0] }, rate: 16000, channels: 2)
    let slower = try stereo.resampled(to: 8000)
    let left = try slower.channel(0)
    #expect(slower.rate == 8000 && slower.channels == 2 && slower.frameCount == 1006)
    expectSameBits(left, try voice.resampled(from: 16000, to: 8000))
    expectSameBits(try slower.channel(1).map { -$0 }, left)
  }

  @Test func nothingInNothingOut() throws {
    #expect(try [Float]().resampled(from: 8000, to: 16000).isEmpty)
    #expect(try [Float](repeating: 1, count: 5).resampled(from: 1000, to: 1).count == 1)
  }
}
