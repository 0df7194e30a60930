import ForgeAudio
import ForgeShapes
import Foundation
import Testing

/// WAV files against soundfile, and those that are written.
@Suite struct WaveTests {
  static let files = [
    "uint8", "int16", "int24", "int32", "float32", "float64", "extensible16", "extensible24",
    "extensibleFloat", "rf64", "rf64Float",
  ]

  @Test(arguments: files)
  func readsWhatSoundfileWrites(_ file: String) throws {
    let bytes = try SoundFixtures.bytes("\(file).wav")
    let sound = try Sound(bytes: bytes)
    #expect(sound.rate == 11025 && sound.frameCount == 37)
    expectSameBits(sound.samples, try SoundFixtures.array("file.\(file)"))
    let path = SoundFixtures.folder.appending(path: "\(file).wav").path
    #expect(try Sound(contentsOf: path) == sound)
    // In parts of any size.
    for part in [1, 5, 36, 37, 1000] {
      let reader = try SoundReader(contentsOf: path)
      #expect(reader.frameCount == 37)
      var samples: [Float] = []
      while true {
        let some = try reader.read(frames: part)
        if some.isEmpty { break }
        samples += some
      }
      #expect(reader.position == 37)
      expectSameBits(samples, sound.samples)
    }
  }

  @Test func readsIntoMemoryOfTheCaller() throws {
    let sound = try Sound(bytes: try SoundFixtures.bytes("int16.wav"))
    let reader = try SoundReader(bytes: try SoundFixtures.bytes("int16.wav"))
    var memory = [Float](repeating: 9, count: 21)
    var span = memory.mutableSpan
    // Ten whole frames of two channels fit.
    let count = try reader.read(into: &span)
    #expect(count == 10)
    #expect(Array(memory.prefix(20)) == Array(sound.samples.prefix(20)) && memory[20] == 9)
  }

  @Test(arguments: SampleForm.allCases.filter { $0 != .int8 }, [1, 2, 3])
  func writesAndReads(_ form: SampleForm, _ channels: Int) throws {
    let samples: [Float] = (0..<30 * channels + (channels == 1 ? 1 : 0)).map { index in
      Float(Int8(truncatingIfNeeded: index * 29)) / 128
    }
    let sound = try Sound(samples, rate: 22050, channels: channels)
    let bytes = try sound.wave(as: form)
    #expect(bytes.count.isMultiple(of: 2))
    #expect(try Sound(bytes: bytes) == sound)
    let path = FileManager.default.temporaryDirectory
      .appending(path: "forge-\(form.rawValue)-\(channels)-\(UUID().uuidString).wav").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try sound.write(to: path, as: form)
    #expect([UInt8](try Data(contentsOf: URL(filePath: path))) == bytes)
  }

  @Test func integersAreRoundedAndClipped() throws {
    let sound = try Sound(
      [0, 1, -1, 2, -2, 0.5 / 32768, 1.5 / 32768, -0.6 / 32768, .nan, .infinity], rate: 8000)
    let back = try Sound(bytes: sound.wave()).samples.map { Int($0 * 32768) }
    #expect(back == [0, 32767, -32768, 32767, -32768, 0, 2, -1, 0, 32767])
    let floats = try Sound(bytes: sound.wave(as: .float32)).samples
    expectSameBits(floats, sound.samples)
  }

  @Test(arguments: SampleForm.allCases, [false, true])
  func rawSamples(_ form: SampleForm, _ isBigEndian: Bool) throws {
    let values: [Float] = [-1, -0.5, 0, 0.25, 0.5, 0.75]
    let count = form.byteCount
    var bytes: [UInt8] = []
    for value in values {
      let bits: UInt64 =
        switch form {
        case .float32: UInt64(value.bitPattern)
        case .float64: Double(value).bitPattern
        case .uint8: UInt64(128 + Int(value * 128))
        default: UInt64(bitPattern: Int64(Double(value) * exp2(Double(8 * count - 1))))
        }
      let little = (0..<count).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
      bytes += isBigEndian ? little.reversed() : little
    }
    // The bytes at the end that do not fill a sample are left out.
    let format = SoundFormat(
      rate: 8000, channels: 2, samples: form, isBigEndian: isBigEndian)
    let reader = try SoundReader(rawBytes: bytes + (count > 1 ? [7] : []), format: format)
    #expect(reader.frameCount == 3)
    #expect(try reader.read(frames: 99) == values)
    #expect(try reader.read(frames: 99).isEmpty)
  }

  /// What a program writes that does not know the length: the sound reaches to the end.
  @Test(arguments: [0, 0x7FFF_F000, 0x8000_0000, 0xFFFF_FFFF])
  func unknownLengths(_ length: Int) throws {
    var bytes = try Sound([0.25, -0.25, 0.5], rate: 8000).wave()
    for index in 0..<4 { bytes[40 + index] = UInt8(length >> (8 * index) & 255) }
    #expect(try Sound(bytes: bytes).samples == [0.25, -0.25, 0.5])
    // Behind an empty sound, chunks are no samples.
    if length == 0 {
      let empty = Array(bytes.prefix(44)) + Array("LIST".utf8) + [2, 0, 0, 0, 1, 2]
      #expect(try Sound(bytes: empty).samples.isEmpty)
    }
  }

  @Test func otherChunksAreSkipped() throws {
    let bytes = try Sound([0.25, -0.25], rate: 8000).wave()
    let list = Array("LIST".utf8) + [3, 0, 0, 0, 1, 2, 3, 0]
    let more =
      Array(bytes[..<12]) + list + Array(bytes[12..<36]) + list + Array(bytes[36...]) + list
    #expect(try Sound(bytes: more).samples == [0.25, -0.25])
  }

