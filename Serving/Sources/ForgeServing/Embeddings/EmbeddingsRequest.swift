/// A request of OpenAI's `/v1/embeddings`.
package struct EmbeddingsRequest: Sendable, Hashable {
  /// The name of the model.
  package private(set) var model = ""
  /// The texts.
  package private(set) var texts: [String] = []
  /// Whether vectors are to be base64 of little-endian numbers.
  package private(set) var isBase64 = false
  /// The numbers of a vector that are kept; `nil` for all.
  package private(set) var dimensions: Int?

  /// Reads a request; fields that do not matter here, such as `user`, are left out.
  ///
  /// - Throws: ``ServingError`` of kind `invalid`, or `unsupported` for ids of tokens.
  package init(body: ArraySlice<UInt8>) throws(ServingError) {
    var cursor = JSONCursor(body)
    try cursor.object { (name, cursor) throws(ServingError) in
      switch name {
      case "model": model = try cursor.string()
      case "input": texts = try Self.texts(&cursor)
      case "encoding_format":
        let format = try cursor.string()
        guard ["float", "base64"].contains(format) else {
          throw .invalid("encoding_format is \"\(format.prefix(40))\", and must be float or base64")
        }
        isBase64 = format == "base64"
      case "dimensions":
        if try cursor.kind() == .null { try cursor.null() } else { dimensions = try cursor.count() }
      default: try cursor.skip()
      }
    }
    try cursor.end()
    guard !model.isEmpty else { throw .invalid("the request has no model") }
    guard !texts.isEmpty else { throw .invalid("the request has no input") }
  }

  private static func texts(_ cursor: inout JSONCursor) throws(ServingError) -> [String] {
    if try cursor.kind() == .string { return [try cursor.string()] }
    var texts: [String] = []
    try cursor.array { (cursor) throws(ServingError) in
      guard try cursor.kind() == .string else {
        throw ServingError(.unsupported, "the input must be texts: ids of tokens are not taken")
      }
      guard texts.count < ServedEncoder.maximumTexts else {
        throw .invalid("the input has more than \(ServedEncoder.maximumTexts) texts")
      }
      texts.append(try cursor.string())
    }
    return texts
  }
}
