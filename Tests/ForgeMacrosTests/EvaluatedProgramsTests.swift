#if Macros
  import ForgeEvaluator
  import Foundation
  import SwiftParser
  import SwiftSyntax
  import Testing

  /// The evaluator against compiled programs; Scripts/check evaluator makes them and runs this.
  @Suite struct EvaluatedProgramsTests {
    private struct Program: Decodable {
      let seed: Int
      let body: String
      let results: [String]
      let values: [String]
    }

    /// The least share of values that must be known, in percent.
    private static let floor = 90

    /// IEEE 754 leaves the sign of a NaN that arithmetic makes to the machine and the compiler.
    private static func withoutSignOfNaN(_ text: String) -> String {
      text.replacingOccurrences(of: "-nan", with: "nan")
    }

    private static let path = ProcessInfo.processInfo.environment["FORGE_PROGRAMS"]

    @Test(.enabled(if: path != nil)) func valuesAreThoseOfTheProgram() throws {
      let data = try Data(contentsOf: URL(fileURLWithPath: try #require(Self.path)))
      let programs = try JSONDecoder().decode([Program].self, from: data)
      try #require(!programs.isEmpty)
      var (total, known) = (0, 0)
      for program in programs {
        let results = program.results.joined(separator: ", ")
        let values = try evaluated("\(program.body)\n  return (\(results))")
        try #require(values.count == program.values.count, "seed \(program.seed)")
        for (index, value) in values.enumerated() {
          total += 1
          guard let value else { continue }
          known += 1
          #expect(
            Self.withoutSignOfNaN(value) == Self.withoutSignOfNaN(program.values[index]),
            "seed \(program.seed): \(program.results[index])")
        }
      }
      print("values: \(total), known: \(known * 100 / total) %")
      #expect(known * 100 >= Self.floor * total)
    }
  }

  /// The values that the body of a closure returns in a tuple; `nil` for each that is not known.
  func evaluated(_ body: String) throws -> [String?] {
    let file = Parser.parse(source: "#network {\n\(body)\n}")
    let expansion = try #require(file.statements.first?.item.as(MacroExpansionExprSyntax.self))
    let closure = try #require(expansion.trailingClosure)
    return NetworkEvaluation(
      of: file, fileID: "App/Net.swift", filePath: nil, line: 1, column: 1
    ).shownValues(of: closure)
  }
#endif
