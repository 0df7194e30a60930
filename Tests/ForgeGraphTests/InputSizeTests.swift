import ForgeGraph
import Testing

/// Sizes of inputs as texts.
@Suite struct InputSizeTests {
  /// Names in parentheses are open sizes.
  @Test func namedSizesAreOpen() {
    #expect(
      InputSize.list("1x3x(h:32..960/32)x(max w:..64)") == [
        1, 3, .open("h", 32...960, step: 32), .open("max w", 1...64),
      ])
    #expect(InputSize.list("n:1..8,4") == [.open("n", 1...8), 4])
    #expect(InputSize.list("(x:5..5)") == [.open("x", 5...5)])
    for text in [
      "(h:32)", "(:1..5)", "(h:9..5)", "(h:0..5)", "(h:1..5", "h:1..5)", "((h:1..5))", "(h)", "()",
      "(h:1..5)(w:1..5)", "(h:1..99999999999999999999)", "h:", "(h:..)", "(h:1..5/0)",
    ] {
      #expect(InputSize.list(text) == nil, "\(text)")
    }
  }

  @Test func sizesAreNumbersAboveZero() {
    #expect(InputSize.list("1x3x224x224") == [1, 3, 224, 224])
    #expect(InputSize.list("1,3×5") == [1, 3, 5])
    #expect(InputSize.list("1x..512") == [1, .upTo(512)])
    #expect(InputSize.list("..128") == [.upTo(128)])
    #expect(InputSize.list("1x5..512") == [1, .stepping(from: 5, through: 512, by: 1)])
    #expect(
      InputSize.list("400..16400/320x1") == [
        .stepping(from: 400, through: 16_400, by: 320), 1,
      ])
    #expect(InputSize.list("..64/8") == [.stepping(from: 8, through: 64, by: 8)])
    for text in [
      "..", "1x..", "..0", "..-3", "1x...5", "..x3", "5..", "5../2", "1..8/", "1..8/0", "1..8/2/2",
      "0..8", "-1..8", "1..8/-2", "1/2", "a..8", "1..8..9",
    ] {
      #expect(InputSize.list(text) == nil)
    }
    for text in ["", "x", "1x", "0x3", "-1", "1x3y", "99999999999999999999"] {
      #expect(InputSize.list(text) == nil)
    }
  }
}
