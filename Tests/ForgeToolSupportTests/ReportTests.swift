import Foundation
import Testing

/// Faults that users of other runtimes reported, and those that attacks on Forge found.
@Suite("Reports") struct ReportTests {
  /// The cases of a folder that the table has no row for.
  private static func withoutRow(_ names: Set<String>) -> Set<String> {
    names.subtracting(ReportCase.all.map(\.name))
  }

  @Test func everyFixtureHasARow() {
    let names = ReportCase.names(in: ReportCase.fixtures)
    #expect(names.count > 50)
    #expect(Self.withoutRow(names).isEmpty)
    #expect(Set(ReportCase.all.map(\.name)).count == ReportCase.all.count)
  }

  @Test(.enabled(if: ReportCase.hasOriginals, "no ../shared/review"))
  func everyOriginalHasARow() {
    for folder in ["bugs", "attack/onnx"] {
      let names = ReportCase.names(in: ReportCase.originals.appending(path: folder))
      #expect(names.count > 20)
      #expect(Self.withoutRow(names).isEmpty)
    }
  }

  @Test("fixtures", arguments: ReportCase.all.filter { $0.fixture != nil })
  func fixture(_ report: ReportCase) throws {
    try report.check(in: try #require(report.fixture))
  }

  @Test(
    "originals", .enabled(if: ReportCase.hasOriginals, "no ../shared/review"),
    arguments: ReportCase.all.filter { $0.original != nil })
  func original(_ report: ReportCase) throws {
    try report.check(in: try #require(report.original))
  }
}
