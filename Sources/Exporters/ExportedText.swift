/// Texts in the form in which files keep them.
enum ExportedText {
  /// A list of texts as JSON.
  static func json(_ texts: [String]) -> String {
    let quoted = texts.map { text in
      let escaped = text.unicodeScalars.map { scalar in
        switch scalar {
        case "\"", "\\": "\\\(scalar)"
        case "\u{0}"..<"\u{20}":
          "\\u" + String(repeating: "0", count: scalar.value < 16 ? 3 : 2)
            + String(scalar.value, radix: 16)
        default: "\(scalar)"
        }
      }
      return "\"\(escaped.joined())\""
    }
    return "[\(quoted.joined(separator: ", "))]"
  }
}
