extension DecodingError {
  /// What is wrong with a JSON text, without the words of the decoder.
  package var summary: String {
    func place(_ context: Context) -> String {
      let keys = context.codingPath.map { key in
        key.intValue.map { "[\($0)]" } ?? "\"\(key.stringValue)\""
      }
      return keys.isEmpty ? "the whole text" : keys.joined(separator: ", ")
    }
    switch self {
    case .keyNotFound(let key, _): return "no \"\(key.stringValue)\""
    case .typeMismatch(_, let context): return "a value of another type at \(place(context))"
    case .valueNotFound(_, let context): return "null at \(place(context))"
    case .dataCorrupted: return "text that is not JSON"
    @unknown default: return "text of another form"
    }
  }
}
