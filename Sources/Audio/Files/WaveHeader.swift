import Forge

/// What precedes the samples of a WAV file: RIFF, RF64 or BW64, plain or extensible.
struct WaveHeader {
  /// The format of the samples.
  let format: SoundFormat
  /// The bytes of the samples; `nil` if they reach to the end of the file.
  let byteCount: Int?

  /// The smallest length that programs write when they do not know it.
  ///
  /// espeak-ng writes 0x7FFFF000, arecord 0x80000000, others the largest number or a little less.
  private static let unknownLength = 0x7FFF_F000
  /// The most chunks before the samples.
  private static let mostChunks = 4096

  /// Reads the header and leaves `bytes` at the first sample.
  init(_ bytes: SoundBytes, limits: SoundLimits) throws(AudioError) {
    let start = LittleEndianBytes(try bytes.read(12))
    guard !start.bytes.isEmpty else { throw .emptyFile() }
    guard let name = start.text(at: 0), start.text(at: 8) == "WAVE",
      ["RIFF", "RF64", "BW64"].contains(name)
    else {
      guard start.text(at: 0) != "RIFX" else { throw .unsupported("RIFX, which is big-endian") }
      throw .notAWave("\"\(String(decoding: start.bytes.prefix(4), as: UTF8.self).printable)\"")
    }
    var format: SoundFormat?
    var longLength: Int?
    for _ in 0..<Self.mostChunks {
      let head = LittleEndianBytes(try bytes.read(8))
      guard let chunk = head.text(at: 0), let length = head.number(at: 4) else {
        throw .cutOffHeader(format == nil ? "fmt " : "data")
      }
      if chunk == "data" {
        guard let format else { throw .damaged("samples before their format", needs: "fmt first") }
        self.format = format
        let stated = length == 0xFFFF_FFFF ? longLength ?? length : length
        byteCount = try Self.length(stated, isLong: longLength != nil, bytes, format)
        return
      }
      // What is used of these chunks is short, and the rest is skipped.
      let used = ["fmt ", "ds64"].contains(chunk) ? min(length, 64) : 0
      let content = LittleEndianBytes(try bytes.read(used))
      guard content.bytes.count == used, try bytes.skip(length - used) else {
        throw .cutOffHeader(chunk)
      }
      if !length.isMultiple(of: 2) { _ = try bytes.skip(1) }
      if chunk == "fmt " {
        guard format == nil else { throw .damaged("two chunks \"fmt \"", needs: "one") }
        format = try Self.format(content, length: length, limits)
      }
      if chunk == "ds64", name != "RIFF" {
        guard let long = content.longNumber(at: 8) else {
          throw .damaged("a chunk \"ds64\" of \(length) bytes", needs: "28 bytes")
        }
        longLength = long
      }
    }
    throw .damaged("more than \(Self.mostChunks) chunks before the samples")
  }

  private static func format(
    _ chunk: LittleEndianBytes, length: Int, _ limits: SoundLimits
  ) throws(AudioError) -> SoundFormat {
    guard let tag = chunk.short(at: 0), let channels = chunk.short(at: 2),
      let rate = chunk.number(at: 4), let block = chunk.short(at: 12),
      let bits = chunk.short(at: 14)
    else { throw .damaged("a chunk \"fmt \" of \(length) bytes", needs: "16 bytes or more") }
    var kind = tag
    if tag == 0xFFFE {
      // The extensible form has the tag in the first bytes of a GUID whose others are fixed.
      guard let inner = chunk.short(at: 24), chunk.bytes.count >= 40 else {
        throw .damaged("an extensible format of \(length) bytes", needs: "40 bytes")
      }
      guard Array(chunk.bytes[26..<40]) == Self.guid else {
        throw .unsupported("an extensible format of unknown kind")
      }
      kind = inner
    }
    guard channels > 0 else { throw .damaged("0 channels", needs: "at least 1") }
    guard channels <= limits.maximumChannels else {
      throw .tooManyChannels(channels, most: limits.maximumChannels)
    }
    guard rate > 0 else { throw .damaged("0 frames per second", needs: "at least 1") }
    let width = (bits + 7) / 8
    guard bits > 0, block == channels * width else {
      throw .damaged(
        "frames of \(block) bytes for \(AudioError.counted(channels, "channel")) of \(bits) bits",
        needs: "\(channels * width) bytes")
    }
    // Samples of 20 bits, say, fill the upper bits of 24.
    let samples: SampleForm? =
      switch (kind, width) {
      case (1, 1): .uint8
      case (1, 2): .int16
      case (1, 3): .int24
      case (1, 4): .int32
      case (3, 4): .float32
      case (3, 8): .float64
      default: nil
      }
    guard let samples else {
      throw .unsupported(
        "samples of kind \(kind)\(Self.names[kind].map { " (\($0))" } ?? "") with \(bits) bits",
        needs: "integers of 8 to 32 bits, or floats of 32 or 64")
    }
    return SoundFormat(rate: rate, channels: channels, samples: samples)
  }

