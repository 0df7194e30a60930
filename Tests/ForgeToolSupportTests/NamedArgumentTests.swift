import ForgeToolSupport
import Testing

@Suite struct NamedArgumentTests {
  @Test func theNameStandsBeforeTheFirstEqualsSign() {
    #expect(NamedArgument("x=a=b.npy").name == "x")
    #expect(NamedArgument("x=a=b.npy").value == "a=b.npy")
    #expect(NamedArgument("a.npy").name == nil)
    #expect(NamedArgument("=a.npy").name == nil)
  }

  @Test func onlyKnownNamesAreNames() {
    #expect(NamedArgument("alpha=1/x.npy", names: ["x"]).name == nil)
    #expect(NamedArgument("alpha=1/x.npy", names: ["x"]).value == "alpha=1/x.npy")
    #expect(NamedArgument("a=b=x.npy", names: ["a=b"]).name == "a=b")
  }

  /// Axes that change do so together, which two ranges do not say.
  @Test func severalLengthsAreExplained() throws {
    func note(_ text: String) throws -> String? {
      NamedArgument.note(onLengthsOf: "x", try #require(NamedArgument.sizes(text)))
    }
    #expect(
      try note("1x3x32..960/32x32..960/32")
        == "the 2 axes of \"x\" that change do so together: 32×32, 64×64 … 960×960")
    #expect(
      try note("..2x10..20/10")
        == "the 2 axes of \"x\" that change do so together: 1×10, 2×20")
    #expect(try note("1x3x..96x32") == nil)
    #expect(try note("1x3x96x32") == nil)
  }

  @Test func sizesAreNumbersAboveZero() {
    #expect(NamedArgument.sizes("1x3x224x224") == [1, 3, 224, 224])
    #expect(NamedArgument.sizes("1,3×5") == [1, 3, 5])
    #expect(NamedArgument.sizes("1x..512") == [1, .upTo(512)])
    #expect(NamedArgument.sizes("..128") == [.upTo(128)])
    #expect(NamedArgument.sizes("1x5..512") == [1, .stepping(from: 5, through: 512, by: 1)])
    #expect(
      NamedArgument.sizes("400..16400/320x1") == [
        .stepping(from: 400, through: 16_400, by: 320), 1,
      ])
    #expect(NamedArgument.sizes("..64/8") == [.stepping(from: 8, through: 64, by: 8)])
    for text in [
      "..", "1x..", "..0", "..-3", "1x...5", "..x3", "5..", "5../2", "1..8/", "1..8/0", "1..8/2/2",
      "0..8", "-1..8", "1..8/-2", "1/2", "a..8", "1..8..9",
    ] {
      #expect(NamedArgument.sizes(text) == nil)
    }
    for text in ["", "x", "1x", "0x3", "-1", "1x3y", "99999999999999999999"] {
      #expect(NamedArgument.sizes(text) == nil)
    }
  }
}
