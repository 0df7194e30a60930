import CForgeSound
import ForgeAudio
import Foundation
import Testing

/// Functions of samples, at every level, on lengths around a vector's and on hostile numbers.
@Suite struct SampleTests {
  static let hostile: [Float] = [
    0, -0.0, 1, -1, 0.5, -0.5, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, -1e-40,
    .leastNormalMagnitude, .greatestFiniteMagnitude, 1e-10, -1e-5, 32767, 0.999_999_94,
  ]
  static let counts = [0, 1, 2, 15, 16, 17, 31, 32, 33, 101]

  private func samples(_ count: Int) -> [Float] {
    (0..<count).map { index -> Float in
      if index % 3 == 2 { return Self.hostile[index / 3 % Self.hostile.count] }
      return Float(sin(Double(index * index) * 0.37))
    }
  }

  private func expectAlike(
    _ function: ([Float]) throws -> [Float], within bound: Float = 0, _ formula: (Float) -> Float
  ) throws {
    for count in Self.counts + [Self.hostile.count * 3] {
      let samples = samples(count)
      for level in levels {
        let values = try SoundLevel.$forced.withValue(level) { try function(samples) }
        #expect(values.count == count)
        for (sample, value) in zip(samples, values) {
          let wanted = formula(sample)
          #expect(
            value == wanted || (value.isNaN && wanted.isNaN)
              || abs(value - wanted) <= max(bound, 1.2e-7 * abs(wanted)),
            "\(sample) became \(value), not \(wanted)")
        }
      }
      let first = try function(samples)
      for level in levels {
        expectSameBits(try SoundLevel.$forced.withValue(level) { try function(samples) }, first)
      }
    }
  }

  @Test func simpleFunctions() throws {
    try expectAlike({ $0.absolute() }) { abs($0) }
    try expectAlike({ $0.clipped(to: -0.5...0.25) }) { $0 < -0.5 ? -0.5 : $0 > 0.25 ? 0.25 : $0 }
    try expectAlike({ $0.gated(below: 0.3) }) { abs($0) < 0.3 ? 0 : $0 }
  }

  @Test func decibels() throws {
    try expectAlike({ try $0.decibels() }, within: 2e-5) { sample in
      sample.isNaN ? sample : max(Float(20 * log10(abs(Double(sample)))), -100)
    }
    try expectAlike({ try $0.decibels(reference: 32768, floor: -60) }, within: 2e-5) { sample in
      sample.isNaN ? sample : max(Float(20 * log10(abs(Double(sample)) / 32768)), -60)
    }
    try expectAlike({ try $0.powerDecibels(reference: 0.1, floor: -90) }, within: 5e-5) { sample in
      sample.isNaN || sample < 0
        ? (sample < 0 ? -90 : sample) : max(Float(10 * log10(Double(sample) / 0.1)), -90)
    }
    // A floor below what a Float holds.
    #expect(try [Float(0)].decibels(floor: -2000)[0] >= -2000)
  }

  @Test func integers() {
    let samples = (0..<101).map { Int16(truncatingIfNeeded: $0 * 7919 - 32768) }
    for level in levels {
      let floats = SoundLevel.$forced.withValue(level) { samples.floats() }
      #expect(floats == samples.map { Float($0) / 32768 })
    }
    #expect([Int16.min, -1, 0, Int16.max].floats(scale: 1) == [-32768, -1, 0, 32767])
  }

  @Test func peakAndRMS() {
    for count in Self.counts {
      let samples = (0..<count).map { Float(sin(Double($0) * 1.7)) }
      let squares = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
      for level in levels {
        SoundLevel.$forced.withValue(level) {
          #expect(samples.peak() == samples.reduce(0) { max($0, abs($1)) })
          #expect(samples.rms() == (count == 0 ? 0 : Float((squares / Double(count)).squareRoot())))
        }
      }
    }
    for place in [0, 5, 16, 30, 36] {
      var samples = [Float](repeating: 2, count: 37)
      samples[place] = .nan
      for level in levels {
        SoundLevel.$forced.withValue(level) {
          #expect(samples.peak().isNaN && samples.rms().isNaN)
        }
      }
    }
  }

  @Test(arguments: BarValue.allCases)
  func bars(_ value: BarValue) throws {
    for (count, bars) in [(100, 7), (7, 7), (3, 7), (1, 3), (1000, 1), (1031, 40)] {
      let samples = (0..<count).map { Float(sin(Double($0 * $0))) }
      let expected = (0..<bars).map { bar -> Float in
        let start = bar * count / bars
        let part = samples[start..<max((bar + 1) * count / bars, start + 1)].map { Double($0) }
        let squares = part.map { $0 * $0 }
        return switch value {
        case .mean: Float(part.reduce(0, +) / Double(part.count))
        case .max: Float(part.max() ?? 0)
        case .rms: Float((squares.reduce(0, +) / Double(part.count)).squareRoot())
        }
      }
      for level in levels {
        let values = try SoundLevel.$forced.withValue(level) { try samples.bars(bars, of: value) }
        expectClose(values, expected, within: 1e-7)
      }
    }
    #expect(try [Float]().bars(3, of: value) == [0, 0, 0])
    let broken = try [1, 1, 1, .nan, 1, 1].bars(3, of: value)
    #expect(broken[0] == 1 && broken[1].isNaN && broken[2] == 1)
  }

  @Test func mono() throws {
    #expect(try [1, 3, -2, 0].mono(channels: 2) == [2, -1])
    #expect(try [1, 3, -2, 0].mono(channels: 1) == [1, 3, -2, 0])
    #expect(try Sound([1, 2, 6], rate: 8, channels: 3).mono().samples == [3])
  }

  @Test func frames() throws {
    let samples: [Float] = [1, 2, 3, 4, 5, 6, 7]
    #expect(try samples.frames(of: 3, hop: 2) == [1, 2, 3, 3, 4, 5, 5, 6, 7])
    #expect(try samples.frames(of: 7, hop: 9) == samples)
    #expect(try samples.frames(of: 8, hop: 1).isEmpty)
    #expect(try samples.frames(of: 3, hop: 4, window: .hann.symmetric) == [0, 2, 0, 0, 6, 0])
  }

  @Test func gate() throws {
    let samples = (0..<4000).map { index in
      Float(sin(Double(index) * 0.3)) * (index < 1000 || index >= 3000 ? 0.5 : 0.001)
    }
    var gate = try NoiseGate(threshold: 0.05, attack: 0.001, release: 0.01, rate: 16000)
    let whole = gate.process(samples)
    #expect(abs(whole[900] - samples[900]) < 1e-3 && abs(whole[3900] - samples[3900]) < 1e-3)
    #expect(whole[2000..<3000].allSatisfy { abs($0) < 1e-4 })
    var again = try NoiseGate(threshold: 0.05, attack: 0.001, release: 0.01, rate: 16000)
    expectSameBits(
      again.process(Array(samples.prefix(777))) + again.process(Array(samples.dropFirst(777))),
      whole)
    // At once: each sample alone.
    var hard = try NoiseGate(threshold: 0.5, attack: 0, release: 0, rate: 8)
    #expect(hard.process([0.1, 0.6, -0.7, 0.4]) == [0, 0.6, -0.7, 0])
  }

  @Test func limiter() throws {
    let samples = (0..<2000).map { Float(sin(Double($0) * 0.05)) * Float($0) / 1000 }
    var limiter = try Limiter(ceiling: 0.8, release: 0.02, rate: 16000)
    let whole = limiter.process(samples)
    #expect(whole.allSatisfy { abs($0) <= 0.8 } && whole.peak() > 0.79)
    #expect(Array(whole.prefix(500)) == Array(samples.prefix(500)))
    var again = try Limiter(ceiling: 0.8, release: 0.02, rate: 16000)
    expectSameBits(
      again.process(Array(samples.prefix(99))) + again.process(Array(samples.dropFirst(99))), whole)
    var hostile = try Limiter(ceiling: 0.5, rate: 16000)
    let values = hostile.process([.infinity, -.infinity, .nan, 0.25, .greatestFiniteMagnitude])
    #expect(values[0] == 0.5 && values[1] == -0.5 && values[2].isNaN && values[3] == 0.25)
    #expect(abs(values[4] - 0.5) < 1e-6)
  }
}
