import ForgeShapes
import Testing

@Suite struct TextBytesTests {
  @Test(arguments: [
    ("", true), ("conv1/weights", true), ("\u{7F}\u{0}", true), ("é", false), ("a\u{301}", false),
    ("plain and 漢", false),
  ])
  func ascii(text: String, isASCII: Bool) {
    #expect(text.isASCII == isASCII)
    #expect(("x" + text).dropFirst().isASCII == isASCII)
  }

  @Test func bytesOfSubstrings() {
    let text = "abc\ndef"
    #expect(!text.hasOnly { $0 != 0x0A })
    #expect(text.prefix(3).hasOnly { $0 != 0x0A })
    #expect(!text.dropFirst(3).hasOnly { $0 != 0x0A })
    #expect("".hasOnly { _ in false })
  }
}
