import Foundation

/// The samples of a WAV file, from -1 to 1: 16-bit PCM, 16 kHz, one channel.
struct Wave {
  /// The longest file in bytes: about two hours.
  static let maximumByteCount = 1 << 28
  /// The smallest length that programs write into a header when they do not know it.
  ///
  /// espeak-ng writes 0x7FFFF000, arecord 0x80000000, others the largest number or a little less.
  static let unknownLength = 0x7FFF_F000

  /// The samples.
  let samples: [Float]

  /// Reads a file.
  init(path: String) throws {
    let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let attributes: [FileAttributeKey: Any]
    do {
      attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    } catch {
      throw WaveError(path, .unreadable, received: "no such file", needs: "a WAV file")
    }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw WaveError(path, .unreadable, received: "no regular file", needs: "a WAV file")
    }
    let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
    guard size <= Self.maximumByteCount else {
      throw WaveError(
        path, .tooLong, received: "\(size) bytes", needs: "at most \(Self.maximumByteCount)")
    }
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch {
      throw WaveError(path, .unreadable, received: "no permission to read", needs: "a WAV file")
    }
    try self.init(bytes: [UInt8](data), path: path)
  }

  /// Reads the bytes of a file.
  init(bytes: [UInt8], path: String) throws {
    let reader = ByteReader(bytes: bytes)
    guard reader.text(at: 0) == "RIFF", reader.text(at: 8) == "WAVE" else {
      throw WaveError(path, .noWave, received: "other bytes", needs: "RIFF and WAVE at the start")
    }
    var isRight = false
    var position = 12
    // Chunks: a name, a length, and so many bytes, padded to an even number.
    while let name = reader.text(at: position), let length = reader.number(at: position + 4) {
      let start = position + 8
      switch name {
      case "fmt ":
        try Self.check(reader, at: start, length: length, path)
        isRight = true
      case "data":
        guard isRight else {
          throw WaveError(path, .noFormat, received: "samples first", needs: "a chunk \"fmt \"")
        }
        samples = try Self.samples(reader, at: start, length: length, path)
        return
      default: break
      }
      // 32-bit numbers: the sum cannot overflow.
      position = start + length + length % 2
    }
    throw WaveError(
      path, isRight ? .noSamples : .noFormat, received: "the end of the file",
      needs: isRight ? "a chunk \"data\"" : "a chunk \"fmt \"")
  }

  /// Checks the format: PCM, in the plain or the extensible form.
  private static func check(
    _ reader: ByteReader, at start: Int, length: Int, _ path: String
  ) throws {
    guard length >= 16, let tag = reader.short(at: start),
      let channels = reader.short(at: start + 2),
      let rate = reader.number(at: start + 4), let bits = reader.short(at: start + 14)
    else {
      throw WaveError(
        path, .cutOff, received: "a chunk \"fmt \" of \(length) bytes", needs: "16 bytes or more")
    }
    // The extensible form has the tag in its first subformat bytes.
    let format = tag == 0xFFFE && length >= 40 ? reader.short(at: start + 24) ?? tag : tag
    guard format == 1 else {
      throw WaveError(path, .wrongFormat, received: "format \(format)", needs: "PCM, which is 1")
    }
    guard bits == 16 else {
      throw WaveError(path, .wrongBits, received: "\(bits) bits per sample", needs: "16")
    }
    guard channels == 1 else {
      throw WaveError(path, .wrongChannels, received: "\(channels) channels", needs: "1")
    }
    guard rate == FrontEnd.rate else {
      throw WaveError(
        path, .wrongRate, received: "\(rate) samples per second", needs: "\(FrontEnd.rate)")
    }
  }

  private static func samples(
    _ reader: ByteReader, at start: Int, length: Int, _ path: String
  ) throws -> [Float] {
    let available = max(reader.bytes.count - start, 0)
    // A program that writes to a pipe does not know the length, and one that was stopped has not
    // filled it in. In both files the samples reach to the end. A length of 0 with chunks behind it
    // is right: there are no samples, and the chunks are not sound.
    let isUnknown =
      length == 0
      ? !reader.hasChunksToEnd(from: start) : length >= unknownLength && length > available
    guard isUnknown || length <= available else {
      throw WaveError(
        path, .cutOff, received: "\(available) bytes of samples", needs: "\(length)")
    }
    let count = (isUnknown ? available : length) / 2
    guard count > 0 else {
      throw WaveError(path, .noSamples, received: "no sample", needs: "at least one")
    }
    return (0..<count).map { index in
      let bits = reader.short(at: start + 2 * index) ?? 0
      return Float(Int16(truncatingIfNeeded: bits)) / 32768
    }
  }
}

/// Little-endian numbers at places that may lie outside.
private struct ByteReader {
  let bytes: [UInt8]

  func short(at position: Int) -> Int? {
    guard position >= 0, position <= bytes.count - 2 else { return nil }
    return Int(bytes[position]) | Int(bytes[position + 1]) << 8
  }

  func number(at position: Int) -> Int? {
    guard let low = short(at: position), let high = short(at: position + 2) else { return nil }
    return low | high << 16
  }

  func text(at position: Int) -> String? {
    guard position >= 0, position <= bytes.count - 4 else { return nil }
    return String(decoding: bytes[position..<position + 4], as: UTF8.self)
  }

  /// Whether chunks begin at a position and end with the file.
  ///
  /// The names of chunks are printable ASCII. Samples that pass for one have a length that does not
  /// lead to the next.
  func hasChunksToEnd(from position: Int) -> Bool {
    var position = position
    repeat {
      guard let length = number(at: position + 4),
        bytes[position..<position + 4].allSatisfy({ (0x20...0x7E).contains($0) }),
        length <= bytes.count - position - 8
      else { return false }
      // The last chunk may lack its padding.
      position = min(position + 8 + length + length % 2, bytes.count)
    } while position < bytes.count
    return true
  }
}
