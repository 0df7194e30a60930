import CForgeSound

/// The form of one sample in a file.
public enum SampleForm: String, Hashable, Sendable, CaseIterable {
  /// 8 bits without a sign, 128 for silence, as in WAV files.
  case uint8
  /// 8 bits with a sign, in raw files.
  case int8
  /// 16 bits with a sign.
  case int16
  /// 24 bits with a sign, in three bytes.
  case int24
  /// 32 bits with a sign.
  case int32
  /// 32-bit floating point, −1 to 1 for full scale.
  case float32
  /// 64-bit floating point; read as `Float`.
  case float64

  /// The bytes of a sample.
  public var byteCount: Int {
    switch self {
    case .uint8, .int8: 1
    case .int16: 2
    case .int24: 3
    case .int32, .float32: 4
    case .float64: 8
    }
  }

  /// Whether the samples are floating point.
  public var isFloat: Bool { self == .float32 || self == .float64 }

  /// The name that C has for the form.
  var code: Int32 {
    let form =
      switch self {
      case .uint8: FORGE_SAMPLES_U8
      case .int8: FORGE_SAMPLES_I8
      case .int16: FORGE_SAMPLES_I16
      case .int24: FORGE_SAMPLES_I24
      case .int32: FORGE_SAMPLES_I32
      case .float32: FORGE_SAMPLES_F32
      case .float64: FORGE_SAMPLES_F64
      }
    return Int32(form.rawValue)
  }
}

/// What the bytes of a sound mean.
public struct SoundFormat: Hashable, Sendable {
  /// The frames per second, in hertz.
  public var rate: Int
  /// The samples of a frame: 1 for mono, 2 for stereo.
  public var channels: Int
  /// The form of a sample.
  public var samples: SampleForm
  /// Whether the highest byte of a sample comes first; WAV files have the lowest first.
  public var isBigEndian: Bool

  /// Creates a format.
  ///
  /// - Parameters:
  ///   - rate: the frames per second, in hertz.
  ///   - channels: the samples of a frame.
  ///   - samples: the form of a sample.
  ///   - isBigEndian: whether the highest byte of a sample comes first.
  public init(
    rate: Int, channels: Int = 1, samples: SampleForm = .int16, isBigEndian: Bool = false
  ) {
    self.rate = rate
    self.channels = channels
    self.samples = samples
    self.isBigEndian = isBigEndian
  }

  /// The bytes of a frame.
  var frameBytes: Int { channels.multipliedSaturated(by: samples.byteCount) }

  /// Throws unless rate and channels are numbers that a sound can have.
  func check(_ limits: SoundLimits) throws(AudioError) {
    guard 1...Int(UInt32.max) ~= rate else {
      throw .badFormat("rate", rate, needs: "1 to 4294967295 frames per second")
    }
    guard channels >= 1 else {
      throw .badFormat("number of channels", channels, needs: "at least 1")
    }
    guard channels <= limits.maximumChannels else {
      throw .tooManyChannels(channels, most: limits.maximumChannels)
    }
  }
}

/// Limits on the size of a sound, checked before memory is allocated.
///
/// A ``SoundReader`` reads in parts and needs at most 64 KiB besides what it returns, whatever a
/// file claims. A ``Sound`` holds all samples, at most ``maximumSamples``.
public struct SoundLimits: Hashable, Sendable {
  /// The maximum number of samples of a ``Sound``, of all channels together.
  public let maximumSamples: Int
  /// The maximum number of channels.
  public let maximumChannels: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - maximumSamples: the maximum number of samples of a ``Sound``: 2²⁸ by default, 46 minutes
  ///     of stereo at 48 kHz; at most 2⁴⁰.
  ///   - maximumChannels: the maximum number of channels, 256 by default and at most 65,535.
  public init(maximumSamples: Int = 1 << 28, maximumChannels: Int = 256) {
    self.maximumSamples = min(maximumSamples, 1 << 40)
    self.maximumChannels = min(maximumChannels, 65535)
  }
}