  @Test func pipes() throws {
    let pipe = Pipe()
    let sound = try Sound((0..<9000).map { Float($0 % 100) / 128 }, rate: 8000)
    var bytes = try sound.wave()
    // A pipe does not know its length.
    bytes.replaceSubrange(40..<44, with: [255, 255, 255, 255])
    let writer = Thread { [bytes] in
      try? pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
      try? pipe.fileHandleForWriting.close()
    }
    writer.start()
    let reader = try SoundReader(descriptor: pipe.fileHandleForReading.fileDescriptor)
    #expect(reader.frameCount == nil)
    #expect(try reader.read(frames: 100) == Array(sound.samples.prefix(100)))
    #expect(try Sound(reader).samples == Array(sound.samples.dropFirst(100)))
  }

  /// A pipe that does not block, such as one that an event loop made, is waited for.
  @Test(arguments: [nil, SoundFormat(rate: 8000, channels: 1, samples: .int16)])
  func aLateWriterOfANonBlockingPipe(_ format: SoundFormat?) throws {
    let pipe = Pipe()
    let descriptor = pipe.fileHandleForReading.fileDescriptor
    #expect(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0)
    let sound = try Sound((0..<900).map { Float($0 % 100) / 128 }, rate: 8000)
    let bytes = try sound.wave()
    let writer = Thread {
      // Each pause is within a header, a sample or the samples.
      for part in [bytes[..<5], bytes[5..<47], bytes[47..<1000], bytes[1000...]] {
        Thread.sleep(forTimeInterval: 0.02)
        let start = format == nil ? part.startIndex : max(part.startIndex, 44)
        guard start < part.endIndex else { continue }
        try? pipe.fileHandleForWriting.write(contentsOf: Data(part[start...]))
      }
      try? pipe.fileHandleForWriting.close()
    }
    writer.start()
    let reader = try SoundReader(descriptor: descriptor, format: format)
    #expect(try reader.read(frames: 100) == Array(sound.samples.prefix(100)))
    #expect(try Sound(reader).samples == Array(sound.samples.dropFirst(100)))
  }

  @Test func aDescriptorThatIsNotOpen() {
    let error = #expect(throws: AudioError.self) { try SoundReader(descriptor: -1) }
    #expect(error?.kind == .unreadable)
    #expect(error?.description.contains("the stream cannot be read") == true)
  }
}

/// Truncated, altered and crafted files: a typed error or a sound, never a trap or much memory.
@Suite struct HostileWaveTests {
  static let files = WaveTests.files + ["mulaw", "adpcm"]

  /// A sound that is read costs no more than its file.
  private func tryToRead(_ bytes: [UInt8]) {
    do throws(AudioError) {
      let sound = try Sound(bytes: bytes)
      #expect(sound.samples.count <= bytes.count)
      #expect(sound.channels > 0 && sound.rate > 0)
    } catch {
      #expect(
        [.truncated, .damaged, .unknownFormat, .unsupported, .tooLarge].contains(error.kind),
        "\(error)")
    }
  }

  @Test(arguments: WaveTests.files)
  func everyTruncationIsAnError(_ file: String) throws {
    let bytes = try SoundFixtures.bytes("\(file).wav")
    // A padding byte may be missing.
    let padded = file == "uint8" || file == "extensible24" ? 1 : 0
    for count in 0..<bytes.count - max(padded, 0) where count < bytes.count - 1 {
      let error = #expect(throws: AudioError.self) { try Sound(bytes: Array(bytes.prefix(count))) }
      guard let error else {
        Issue.record("\(file) cut to \(count) of \(bytes.count) bytes was read")
        return
      }
      #expect([.truncated, .damaged, .unknownFormat].contains(error.kind), "\(count): \(error)")
    }
  }

  @Test(arguments: files)
  func everyByteAltered(_ file: String) throws {
    let bytes = try SoundFixtures.bytes("\(file).wav")
    for place in bytes.indices.prefix(200) {
      for value in [0, 1, 2, 3, 0x7F, 0x80, 0xFE, 0xFF] as [UInt8] {
        var altered = bytes
        altered[place] = value
        tryToRead(altered)
      }
    }
  }

  @Test(arguments: files)
  func manyBytesAltered(_ file: String) throws {
    let bytes = try SoundFixtures.bytes("\(file).wav")
    var generator = SplitMix64(seed: 6)
    for _ in 0..<500 {
      var altered = bytes
      for _ in 0..<Int.random(in: 2...12, using: &generator) {
        altered[Int.random(in: 0..<min(bytes.count, 90), using: &generator)] =
          UInt8.random(in: 0...255, using: &generator)
      }
      altered.removeSubrange(Int.random(in: bytes.count / 2...bytes.count, using: &generator)...)
      tryToRead(altered)
    }
  }

  @Test func limits() throws {
    let bytes = try Sound([Float](repeating: 0, count: 100), rate: 8000, channels: 10).wave()
    let few = SoundLimits(maximumChannels: 9)
    #expect(throws: AudioError.self) { try Sound(bytes: bytes, limits: few) }
    let short = SoundLimits(maximumSamples: 99)
    #expect(throws: AudioError.self) { try Sound(bytes: bytes, limits: short) }
    #expect(try SoundReader(bytes: bytes, limits: short).read(frames: 3).count == 30)
    #expect(try Sound(bytes: bytes, limits: SoundLimits(maximumSamples: 100)).frameCount == 10)
  }

  /// A header of 44 bytes that claims two gigabytes is not believed.
  @Test func claimedLengths() throws {
    var bytes = try Sound([0], rate: 8000).wave()
    bytes.replaceSubrange(40..<44, with: [0, 0, 0, 0x70])
    let error = #expect(throws: AudioError.self) { try Sound(bytes: bytes) }
    #expect(error?.kind == .truncated)
  }
}
