import Forge

/// Why a picture cannot be read or prepared.
///
/// ```
/// cat.jpg: the JPEG file is cut off
///   received  20480 bytes
///   needs     the whole picture and its end marker
/// ```
public struct ImageError: Error, Sendable {
  /// The kinds of errors.
  public enum Kind: String, Hashable, Sendable {
    /// There is no such file.
    case fileMissing
    /// The file exists but cannot be opened or read.
    case unreadable
    /// The path is that of a folder, a device or a pipe.
    case notARegularFile
    /// The path is not a valid file name.
    case badName
    /// The picture or its file is larger than the limits allow.
    case tooLarge
    /// The bytes do not begin like those of any supported format.
    case unknownFormat
    /// The bytes end before the picture does.
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

  /// The kind of error.
  public let kind: Kind
  /// What is wrong, as a clause without a full stop.
  public let headline: String
  /// The file, as the user named it.
  public var path: String?
  /// What is needed.
  public var expected: String?
  /// What was found.
  public var received: String?
  /// What the user may do about it.
  public var remedy: String?

  init(
    _ kind: Kind, _ headline: String, path: String? = nil, received: String? = nil,
    expected: String? = nil, remedy: String? = nil
  ) {
    self.kind = kind
    self.headline = headline
    self.path = path
    self.expected = expected
    self.received = received
    self.remedy = remedy
  }
}

extension ImageError: CustomStringConvertible {
  /// The error as text: the file, what is wrong, then labelled lines.
  public var description: String {
    let details = [("received", received), ("needs", expected), ("remedy", remedy)]
      .compactMap { label, text in text.map { (label: label, text: $0) } }
    return Problem.text(headline: (path.map { "\($0): " } ?? "") + headline, details: details)
  }
}
