import Forge
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
      NamedArgument.note(onLengthsOf: "x", try #require(InputSize.list(text)))
    }
    #expect(
      try note("1x3x32..960/32x32..960/32")
        == "the 2 axes of \"x\" that change do so together: 32×32, 64×64 … 960×960; "
        + "named sizes, such as (h:32..960), vary independently")
    #expect(
      try note("..2x10..20/10")
        == "the 2 axes of \"x\" that change do so together: 1×10, 2×20; "
        + "named sizes, such as (h:32..960), vary independently")
    #expect(try note("1x3x..96x32") == nil)
    #expect(try note("1x3x96x32") == nil)
  }
}
