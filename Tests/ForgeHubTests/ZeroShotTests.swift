import Forge
import ForgeHub
import Testing

/// Labels of the caller have the scores of transformers' pipeline.
@Suite struct ZeroShotTests {
  struct Answers: Decodable {
    struct Case: Decodable {
      let text: String
      let severalMayHold: Bool
      let hypothesis: String?
      let labels: [String]
      let scores: [Float]
    }

    let labels: [String]
    let cases: [Case]
  }

  @Test(arguments: ["zero-shot", "zero-shot-first"]) func scores(_ name: String) throws {
    let answers: Answers = try Fixture.decoded("\(name)/answers.json")
    let classifier = try ZeroShotClassifier(contentsOf: Fixture.path(name))
    #expect(answers.cases.count >= 20)
    for answer in answers.cases {
      let ranks = try classifier.classify(
        answer.text, as: answers.labels, hypothesis: answer.hypothesis ?? "This example is {}.",
        severalMayHold: answer.severalMayHold)
      #expect(ranks.count == answers.labels.count)
      for rank in ranks {
        let place = try #require(answer.labels.firstIndex { $0 == rank.label })
        #expect(abs(rank.probability - answer.scores[place]) < 1e-5, "\(answer.text)")
        #expect(answers.labels[rank.index] == rank.label)
      }
      #expect(zip(ranks, ranks.dropFirst()).allSatisfy { $0.probability >= $1.probability })
    }
  }

  @Test func oneLabelAndNone() throws {
    let classifier = try ZeroShotClassifier(contentsOf: Fixture.path("zero-shot"))
    let one = try classifier.classify("Birds migrate.", as: ["birds"])
    #expect(one.count == 1)
    #expect(one == (try classifier.classify("Birds migrate.", as: ["birds"], severalMayHold: true)))
    #expect(try classifier.classify("Birds migrate.", as: []).isEmpty)
  }

  @Test func refusals() throws {
    #expect { _ = try ZeroShotClassifier(contentsOf: Fixture.path("classifier-softmax")) } throws: {
      ($0 as? HubError)?.entry == "id2label"
    }
    let classifier = try ZeroShotClassifier(contentsOf: Fixture.path("zero-shot"))
    #expect { _ = try classifier.classify("a", as: ["b"], hypothesis: "It is.") } throws: {
      ($0 as? HubError)?.entry == "hypothesis"
    }
    let long = String(repeating: "London ", count: 200)
    #expect { _ = try classifier.classify("a", as: [long]) } throws: {
      ($0 as? HubError)?.kind == .tokenizer
    }
  }
}
