import Forge

/// Why a picture cannot be read or prepared.
///
/// ```
/// cat.jpg: the JPEG file is cut off
///   received  20480 bytes
///   needs     the whole picture and its end marker
/// ```
public struct ImageError: Error, Sendable {
  /// What kind of thing went wrong.
  public enum Kind: String, Hashable, Sendable {
    /// There is no such file.
    case fileMissing
    /// The file is there but cannot be opened or read.
    case unreadable
    /// The path leads to a folder, a device or a pipe.
    case notARegularFile
    /// The path cannot be the name of a file.
    case badName
    /// The picture or its file is larger than the limits allow.
    case tooLarge
    /// The bytes do not begin as any picture that Forge reads.
    case unknownFormat
    /// The bytes end before the picture does.
    case truncated
    /// The bytes are altered, or contradict themselves.
    case damaged
    /// The file is in order but uses a form that is not supported.
    case unsupported
    /// There are more or fewer pixels than width and height say.
    case wrongCount
    /// A size, a rectangle or a factor has no meaning for the picture.
    case invalidArgument
    /// There is not enough memory.
    case outOfMemory
  }

  /// What kind of thing went wrong.
  public let kind: Kind
  /// What is wrong, in a clause without a full stop.
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
  /// The error in Forge's voice: the file, what is wrong, then labelled lines.
  public var description: String {
    let details = [("received", received), ("needs", expected), ("remedy", remedy)]
      .compactMap { label, text in text.map { (label: label, text: $0) } }
    return Problem.text(headline: (path.map { "\($0): " } ?? "") + headline, details: details)
  }
}
