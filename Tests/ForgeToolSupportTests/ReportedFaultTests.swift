import ForgeTestSupport
import Foundation
import Testing

/// Faults that users of other runtimes reported, and those that attacks on Forge found.
@Suite("Reported faults") struct ReportedFaultTests {
  /// The cases of a folder that the table has no row for.
  private static func withoutRow(_ names: Set<String>) -> Set<String> {
    names.subtracting(ReportedFault.all.map(\.name))
  }

  @Test func everyFixtureHasARow() {
    let names = ReportedFault.names(in: ReportedFault.fixtures)
    #expect(names.count > 50)
    #expect(Self.withoutRow(names).isEmpty)
    #expect(Set(ReportedFault.all.map(\.name)).count == ReportedFault.all.count)
  }

  @Test(.shared("review/bugs"))
  func everyOriginalHasARow() {
    for folder in ["bugs", "attack/onnx"] {
      let names = ReportedFault.names(in: ReportedFault.originals.appending(path: folder))
      #expect(names.count > 20)
      #expect(Self.withoutRow(names).isEmpty)
    }
  }

  @Test("fixtures", arguments: ReportedFault.all.filter { $0.fixture != nil })
  func fixture(_ report: ReportedFault) throws {
    try report.check(in: try #require(report.fixture))
  }

  @Test(
    "originals", .shared("review/bugs"),
    arguments: ReportedFault.all.filter { $0.original != nil })
  func original(_ report: ReportedFault) throws {
    try report.check(in: try #require(report.original))
  }
}
