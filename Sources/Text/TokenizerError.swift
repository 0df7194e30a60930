@_exported import ForgeShapes

/// An error of a tokenizer.
public typealias TokenizerError = ForgeError<TokenizerErrorKind>

/// The kinds of ``TokenizerError``.
public enum TokenizerErrorKind: String, Hashable, Sendable {
  /// The file does not exist.
  case fileMissing
  /// The file cannot be read.
  case unreadable
  /// The bytes are not a file of the format, or the file is damaged.
  case malformed
  /// A size, a count or a depth is beyond the limits.
  case tooLarge
  /// The file uses a part or an option that ForgeText does not support.
  case unsupported
  /// A value of the file contradicts another one, or has the wrong type.
  case invalid
  /// A pattern needs more steps for a text than the limits allow.
  case tooManySteps
  /// The model has no token for a part of the text, and no unknown token.
  case unknownToken
  /// The text or its bytes cannot be encoded.
  case invalidText
  /// The text cannot be truncated to the stated length.
  case truncation
  /// An id that is not one of the vocabulary, or tokens that cannot be decoded.
  case invalidToken
}

extension ForgeError where ErrorKind == TokenizerErrorKind {
  static func malformed(_ what: String, at place: String? = nil) -> Self {
    Self(.malformed, "the file is damaged or of another format", entry: place, received: what)
  }

  static func invalid(_ place: String, _ received: String, needs: String? = nil) -> Self {
    Self(
      .invalid, "the tokenizer contradicts itself", entry: place, received: received,
      needs: needs)
  }

  static func unsupported(_ place: String, _ name: String, remedy: String? = nil) -> Self {
    Self(
      .unsupported, "ForgeText does not support this", entry: place, received: name,
      remedy: remedy)
  }

  static func tooLarge(_ what: String, _ value: Int, limit: Int, _ name: String) -> Self {
    Self(
      .tooLarge, "the tokenizer is beyond the limits", received: "\(value) \(what)",
      needs: "at most \(limit)",
      remedy: "for a file that you trust, raise \(name) in TokenizerLimits")
  }

  static func tooManySteps(_ pattern: String, limit: Int) -> Self {
    Self(
      .tooManySteps, "the pattern takes too long for this text", received: pattern,
      needs: "at most \(limit) steps",
      remedy: "for a file that you trust, raise patternSteps in TokenizerLimits")
  }

  static func noUnknownToken(_ text: String) -> Self {
    Self(
      .unknownToken, "the vocabulary has no token for a part of the text", received: text,
      needs: "an unknown token in the model")
  }

  /// The error with the path of the file that it belongs to.
  func of(_ path: String) -> Self {
    var copy = self
    copy.problem.path = copy.problem.path ?? path
    return copy
  }
}
