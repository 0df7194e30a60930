import Forge
import ForgeHub
import Foundation
import Testing

/// Labels, scores and entities are those of transformers' pipelines and of CrossEncoder.
@Suite struct ClassifierTests {
  private struct Labels: Decodable {
    struct Score: Decodable {
      let label: String
      let score: Float
    }
    let texts: [String]
    let labels: [[Score]]
  }

  @Test(arguments: ["classifier-softmax", "classifier-sigmoid", "classifier-regression"])
  func labels(_ name: String) throws {
    let answers: Labels = try Fixture.decoded("\(name)/answers.json")
    let classifier = try TextClassifier(contentsOf: Fixture.path(name))
    let own = try classifier.classify(answers.texts)
    try #require(own.count == answers.texts.count)
    for (own, answer) in zip(own, answers.labels) {
      try #require(own.map(\.label) == answer.map(\.label))
      for (own, answer) in zip(own, answer) {
        #expect(abs(own.probability - answer.score) < 1e-5)
      }
    }
    #expect(try classifier.classify(answers.texts[0]) == own[0])
  }

  private struct Ranks: Decodable {
    let query: String
    let texts: [String]
    let scores: [Float]
    let ranks: [Int]
  }

  @Test(arguments: ["reranker", "reranker-identity"]) func ranks(_ name: String) throws {
    let answers: Ranks = try Fixture.decoded("\(name)/answers.json")
    let reranker = try Reranker(contentsOf: Fixture.path(name))
    let scores = try reranker.scores(of: answers.texts, for: answers.query)
    #expect(zip(scores, answers.scores).allSatisfy { abs($0 - $1) < 1e-5 })
    let ranks = try reranker.rank(answers.texts, for: answers.query)
    #expect(ranks.map(\.index) == answers.ranks)
    #expect(ranks.map(\.score) == ranks.map { scores[$0.index] })
    let best = try reranker.rank(answers.texts, for: answers.query, count: 2)
    #expect(best == Array(ranks.prefix(2)))
    #expect(try reranker.rank([], for: answers.query).isEmpty)
  }

  @Test func severalLabelsAreNoScore() {
    #expect { _ = try Reranker(contentsOf: Fixture.path("classifier-softmax")) } throws: {
      ($0 as? HubError)?.kind == .unsupported
    }
  }

  /// The functions of older folders are in config.json.
  @Test func functionsOfOlderCrossEncoders() throws {
    let answers: Ranks = try Fixture.decoded("reranker-identity/answers.json")
    let folder = try Fixture.configured(
      "reranker", ["sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity"])
    let plain = try Fixture.configured(
      "reranker",
      ["sentence_transformers": ["activation_fn": "torch.nn.modules.linear.Identity"]])
    for folder in [folder, plain] {
      let settings = #"{"prompts": {}}"#
      let url = folder.url.appendingPathComponent("config_sentence_transformers.json")
      try settings.write(to: url, atomically: true, encoding: .utf8)
      let scores = try Reranker(contentsOf: folder.path)
        .scores(of: answers.texts, for: answers.query)
      #expect(zip(scores, answers.scores).allSatisfy { abs($0 - $1) < 1e-5 })
    }
  }

  private struct Entities: Decodable {
    struct Entity: Decodable {
      let label: String
      let score: Float
      let start: Int
      let end: Int
    }
    let texts: [String]
    let entities: [String: [[Entity]]]
  }

  @Test(arguments: [
    ("simple", TokenClassifier.WordLabel.token), ("first", .first), ("average", .mean),
    ("max", .maximum),
  ])
  func entities(_ strategy: String, _ label: TokenClassifier.WordLabel) throws {
    let answers: Entities = try Fixture.decoded("entities/answers.json")
    let classifier = try TokenClassifier(contentsOf: Fixture.path("entities"), wordLabel: label)
    let own = try classifier.entities(in: answers.texts)
    let expected = try #require(answers.entities[strategy])
    var count = 0
    for (text, (own, answer)) in zip(answers.texts, zip(own, expected)) {
      let scalars = text.unicodeScalars
      func place(_ index: String.Index) -> Int {
        scalars.distance(from: scalars.startIndex, to: index)
      }
      #expect(own.map(\.label) == answer.map(\.label), "\(text)")
      #expect(own.map { place($0.range.lowerBound) } == answer.map(\.start), "\(text)")
      #expect(own.map { place($0.range.upperBound) } == answer.map(\.end), "\(text)")
      #expect(zip(own, answer).allSatisfy { abs($0.score - $1.score) < 1e-5 }, "\(text)")
      #expect(own.allSatisfy { String(text[$0.range]) == $0.text })
      count += own.count
    }
    #expect(count > 4)
  }
}
