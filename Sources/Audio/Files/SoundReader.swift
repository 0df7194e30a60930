import CForgeSound
import Forge

/// Reads a sound in parts, with bounded memory: a WAV file, raw samples, or a pipe.
///
/// ```swift
/// let reader = try SoundReader(contentsOf: "lecture.wav")
/// while true {
///   let part = try reader.read(frames: 16000)
///   if part.isEmpty { break }
///   print(part.rms())
/// }
/// ```
///
/// WAV files are RIFF, RF64 and BW64, plain or extensible, with integers of 8, 16, 24 and 32 bits
/// or floats of 32 and 64 bits, at any rate and with up to ``SoundLimits/maximumChannels``
/// channels. If a header does not state the length, as in sound written to a pipe, the sound
/// extends to the end of the file.
///
/// Samples are interleaved: those of a frame follow each other. Integers are divided by 2^(bits −
/// 1), so they are from −1 to just below 1. Floats are not changed, not even NaN and
/// infinities.
///
/// One thread uses a reader at a time.
public final class SoundReader {
  /// The format of the samples.
  public let format: SoundFormat
  /// The number of frames; `nil` in a stream that does not state it.
  public let frameCount: Int?
  /// The frames that have been read.
  public private(set) var position = 0

  private let bytes: SoundBytes
  private let path: String?
  private var buffer: [UInt8] = []
  private static let bufferBytes = 1 << 16

  /// Opens a WAV file.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - limits: the most channels.
  /// - Throws: ``AudioError`` when the file cannot be read, is not a WAV file, is cut off or
  ///   damaged, or has samples of an unsupported kind.
  public convenience init(
    contentsOf path: String, limits: SoundLimits = SoundLimits()
  ) throws(AudioError) {
    do throws(AudioError) {
      try self.init(wave: SoundBytes(path: path), path: path, limits)
    } catch {
      throw error.named(path)
    }
  }

  /// Reads the bytes of a WAV file.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - limits: the most channels.
  /// - Throws: ``AudioError``; see ``init(contentsOf:limits:)``.
  public convenience init(
    bytes: [UInt8], limits: SoundLimits = SoundLimits()
  ) throws(AudioError) {
    try self.init(wave: SoundBytes(bytes), path: nil, limits)
  }

  /// Opens a file of samples without a header.
  ///
  /// - Parameters:
  ///   - path: the file. Bytes after the last whole frame are ignored.
  ///   - format: what the bytes mean.
  ///   - limits: the most channels.
  /// - Throws: ``AudioError`` when the file cannot be read or the format is out of range.
  public convenience init(
    raw path: String, format: SoundFormat, limits: SoundLimits = SoundLimits()
  ) throws(AudioError) {
    do throws(AudioError) {
      try self.init(raw: SoundBytes(path: path), path: path, format, limits)
    } catch {
      throw error.named(path)
    }
  }

  /// Reads samples without a header from memory.
  ///
  /// - Parameters:
  ///   - bytes: the samples. Bytes after the last whole frame are ignored.
  ///   - format: what the bytes mean.
  ///   - limits: the most channels.
  /// - Throws: ``AudioError`` when the format is out of range.
  public convenience init(
    rawBytes bytes: [UInt8], format: SoundFormat, limits: SoundLimits = SoundLimits()
  ) throws(AudioError) {
    try self.init(raw: SoundBytes(bytes), path: nil, format, limits)
  }

  /// Reads a pipe, a socket or a device, such as the output of `arecord`.
  ///
  /// A read waits until all frames that it was asked for have arrived, or the stream has ended.
  ///
  /// - Parameters:
  ///   - descriptor: the open descriptor: 0 for standard input. The caller closes it after use.
  ///   - format: what the bytes mean; `nil` if they begin with the header of a WAV file.
  ///   - limits: the most channels.
  /// - Throws: ``AudioError`` when the stream cannot be read or is not a WAV file, or the format is
  ///   out of range.
  public convenience init(
    descriptor: Int32, format: SoundFormat? = nil, limits: SoundLimits = SoundLimits()
  ) throws(AudioError) {
    let bytes = SoundBytes(descriptor: descriptor)
    if let format {
      try self.init(raw: bytes, path: nil, format, limits)
    } else {
      try self.init(wave: bytes, path: nil, limits)
    }
  }

