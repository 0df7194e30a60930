#if Macros
  import ForgeEvaluator
  import ForgeGraph
  import ForgeShapes
  import SwiftParser
  import SwiftSyntax
  import Testing

  /// The evaluator and `compile()` agree on random networks.
  @Suite struct RandomSourceTests {
    private func evaluated(_ network: RandomSource) throws -> CheckedNetwork {
      let file = Parser.parse(source: "#network " + network.source)
      let expansion = try #require(
        file.statements.first?.item.as(MacroExpansionExprSyntax.self))
      let closure = try #require(expansion.trailingClosure)
      return NetworkEvaluation(
        of: file, fileID: "App/Net.swift", filePath: nil, line: 1, column: 1
      ).check(closure, at: expansion, options: CheckOptions())
    }

    /// A mistake without the places, which are those of the source here and of this package there.
    private func sentence(_ problem: Problem) -> String {
      var problem = problem
      problem.place = nil
      return problem.description.replacing(/[\w\/.]+\.swift:\d+:\d+/, with: "PLACE")
    }

    @Test func shapesAreThoseOfCompile() throws {
      for seed in 0..<1000 {
        let network = RandomSource(seed: UInt64(seed), isWild: false)
        let inference = Inference(network.model)
        let checked = try evaluated(network)
        try #require(checked.shapes == inference.nodes.map(\.shape), "\(network.source)")
        #expect(checked.problems.map(sentence) == inference.problems.map(sentence))
        let remarks = checked.findings.filter { $0.severity == .remark }.map(\.message)
        try #require(remarks.isEmpty, "\(network.source)")
      }
    }

    @Test func mistakesAreThoseOfCompile() throws {
      var (wrong, seed) = (0, 0)
      while wrong < 300 {
        seed += 1
        try #require(seed < 5000)
        let network = RandomSource(seed: UInt64(seed), isWild: true)
        let inference = Inference(network.model)
        guard !inference.problems.isEmpty else { continue }
        wrong += 1
        let checked = try evaluated(network)
        try #require(
          checked.problems.map(sentence) == inference.problems.map(sentence), "\(network.source)")
        #expect(checked.hasErrors)
      }
    }
  }
#endif
