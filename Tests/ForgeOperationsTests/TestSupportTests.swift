import ForgeTestSupport
import Testing

/// The helpers that tests use.
@Suite struct TestSupportTests {
  /// The numbers that the generator's other implementations give for this seed.
  @Test func splitMix64MatchesKnownSequence() {
    var generator = SplitMix64(seed: 1_234_567)
    let numbers = (0..<3).map { _ in generator.next() }
    #expect(
      numbers == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      ])
  }

  @Test func seededValuesRepeatAndCoverRange() {
    let values = seededValues(count: 10_000, seed: 7, range: -2...3)
    #expect(values == seededValues(count: 10_000, seed: 7, range: -2...3))
    #expect(values != seededValues(count: 10_000, seed: 8, range: -2...3))
    #expect(values.allSatisfy { (-2...3).contains($0) && $0 != 0 })
    #expect(values.min().map { $0 < -1.99 } == true)
    #expect(values.max().map { $0 > 2.99 } == true)
    // The mean of 10 000 numbers from −2 to 3 is 0.5 ± 0.015.
    #expect(abs(values.reduce(0, +) / 10_000 - 0.5) < 0.06)
  }

  /// Differences 0, 0.5 and −1 against √(3² + 4² + 12²) = 13 and a largest magnitude of 12.
  @Test func closenessMeasures() {
    let closeness = Closeness([3, 4.5, 11], [3, 4, 12])
    #expect(abs(closeness.relativeL2 - 1.25.squareRoot() / 13) < 1e-15)
    #expect(abs(closeness.maximum - 1.0 / 12) < 1e-15)
    #expect(closeness.worstIndex == 2)
    #expect(closeness.sameKind)
  }

  @Test func closenessOfSpecialValues() {
    #expect(Closeness([.nan, .infinity, 1], [.nan, .infinity, 1]).sameKind)
    #expect(Closeness([.nan, .infinity, 1], [.nan, .infinity, 1]).relativeL2 == 0)
    for (actual, expected) in [
      ([1, Float.nan], [1, Float(2)]), ([1, 2], [1, .nan]), ([1, .infinity], [1, -.infinity]),
      ([1, .infinity], [1, 3e38]),
    ] {
      let closeness = Closeness(actual, expected)
      #expect(!closeness.sameKind)
      #expect(closeness.worstIndex == 1)
    }
    #expect(!Closeness([1], [1, 2]).sameKind)
    #expect(Closeness([0.5], [0]).relativeL2 == 0.5)
  }

  @Test func expectClosePassesWithinItsBounds() {
    expectClose([3, 4.5, 11], [3, 4, 12], relativeL2: 0.087, maximum: 0.084)
  }

  @Test func expectCloseReportsWorstElement() {
    for (relativeL2, maximum) in [(0.085, Double.infinity), (1, 0.083)] {
      withKnownIssue {
        expectClose([3, 4.5, 11], [3, 4, 12], relativeL2: relativeL2, maximum: maximum, "logits")
      } matching: { issue in
        "\(issue)".contains("logits: relative L2 error 0.086")
          && "\(issue)".contains("worst at index 2 of 3: 11.0 instead of 12.0")
      }
    }
  }

  @Test func expectCloseDetectsNaNAndCountMismatch() {
    withKnownIssue {
      expectClose([1, .nan], [1, 2], relativeL2: 1)
    } matching: {
      "\($0)".contains("worst at index 1 of 2: nan instead of 2.0")
    }
    withKnownIssue {
      expectClose([1], [1, 2], relativeL2: 1)
    } matching: {
      "\($0)".contains("1 values instead of 2")
    }
  }

  @Test func missingFixturesAreReported() throws {
    #expect(throws: FixtureError.self) { try Fixture.load("layers").testCase("no such case") }
    let layer = try #require(try Fixture.load("layers").testCase("dense of an image").layers.first)
    #expect(try layer.count("neurons") == 11)
    #expect(throws: FixtureError.self) { try layer.count("kernel") }
    #expect(throws: FixtureError.self) { try layer.text("neurons") }
  }
}
