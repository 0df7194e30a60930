extension StringProtocol {
  /// The text in one line, with everything escaped that a terminal, a log or a reader could take
  /// for something else: `a\u{1B}[2J\n`.
  ///
  /// Names, paths and labels come from files and command lines. Escaped are control characters,
  /// line breaks among them, characters that turn the direction of writing, and characters without
  /// width; the joiners of emoji and of Arabic and Indic scripts stay where such characters are
  /// beside them. A text without any of them stays as it is.
  package var printable: String { escaped(keepsLineBreaks: false) { "\\u{\($0)}" } }

  /// The text as ``printable``, but with its line breaks.
  package var printableLines: String { escaped(keepsLineBreaks: true) { "\\u{\($0)}" } }

  /// The text of JSON with the same characters escaped as JSON has them.
  package var printableJSON: String {
    escaped(keepsLineBreaks: true) { code in
      guard let scalar = Int(code, radix: 16), scalar > 0xFFFF else {
        return "\\u" + String(repeating: "0", count: 4 - code.count) + code
      }
      // A pair of surrogates.
      let rest = scalar - 0x10000
      return [0xD800 + rest >> 10, 0xDC00 + rest & 0x3FF]
        .map { "\\u" + String($0, radix: 16, uppercase: true) }.joined()
    }
  }

  private func escaped(keepsLineBreaks: Bool, _ escape: (String) -> String) -> String {
    let isPlain = hasOnly { byte in
      (0x20..<0x7F).contains(byte) || (keepsLineBreaks && byte == 0x0A)
    }
    if isPlain { return String(self) }
    var result = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    var scalars = unicodeScalars.makeIterator()
    var next = scalars.next()
    while let scalar = next {
      next = scalars.next()
      defer { previous = scalar }
      if keepsLineBreaks, scalar == "\n" {
        result.append(scalar)
      } else if !keepsLineBreaks, let short = scalar.shortEscape {
        result.append(contentsOf: short.unicodeScalars)
      } else if scalar.isDeceptive(between: previous, and: next) {
        let code = String(scalar.value, radix: 16, uppercase: true)
        result.append(contentsOf: escape(code).unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }
}

extension Unicode.Scalar {
  /// The escape of Swift's string literals for common control characters.
  fileprivate var shortEscape: String? {
    switch self {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    case "\0": "\\0"
    default: nil
    }
  }

  /// Whether the character acts on what is shown, or cannot be seen.
  fileprivate func isDeceptive(between previous: Self?, and next: Self?) -> Bool {
    switch value {
    // Control characters: C0, DEL and C1.
    case 0x00..<0x20, 0x7F..<0xA0: return true
    // Joiners belong to scripts and emoji; between Latin letters they only hide.
    case 0x200C, 0x200D: return (previous?.value ?? 0) < 0x300 || (next?.value ?? 0) < 0x300
    // Marks, overrides, embeddings and isolates of the direction.
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x206F: return true
    // No width: soft hyphen, fillers, spaces, invisible operators, byte order mark, annotations.
    case 0xAD, 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B...0x180F, 0x200B, 0x2060...0x2065,
      0x3164, 0xFEFF, 0xFFA0, 0xFFF9...0xFFFB, 0x1D173...0x1D17A:
      return true
    // Breaks of lines and paragraphs.
    case 0x2028, 0x2029: return true
    // Tags, which nothing shows.
    case 0xE0000...0xE007F: return true
    default: return false
    }
  }
}
