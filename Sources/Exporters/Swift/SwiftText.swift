import ForgeShapes

/// Texts of Swift source.
///
/// Names come from files: nothing in them may end a literal, a line or a comment, or turn the
/// direction of writing.
enum SwiftText {
  /// A literal of a text.
  static func literal(_ text: String) -> String { "\"\(escaped(text))\"" }

  /// A text inside a literal.
  static func escaped(_ text: some StringProtocol) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
      case "\"": result.append(contentsOf: "\\\"".unicodeScalars)
      case "\n": result.append(contentsOf: "\\n".unicodeScalars)
      case "\r": result.append(contentsOf: "\\r".unicodeScalars)
      case "\t": result.append(contentsOf: "\\t".unicodeScalars)
      case _ where scalar.isPlain: result.append(scalar)
      default:
        let code = String(scalar.value, radix: 16, uppercase: true)
        result.append(contentsOf: "\\u{\(code)}".unicodeScalars)
      }
    }
    return String(result)
  }

  /// A text in a comment, in one line.
  static func comment(_ text: some StringProtocol) -> String { escaped(text) }

  /// A literal of a number, which has the same bits as Float.
  static func number(_ value: Float) -> String {
    guard !value.isNaN else { return ".nan" }
    return value.isInfinite ? (value < 0 ? "-.infinity" : ".infinity") : short("\(value)")
  }

  /// A literal of a number.
  static func number(_ value: Double) -> String {
    guard !value.isNaN else { return ".nan" }
    return value.isInfinite ? (value < 0 ? "-.infinity" : ".infinity") : short("\(value)")
  }

  /// `2` for `2.0`; minus zero stays, as `-0` is an integer.
  private static func short(_ text: String) -> String {
    text.hasSuffix(".0") && text != "-0.0" ? String(text.dropLast(2)) : text
  }

  /// An identifier made of a name: `conv1/relu` is `conv1Relu`.
  ///
  /// - Parameters:
  ///   - name: any text.
  ///   - fallback: the identifier of a text without a usable character.
  ///   - isType: whether it begins with a capital letter.
  /// - Returns: an identifier in ASCII that needs no backquotes where it is declared.
  static func identifier(_ name: String, fallback: String, isType: Bool = false) -> String {
    var words: [String] = [""]
    for scalar in name.unicodeScalars {
      if scalar.isIdentifierPart {
        words[words.count - 1].unicodeScalars.append(scalar)
      } else if words.last?.isEmpty == false {
        words.append("")
      }
      if words.count > 16 { break }
    }
    words.removeAll(where: \.isEmpty)
    guard var text = words.first else { return fallback }
    text = isType ? capitalized(text) : decapitalized(text)
    for word in words.dropFirst() {
      // Two numbers stay apart.
      let touches = text.last?.isNumber == true && word.first?.isNumber == true
      text += (touches ? "_" : "") + capitalized(word)
    }
    text = String(text.prefix(64))
    if text.first?.isNumber == true { text = fallback + (isType ? "" : "_") + text }
    return keywords.contains(text) ? text + (isType ? "Network" : "_") : text
  }

  private static func capitalized(_ word: String) -> String {
    word.prefix(1).uppercased() + word.dropFirst()
  }

  /// `conv` for `Conv` and `lstm` for `LSTM`; `relu6` for `ReLU6` stays readable as `reLU6`.
  private static func decapitalized(_ word: String) -> String {
    let capitals = word.prefix { $0.isUppercase || $0.isNumber }
    if capitals.count == word.count { return word.lowercased() }
    let count = max(1, capitals.count - 1)
    return word.prefix(count).lowercased() + word.dropFirst(count)
  }

  /// Words that no declaration can have as its name, and names that the written source uses.
  static let keywords: Set<String> = [
    "as", "associatedtype", "async", "await", "break", "borrowing", "case", "catch", "class",
    "consuming", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension",
    "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "indirect",
    "infix", "init", "inout", "internal", "is", "let", "nil", "nonisolated", "open", "operator",
    "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self",
    "some", "any", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
    "try", "typealias", "var", "where", "while", "_", "Any", "Self", "Type", "Protocol",
  ]
}

extension Unicode.Scalar {
  /// Whether the scalar stands for itself in a literal and a comment.
  fileprivate var isPlain: Bool {
    if isASCII { return value >= 0x20 && value != 0x7F }
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator, .spaceSeparator:
      return false
    default: return !properties.isDefaultIgnorableCodePoint
    }
  }

  /// Whether the scalar can be part of an identifier: letters and digits of ASCII.
  fileprivate var isIdentifierPart: Bool {
    ("a"..."z").contains(self) || ("A"..."Z").contains(self) || ("0"..."9").contains(self)
  }
}
