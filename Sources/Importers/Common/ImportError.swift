import Forge

/// An error of an importer.
public typealias ImportError = ForgeError<ImportErrorKind>

/// The kinds of ``ImportError``.
public enum ImportErrorKind: String, Hashable, Sendable {
  /// The file does not exist.
  case fileMissing
  /// The file cannot be read.
  case unreadable
  /// The bytes are not a file of the format, or the file is damaged.
  case malformed
  /// A count, a size or a depth is beyond the caller's limits.
  case tooLarge
  /// The model uses operators or attributes that Forge does not have.
  case unsupported
  /// A node does not fit its inputs.
  case invalidNode
  /// A parameter is missing or has another shape.
  case parameter
  /// A size that the import needs is not known.
  case unknownSize
  /// An argument of the import names nothing in the file.
  case unknownName
}
