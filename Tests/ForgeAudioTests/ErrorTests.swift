import ForgeAudio
import Foundation
import Testing

/// The sentences of the errors.
@Suite struct ErrorTests {
  private func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "no error"
    } catch {
      return "\(error)"
    }
  }

  @Test func files() throws {
    #expect(
      message { _ = try Sound(contentsOf: "/nowhere.wav") }.hasPrefix("/nowhere.wav: "))
    #expect(
      message { _ = try Sound(bytes: []) } == """
        the file is empty
          needs     a WAV file
        """)
    #expect(
      message { _ = try Sound(bytes: Array("OggS........".utf8)) } == """
        this is not a WAV file
          received  "OggS"
          needs     RIFF or RF64, a size, and WAVE
          remedy    for samples without a header, state their format: SoundReader(raw:format:)
        """)
    let bytes = try Sound([0, 0, 0], rate: 8000).wave()
    #expect(
      message { _ = try Sound(bytes: Array(bytes.prefix(47))) } == """
        the WAV file is cut off
          received  3 bytes of samples
          needs     6 bytes
        """)
    #expect(
      message { _ = try Sound(bytes: Array(bytes.prefix(30))) } == """
        the WAV file is cut off
          received  the end of the file
          needs     a chunk "fmt "
        """)
    #expect(
      message { _ = try Sound(bytes: try SoundFixtures.bytes("mulaw.wav")) } == """
        this form of WAV file is not supported
          received  samples of kind 7 (µ-law) with 8 bits
          needs     integers of 8 to 32 bits, or floats of 32 or 64
        """)
    #expect(
      message { _ = try Sound(bytes: bytes, limits: SoundLimits(maximumSamples: 2)) } == """
        the sound is too long
          received  3 samples
          needs     at most 2 samples
          remedy    read it in parts with SoundReader, or raise maximumSamples of SoundLimits
        """)
    #expect(
      message { try Sound([0], rate: 8000).write(to: "/nowhere/a.wav") }
        .hasPrefix("/nowhere/a.wav: "))
    #expect(
      message { _ = try Sound([0], rate: 8000).wave(as: .int8) } == """
        the form of the samples is out of range
          received  int8
          needs     uint8 for 8 bits
        """)
  }

  @Test func arguments() throws {
    let samples: [Float] = [1, 2, 3]
    #expect(
      message { _ = try Sound(samples, rate: 8000, channels: 2) } == """
        the samples do not fill the last frame
          received  3 samples
          needs     a multiple of 2 channels
        """)
    #expect(
      message { _ = try Sound(samples, rate: 0) } == """
        the rate of the sound is out of range
          received  0
          needs     1 to 4294967295 frames per second
        """)
    #expect(
      message { _ = try STFT(size: 8).spectrogram(of: samples) } == """
        the sound is too short to be mirrored at its ends
          received  3 samples
          needs     at least 5 samples
          remedy    pad with .zeros
        """)
    #expect(
      message { _ = try STFT(size: 8).samples(of: Spectrogram([1, 2, 3], width: 3)) } == """
        the number of values is wrong
          received  3 values
          needs     rows of 10 values, complex numbers of 5 bins
        """)
    #expect(
      message { _ = try Resampler(from: 96_000_001, to: 95_999_999) } == """
        the pair of rates is out of range
          received  96000001 and 95999999
          needs     rates whose weights do not exceed 2²⁴
        """)
  }

  /// Every number that is out of range is an error, and none traps.
  @Test func absurdNumbers() {
    let absurd = [Int.min, -1, 0, Int.max]
    let samples = [Float](repeating: 0.5, count: 64)
    for number in absurd {
      #expect(throws: AudioError.self) { try samples.bars(number) }
      #expect(throws: AudioError.self) { try samples.mono(channels: number) }
      #expect(throws: AudioError.self) { try samples.frames(of: number, hop: 1) }
      #expect(throws: AudioError.self) { try SpectrumWindow.hann.weights(number) }
      #expect(throws: AudioError.self) { try STFT(size: number).spectrogram(of: samples) }
      #expect(throws: AudioError.self) { try Resampler(from: number, to: 8000) }
      #expect(throws: AudioError.self) { try Resampler(from: 8000, to: number) }
      #expect(throws: AudioError.self) { try Resampler(from: 8000, to: 4000, width: number) }
      #expect(throws: AudioError.self) { try Sound(samples, rate: 8000, channels: number) }
      #expect(throws: AudioError.self) { try Sound(samples, rate: number) }
      #expect(throws: AudioError.self) {
        try MelSpectrogram(bands: number, rate: 16000, size: 16).spectrogram(of: samples)
      }
      #expect(throws: AudioError.self) {
        try STFT(size: 16, hop: 4, windowLength: number).spectrogram(of: samples)
      }
      #expect(throws: AudioError.self) {
        let mel = MelSpectrogram(bands: 4, rate: 16000, size: 16)
        return try MFCC(count: number, mel: mel).spectrogram(of: samples)
      }
      if number != Int.max {
        #expect(throws: AudioError.self) { try samples.frames(of: 4, hop: number) }
        #expect(throws: AudioError.self) {
          try STFT(size: 16, hop: number).spectrogram(of: samples)
        }
        #expect(throws: AudioError.self) {
          try MelSpectrogram(bands: 4, rate: number, size: 16).spectrogram(of: samples)
        }
        #expect(throws: AudioError.self) { try NoiseGate(threshold: 0.1, rate: number) }
        #expect(throws: AudioError.self) { try Limiter(ceiling: 0.1, rate: number) }
      }
    }
    #expect(throws: AudioError.self) { try Resampler(from: 8, to: 4, rolloff: 1e-300) }
    for highest in [1e300, 16001, .infinity, .nan] {
      #expect(throws: AudioError.self) {
        try MelFilterBank(count: 4, rate: 16000, highest: highest).weights(size: 16)
      }
    }
    #expect((try? [Float](repeating: 1, count: 3).decibels(floor: 1e38)) == [1e38, 1e38, 1e38])
    for number in [Float.nan, .infinity, -.infinity, -1, 0] {
      #expect(throws: AudioError.self) { try samples.decibels(reference: number) }
      #expect(throws: AudioError.self) { try Limiter(ceiling: number, rate: 8000) }
      #expect(throws: AudioError.self) { try Resampler(from: 8, to: 4, rolloff: Double(number)) }
      if number != 0 {
        #expect(throws: AudioError.self) { try NoiseGate(threshold: number, rate: 8000) }
        #expect(throws: AudioError.self) {
          try NoiseGate(threshold: 1, attack: Double(number), rate: 8000)
        }
        #expect(throws: AudioError.self) {
          try MelSpectrogram(bands: 4, rate: 16000, size: 16, lowest: Double(number))
            .spectrogram(of: samples)
        }
      }
      #expect(throws: AudioError.self) {
        let scale = SpectrumScale.decibels(least: number)
        return try MelSpectrogram(bands: 4, rate: 16000, size: 16, scale: scale)
          .spectrogram(of: samples)
      }
    }
  }
}
