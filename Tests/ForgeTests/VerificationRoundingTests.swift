import Forge
import ForgeTestSupport
import Testing

/// What Float32 itself loses is not a mistake of a plan, and hides none.
@Suite struct VerificationRoundingTests {
  private func options(_ fault: (@Sendable (inout [Float]) -> Void)? = nil) -> CompileOptions {
    var options = CompileOptions(verify: .samples(2))
    if let fault { options.backend = ReferenceBackend(fault: fault) }
    return options
  }

  /// Softmax of scores under a mask of −10⁹ at every key: Float32 swallows the scores.
  private func masked() -> Model {
    let x = Input(shape: [5, 7], name: "x")
    return Model(
      input: x,
      output: x --> Add(constant: [Float](repeating: -1e9, count: 7), name: "scores")
        --> Softmax(name: "weights"))
  }

  /// Sums in a row, whose roundings add up.
  private func chain() -> Model {
    let x = Input(shape: [3, 4], name: "x")
    let step = x --> Multiply(constant: [1e-3]) --> Add(constant: [0.37])
    var sum = x
    for _ in 0..<1000 { sum = [sum, step] --> Add() }
    return Model(input: x, output: sum)
  }

  @Test func swallowedScoresAreNoMistake() throws {
    let verification = try #require(try masked().compile(options: options()).report.verification)
    // Double precision keeps the scores.
    #expect(verification.errors.allSatisfy { $0.relativeL2 > 0.01 && $0.checked <= 1e-5 })
  }

  /// A hundredth of one of the swallowed weights is not explained by Float32.
  @Test func aMistakeBehindAMaskIsFound() throws {
    let fault: @Sendable (inout [Float]) -> Void = { values in
      // What Float32 gives, but for one value.
      for index in values.indices { values[index] = 1 / 7 }
      values[3] *= 1.01
    }
    #expect(throws: CompileError.self) { try masked().compile(options: options(fault)) }
  }

  @Test func longChainsOfSumsAreNoMistake() throws {
    let errors = try #require(try chain().compile(options: options()).report.verification).errors
    #expect(errors.allSatisfy { $0.checked <= 1e-5 })
  }

  @Test func aMistakeBehindALongChainIsFound() throws {
    let fault: @Sendable (inout [Float]) -> Void = { $0[1] *= 1.01 }
    #expect(throws: CompileError.self) { try chain().compile(options: options(fault)) }
  }

  /// Numbers of uneven scale may overflow where those of one scale do not.
  @Test func overflowIsNoMistake() throws {
    let x = Input(shape: [9, 4], name: "x")
    let powers = x --> Unary(.exponential)
    let network = try Model(
      inputs: [x], outputs: [powers, [powers, powers] --> Multiply()]
    ).compile(options: options())
    #expect(network.report.verification?.errors.allSatisfy { $0.checked <= 1e-5 } == true)
  }

  /// Rounded references round every result, and what is beyond Float32 becomes infinite.
  @Test func theRoundedReferenceIsThatOfFloat32() throws {
    let x = Input(shape: [2, 2], name: "x")
    let network = try Model(
      input: x, output: x --> Add(constant: [1e9]) --> Subtract(constant: [1e9])
    ).compile(options: options())
    let error = try #require(network.report.verification?.errors.first)
    #expect(error.relativeL2 > 0.1)
    #expect(error.checked <= 1e-5)
  }
}
