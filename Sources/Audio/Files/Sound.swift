import CForgeSound
import Forge
import ForgeLoaders

/// A sound in memory: samples from −1 to 1, their rate, and the number of channels.
///
/// ```swift
/// let message = try Sound(contentsOf: "message.wav")
/// let voice = try message.mono().resampled(to: 16000)
/// let bars = try voice.samples.bars(40, of: .rms)
/// ```
public struct Sound: Hashable, Sendable {
  /// The samples, interleaved: those of a frame follow each other.
  public let samples: [Float]
  /// The frames per second, in hertz.
  public let rate: Int
  /// The samples of a frame.
  public let channels: Int

  /// The number of frames.
  public var frameCount: Int { samples.count / channels }
  /// The length in seconds.
  public var duration: Double { Double(frameCount) / Double(rate) }

  /// Creates a sound.
  ///
  /// - Parameters:
  ///   - samples: the samples, interleaved.
  ///   - rate: the frames per second, 1 to 4,294,967,295.
  ///   - channels: the samples of a frame, 1 to 65,535.
  /// - Throws: ``AudioError`` when a number is out of range or the samples do not fill the last
  ///   frame.
  public init(_ samples: [Float], rate: Int, channels: Int = 1) throws(AudioError) {
    try SoundFormat(rate: rate, channels: channels).check(SoundLimits(maximumChannels: 65535))
    guard samples.count.isMultiple(of: channels) else {
      throw .unevenSamples(samples.count, channels: channels)
    }
    self.samples = samples
    self.rate = rate
    self.channels = channels
  }

  /// Reads a WAV file; see ``SoundReader`` for its forms.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - limits: the most samples and channels.
  /// - Throws: ``AudioError`` when the file cannot be read, is not a WAV file, is cut off, damaged
  ///   or unsupported, or exceeds the limits.
  public init(contentsOf path: String, limits: SoundLimits = SoundLimits()) throws(AudioError) {
    do throws(AudioError) {
      try self.init(try SoundReader(contentsOf: path, limits: limits), limits: limits)
    } catch {
      throw error.named(path)
    }
  }

  /// Reads the bytes of a WAV file.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - limits: the most samples and channels.
  /// - Throws: ``AudioError``; see ``init(contentsOf:limits:)``.
  public init(bytes: [UInt8], limits: SoundLimits = SoundLimits()) throws(AudioError) {
    try self.init(try SoundReader(bytes: bytes, limits: limits), limits: limits)
  }

  /// Reads what follows in a reader.
  ///
  /// - Parameters:
  ///   - reader: the reader, which is at its end afterwards.
  ///   - limits: the most samples.
  /// - Throws: ``AudioError`` when reading fails or the samples exceed the limits.
  public init(_ reader: SoundReader, limits: SoundLimits = SoundLimits()) throws(AudioError) {
    let format = reader.format
    let most = limits.maximumSamples / format.channels
    let left = reader.frameCount.map { $0 - reader.position }
    guard (left ?? 0) <= most else {
      throw .tooManySamples(left.map { $0 * format.channels }, most: limits.maximumSamples)
    }
    // One frame more than allowed shows that a stream is too long.
    let samples = left == 0 ? [] : try reader.read(frames: left ?? most + 1)
    guard samples.count <= limits.maximumSamples else {
      throw .tooManySamples(nil, most: limits.maximumSamples)
    }
    self.samples = samples
    rate = format.rate
    channels = format.channels
  }

  /// The samples of one channel.
  ///
  /// - Parameter index: the channel, counted from 0.
  /// - Returns: a sample for each frame.
  /// - Throws: ``AudioError`` when there is no such channel.
  public func channel(_ index: Int) throws(AudioError) -> [Float] {
    guard 0..<channels ~= index else {
      throw .badArgument("the channel", index, needs: "0 to \(channels - 1)")
    }
    return stride(from: index, to: samples.count, by: channels).map { samples[$0] }
  }

  /// The mean of all channels, as one channel.
  public func mono() -> Sound {
    guard channels > 1 else { return self }
    return Sound(checked: Self.mono(samples, channels: channels), rate: rate, channels: 1)
  }

  /// A sound whose numbers fit each other.
  init(checked samples: [Float], rate: Int, channels: Int) {
    self.samples = samples
    self.rate = rate
    self.channels = channels
  }

  static func mono(_ samples: [Float], channels: Int) -> [Float] {
    Memory.filled(samples.count / channels) { out in
      samples.withUnsafeBufferPointer { samples in
        guard let from = samples.baseAddress else { return }
        forge_mono(from, Int64(samples.count / channels), Int64(channels), out)
      }
    }
  }
}
