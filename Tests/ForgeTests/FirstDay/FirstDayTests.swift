import Foundation
import Testing

/// The calls of a new user's first day and every sentence they lead to.
///
/// `FORGE_RECORD_SENTENCES=1` writes the file of expectations anew, to be read before it is kept.
@Suite struct FirstDayTests {
  private static let path = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Fixtures/first_day.txt").standardizedFileURL

  @Test func everySentence() throws {
    if ProcessInfo.processInfo.environment["FORGE_RECORD_SENTENCES"] != nil {
      try FirstDayCase.sheet.write(to: Self.path, atomically: true, encoding: .utf8)
    }
    let sheet = try String(contentsOf: Self.path, encoding: .utf8)
    var expected: [String: String] = [:]
    for part in sheet.split(separator: "### ") {
      let lines = part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      expected[String(lines[0])] = String(lines[1].dropLast())
    }
    #expect(expected.count == FirstDayCase.all.count)
    for example in FirstDayCase.all {
      #expect(example.text == expected[example.name], "\(example.name)")
    }
  }
}