  private static let guid: [UInt8] = [
    0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71,
  ]
  private static let names = [
    2: "ADPCM", 6: "A-law", 7: "µ-law", 17: "IMA ADPCM", 49: "GSM", 80: "MPEG", 85: "MP3",
  ]

  /// The bytes of the samples.
  ///
  /// A program that writes to a pipe does not know the length, and one that was stopped has not
  /// filled it in. In both files the samples reach to the end. A length of 0 with chunks behind it
  /// is right: there are no samples, and the chunks are not sound.
  private static func length(
    _ length: Int, isLong: Bool, _ bytes: SoundBytes, _ format: SoundFormat
  ) throws(AudioError) -> Int? {
    guard let available = bytes.remaining else {
      return length == 0 || (!isLong && length >= unknownLength)
        ? nil : length / format.frameBytes * format.frameBytes
    }
    if length == 0 {
      return try hasChunksToEnd(bytes) ? 0 : available / format.frameBytes * format.frameBytes
    }
    if !isLong, length >= unknownLength, length > available {
      return available / format.frameBytes * format.frameBytes
    }
    guard length <= available else { throw .cutOffSamples(available, needs: length) }
    return length / format.frameBytes * format.frameBytes
  }

  /// Whether chunks begin here and end with the file.
  ///
  /// The names of chunks are printable ASCII. Samples that pass for one have a length that does not
  /// lead to the next.
  private static func hasChunksToEnd(_ bytes: SoundBytes) throws(AudioError) -> Bool {
    guard let available = bytes.remaining else { return false }
    var offset = 0
    for _ in 0..<mostChunks where offset < available {
      guard let head = try bytes.peek(at: offset, 8),
        head.prefix(4).allSatisfy({ (0x20...0x7E).contains($0) }),
        let length = LittleEndianBytes(head).number(at: 4), length <= available - offset - 8
      else { return false }
      // The last chunk may lack its padding.
      offset = min(offset + 8 + length + length % 2, available)
    }
    return offset >= available
  }
}

/// Little-endian numbers at places that may lie outside.
struct LittleEndianBytes {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func short(at position: Int) -> Int? {
    guard position >= 0, position <= bytes.count - 2 else { return nil }
    return Int(bytes[position]) | Int(bytes[position + 1]) << 8
  }

  func number(at position: Int) -> Int? {
    guard let low = short(at: position), let high = short(at: position + 2) else { return nil }
    return low | high << 16
  }

  /// A number of 64 bits, the largest `Int` in place of larger ones.
  func longNumber(at position: Int) -> Int? {
    guard let low = number(at: position), let high = number(at: position + 4) else { return nil }
    return Int(clamping: UInt64(low) | UInt64(high) << 32)
  }

  func text(at position: Int) -> String? {
    guard position >= 0, position <= bytes.count - 4 else { return nil }
    return String(decoding: bytes[position..<position + 4], as: UTF8.self)
  }
}
