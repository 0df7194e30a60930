import Forge

/// Why a picture cannot be read or prepared.
///
/// ```
/// cat.jpg: the JPEG file is cut off
///   received  20480 bytes
///   needs     the whole picture and its end marker
/// ```
public typealias ImageError = ForgeError<ImageErrorKind>

/// The kinds of ``ImageError``.
public enum ImageErrorKind: String, Hashable, Sendable {
  /// There is no such file.
  case fileMissing
  /// The file exists but cannot be opened or read.
  case unreadable
  /// The path leads to a folder, a device or a pipe.
  case notARegularFile
  /// The path is not a valid file name.
  case badName
  /// The picture, its file or the cost of decoding exceeds the limits.
  case tooLarge
  /// The first bytes do not match any supported format.
  case unknownFormat
  /// The bytes end before the picture is complete.
  case truncated
  /// The bytes are altered or inconsistent.
  case damaged
  /// The file is valid but uses an unsupported feature.
  case unsupported
  /// The number of pixels does not match width and height.
  case wrongCount
  /// A size, a rectangle or a factor is invalid for the picture.
  case invalidArgument
  /// There is not enough memory.
  case outOfMemory
}
