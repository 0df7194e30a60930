#if Macros
  import Foundation
  import Testing

  /// What the compiler says to wrong networks: text, line, column and fix-its.
  ///
  /// The networks are in the folder Wrong, each after a line that begins with `===`, and what is
  /// expected after a line of `---`. With `FORGE_RECORD=1` in the environment the test writes what
  /// it found, to be read before it is committed.
  @Suite struct WrongNetworkTests {
    /// A network with the messages that are expected.
    struct Case: Sendable, CustomTestStringConvertible {
      let name: String
      let source: String
      let expected: String
      var testDescription: String { name }
    }

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Wrong")

    static func cases(in file: URL) throws -> [Case] {
      try String(contentsOf: file, encoding: .utf8).components(separatedBy: "=== ").dropFirst()
        .map { part in
          let lines = part.split(separator: "\n", omittingEmptySubsequences: false)
          let end = lines.firstIndex(of: "---") ?? lines.endIndex
          let source = lines[1..<end].joined(separator: "\n")
            .trimmingCharacters(in: .newlines)
          return Case(
            name: String(lines[0]), source: source + "\n",
            expected: lines[min(end + 1, lines.endIndex)...].joined(separator: "\n")
              .trimmingCharacters(in: .newlines))
        }
    }

    static let files = ["windows", "branches", "shapes", "models", "lengths"].map {
      folder.appendingPathComponent("\($0).txt")
    }

    @Test(arguments: files) func messagesArePinned(_ file: URL) throws {
      let cases = try Self.cases(in: file)
      #expect(cases.count > 10)
      var record = ""
      for network in cases {
        let messages = Expansion(network.source).messages.joined(separator: "\n")
        #expect(messages == network.expected, "\(network.name)")
        #expect(!messages.isEmpty, "\(network.name)")
        record += "=== \(network.name)\n\(network.source)---\n\(messages)\n"
      }
      if ProcessInfo.processInfo.environment["FORGE_RECORD"] != nil {
        try record.write(to: file, atomically: true, encoding: .utf8)
      }
    }
  }
#endif