  private init(wave bytes: SoundBytes, path: String?, _ limits: SoundLimits) throws(AudioError) {
    let header = try WaveHeader(bytes, limits: limits)
    format = header.format
    frameCount = header.byteCount.map { $0 / header.format.frameBytes }
    self.bytes = bytes
    self.path = path
  }

  private init(
    raw bytes: SoundBytes, path: String?, _ format: SoundFormat, _ limits: SoundLimits
  ) throws(AudioError) {
    try format.check(limits)
    self.format = format
    frameCount = bytes.remaining.map { $0 / format.frameBytes }
    self.bytes = bytes
    self.path = path
  }

  /// Reads the frames that follow.
  ///
  /// - Parameter count: the most frames to read, at least 1.
  /// - Returns: the samples, interleaved: `count` frames, fewer at the end, none after it.
  /// - Throws: ``AudioError`` when the file cannot be read or ends before the length that it
  ///   states, or there is not enough memory.
  public func read(frames count: Int) throws(AudioError) -> [Float] {
    guard count >= 1 else { throw .badArgument("the number of frames", count, needs: "at least 1") }
    let count = frameCount.map { min(count, $0 - position) } ?? count
    // A stream may end at once, so that memory grows with what has arrived.
    var samples: [Float] = []
    var left = count
    while left > 0 {
      let part = min(left, max((1 << 20) / format.channels, 1))
      let before = samples.count
      let added = part * format.channels
      try Memory.check(floats: before + added)
      samples.append(contentsOf: repeatElement(0, count: added))
      let found = try samples.withUnsafeMutableBufferPointer { all throws(AudioError) in
        try read(into: UnsafeMutableBufferPointer(rebasing: all[before...]))
      }
      samples.removeLast(added - found * format.channels)
      if found < part { break }
      left -= part
    }
    return samples
  }

  /// Reads the frames that follow into memory of the caller, without allocations after the first.
  ///
  /// - Parameter samples: receives the samples, interleaved, for as many whole frames as fit.
  /// - Returns: the number of frames, smaller than what fits only at the end.
  /// - Throws: ``AudioError`` when the file cannot be read or ends before the length that it
  ///   states.
  public func read(into samples: inout MutableSpan<Float>) throws(AudioError) -> Int {
    try samples.withUnsafeMutableBufferPointer { samples throws(AudioError) in
      try read(into: samples)
    }
  }

  private func read(into samples: UnsafeMutableBufferPointer<Float>) throws(AudioError) -> Int {
    if buffer.isEmpty {
      buffer = [UInt8](repeating: 0, count: max(Self.bufferBytes, format.frameBytes))
    }
    let fitting = samples.count / format.channels
    let wanted = frameCount.map { min(fitting, $0 - position) } ?? fitting
    let most = buffer.count / format.frameBytes
    var done = 0
    while done < wanted {
      let frames = min(wanted - done, most)
      let found = try buffer.withUnsafeMutableBufferPointer { buffer throws(AudioError) in
        let part = UnsafeMutableRawBufferPointer(
          UnsafeMutableBufferPointer(rebasing: buffer.prefix(frames * format.frameBytes)))
        do throws(AudioError) { return try bytes.read(into: part) } catch {
          throw error.named(path)
        }
      }
      let wholeFrames = found / format.frameBytes
      buffer.withUnsafeBytes { buffer in
        guard let from = buffer.baseAddress, let to = samples.baseAddress else { return }
        forge_samples_read(
          SoundLevel.current, format.samples.code, format.isBigEndian,
          from.assumingMemoryBound(to: UInt8.self), Int64(wholeFrames * format.channels),
          to + done * format.channels)
      }
      done += wholeFrames
      position += wholeFrames
      if wholeFrames < frames {
        // A file that became shorter, or a pipe that closed early.
        if let frameCount {
          throw AudioError.cutOffSamples(
            position * format.frameBytes, needs: frameCount * format.frameBytes
          ).named(path)
        }
        break
      }
    }
    return done
  }
}
