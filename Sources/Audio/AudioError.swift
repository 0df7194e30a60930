import Forge

/// Why a sound cannot be read, written or computed with.
///
/// ```
/// hello.wav: the WAV file is cut off
///   received  20480 bytes of samples
///   needs     32000 bytes
/// ```
public typealias AudioError = ForgeError<AudioErrorKind>

/// The kinds of ``AudioError``.
public enum AudioErrorKind: String, Hashable, Sendable {
  /// There is no such file.
  case fileMissing
  /// The file exists but cannot be opened, read or written.
  case unreadable
  /// The path leads to a folder, a device or a pipe.
  case notARegularFile
  /// The path is not a valid file name.
  case badName
  /// The sound, its file or its number of channels exceeds the limits.
  case tooLarge
  /// The first bytes do not match a supported format.
  case unknownFormat
  /// The bytes end before the sound is complete.
  case truncated
  /// The bytes are altered or inconsistent.
  case damaged
  /// The file is valid but uses an unsupported feature.
  case unsupported
  /// The number of samples does not match the channels or the frames.
  case wrongCount
  /// A size, a rate or a factor is invalid.
  case invalidArgument
  /// There is not enough memory.
  case outOfMemory
}
