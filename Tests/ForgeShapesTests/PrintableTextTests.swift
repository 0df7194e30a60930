import ForgeShapes
import Testing

/// Texts of files, as messages and reports show them.
@Suite struct PrintableTextTests {
  @Test(
    arguments: [
      ("", ""), ("conv1", "conv1"), ("größe ×3 – “a”…", "größe ×3 – “a”…"),
      ("a\"b\\c", "a\"b\\c"),
      ("a\u{1B}[2J", "a\\u{1B}[2J"), ("\u{7}\u{8}\u{0}", "\\u{7}\\u{8}\\0"),
      ("a\nb\rc\td\r\n", "a\\nb\\rc\\td\\r\\n"),
      ("\u{7F}\u{9B}31m\u{85}", "\\u{7F}\\u{9B}31m\\u{85}"),
      ("abc\u{202E}gnp", "abc\\u{202E}gnp"), ("\u{2066}a\u{2069}", "\\u{2066}a\\u{2069}"),
      ("a\u{200B}b\u{FEFF}c\u{2060}", "a\\u{200B}b\\u{FEFF}c\\u{2060}"),
      ("a\u{200D}b", "a\\u{200D}b"), ("a\u{AD}b\u{2028}", "a\\u{AD}b\\u{2028}"),
      ("\u{E0041}", "\\u{E0041}"),
      // Joiners of scripts and emoji, and marks, stay.
      ("👩\u{200D}🚀", "👩\u{200D}🚀"), ("می\u{200C}خواهم", "می\u{200C}خواهم"),
      ("e\u{301}", "e\u{301}"),
    ]) func oneLine(text: String, shown: String)
  {
    #expect(Array(text.printable.unicodeScalars) == Array(shown.unicodeScalars))
    // What is escaped has nothing left to escape.
    #expect(text.printable.printable == text.printable)
  }

  @Test func linesStay() {
    #expect("a\n  b\u{1B}\r\n".printableLines == "a\n  b\\u{1B}\\u{D}\n")
  }

  @Test func json() {
    #expect("{\"a\": \"\u{9B}\u{202E}é\"}\n".printableJSON == "{\"a\": \"\\u009B\\u202Eé\"}\n")
    #expect("\u{E0041}".printableJSON == "\\uDB40\\uDC41")
  }

  /// All controls and marks of direction are escaped, and nothing that is printed in ASCII.
  @Test func everyScalar() {
    for value in UInt32(0)...0x2FFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = String(Character(scalar))
      let isControl = scalar.properties.generalCategory == .control
      let isFormat = scalar.properties.generalCategory == .format
      if isControl || (isFormat && scalar.properties.isBidiControl) {
        #expect(text.printable != text, "U+\(String(value, radix: 16))")
      }
      if (0x20..<0x7F).contains(value) { #expect(text.printable == text) }
    }
  }

  @Test func problems() {
    var problem = Problem(
      layer: .init(position: 2, name: "a\u{1B}[2J\nb", typeName: "Dense"),
      headline: "no \"\u{7}\" here",
      details: [("received", "x\u{9B}\r\nfirst"), ("needs", "one\ntwo")])
    #expect(
      problem.description == """
        layer 2 "a\\u{1B}[2J\\nb" (Dense): no "\\u{7}" here
          received  x\\u{9B}\\u{D}
                    first
          needs     one
                    two
        """)
    problem = Problem(headline: "h")
    problem.path = "a\u{202E}\n/b"
    problem.entry = "c\rd"
    #expect(problem.description == "a\\u{202E}\\n/b: c\\rd: h")
  }
}
