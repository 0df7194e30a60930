import Forge
import ForgeHub
import Foundation
import Testing

/// Networks for pictures give what transformers computes for them in double precision.
@Suite struct ImageModelTests {
  struct Answer: Decodable {
    let input: [Float]
    let outputs: [String: [Float]]
  }

  struct Pairs: Decodable {
    struct Text: Decodable {
      let text: String
      let vector: [Float]
      let logits: [Float]
    }

    let pictures: [[Float]]
    let vectors: [[Float]]
    let texts: [Text]
  }

  private static func difference(_ a: [Float], _ b: [Float]) -> Float {
    guard a.count == b.count else { return .infinity }
    let scale = max(1, b.map(abs).max() ?? 0)
    return (zip(a, b).map { abs($0 - $1) }.max() ?? 0) / scale
  }

  @Test(arguments: [
    "vit-features", "vit-classes", "vit-options", "dinov2-features", "dinov2-gated",
    "dinov2-classes", "dinov2-resized", "clip-vision",
  ])
  func pictures(_ name: String) throws {
    let hub = try HubImageModel(contentsOf: Fixture.path(name))
    let network = try hub.model.compile()
    let answers: [Answer] = try Fixture.decoded("\(name)/answers.json")
    #expect(answers.count == 2)
    for answer in answers {
      let predictions = try network.predict(["pixel_values": answer.input])
      var count = 0
      for output in network.outputNames {
        let expected = try #require(answer.outputs[output], "\(output)")
        let own = try #require(predictions[output]?.values)
        #expect(Self.difference(own, expected) <= 1e-5, "\(name) \(output)")
        count += 1
      }
      #expect(count == (hub.head == .features ? 2 : 1))
    }
  }

  @Test(arguments: ["vit-classes", "dinov2-classes"]) func classes(_ name: String) throws {
    let classifier = try ImageClassifier(contentsOf: Fixture.path(name))
    let answers: [Answer] = try Fixture.decoded("\(name)/answers.json")
    #expect(classifier.labels == ["cat", "dog", "bird"])
    for answer in answers {
      let logits = try #require(answer.outputs["logits"])
      let ranks = try classifier.classify(answer.input)
      #expect(ranks.map(\.index) == logits.top(k: 3).map(\.index))
      #expect(abs(ranks.map(\.probability).reduce(0, +) - 1) < 1e-5)
      for rank in ranks {
        let sum = logits.map { exp($0 - logits[rank.index]) }.reduce(0, +)
        #expect(abs(rank.probability - 1 / sum) < 1e-5)
      }
    }
    #expect { _ = try classifier.classify([1, 2]) } throws: {
      ($0 as? HubError)?.kind == .prediction
    }
  }

  @Test(arguments: ["clip", "clip-old"]) func picturesAndTexts(_ name: String) throws {
    let answers: Pairs = try Fixture.decoded("\(name)/answers.json")
    let encoder = try ImageTextEncoder(contentsOf: Fixture.path(name))
    for (picture, vector) in zip(answers.pictures, answers.vectors) {
      #expect(Self.difference(try encoder.embed(picture: picture), vector) <= 1e-5)
    }
    let vectors = try encoder.embed(answers.texts.map(\.text))
    for (vector, text) in zip(vectors, answers.texts) {
      #expect(Self.difference(vector, text.vector) <= 1e-5, "\(text.text)")
    }
    let texts = answers.texts.map(\.text)
    for (index, picture) in answers.pictures.enumerated() {
      let logits = answers.texts.map { $0.logits[index] }
      let sums = logits.map { exp($0 - (logits.max() ?? 0)) }
      for rank in try encoder.classify(picture, as: texts) {
        let expected = sums[rank.index] / sums.reduce(0, +)
        #expect(abs(rank.probability - expected) < 1e-5)
      }
    }
  }

  // MARK: Refusals

  @Test func refusals() throws {
    let cases: [(String, String, Any?)] = [
      ("vit-features", "hidden_act", "snake"), ("vit-features", "model_type", "swin"),
      ("vit-features", "quantization_config", ["bits": 4]),
      ("vit-features", "architectures", ["ViTForSomething"]),
      ("dinov2-features", "mlp_ratio", -1), ("vit-features", "patch_size", 15),
      ("vit-features", "image_size", [14, 14, 14]), ("vit-features", "num_attention_heads", 4),
    ]
    for (folder, key, value) in cases {
      let copy = try Fixture.configured(folder, [key: value])
      #expect { _ = try HubImageModel(contentsOf: copy.path) } throws: {
        ($0 as? HubError)?.entry == key
      }
    }
    #expect { _ = try HubImageModel(contentsOf: Fixture.path("bert-features")) } throws: {
      ($0 as? HubError)?.entry == "model_type"
    }
    #expect { _ = try HubAudioModel(contentsOf: Fixture.path("bert-features")) } throws: {
      ($0 as? HubError)?.entry == "model_type"
    }
    #expect {
      _ = try HubImageModel(contentsOf: Fixture.path("vit-features"), head: .embedding)
    } throws: { ($0 as? HubError)?.kind == .unsupported }
  }

  @Test func missingFiles() throws {
    #expect { _ = try HubImageModel(contentsOf: "/no/such/folder") } throws: {
      ($0 as? HubError)?.kind == .fileMissing
    }
    let noWeights = try Fixture.changed("vit-features", ["model.safetensors": nil])
    #expect { _ = try HubImageModel(contentsOf: noWeights.path) } throws: {
      ($0 as? HubError)?.kind == .fileMissing
    }
    let noTokenizer = try Fixture.changed("clip", ["tokenizer.json": nil])
    #expect { _ = try ImageTextEncoder(contentsOf: noTokenizer.path) } throws: {
      ($0 as? HubError)?.kind == .fileMissing
    }
    // Half of a CLIP makes no vectors of texts.
    #expect { _ = try ImageTextEncoder(contentsOf: Fixture.path("clip-vision")) } throws: {
      ($0 as? HubError)?.entry == "model_type"
    }
    #expect { _ = try ImageClassifier(contentsOf: Fixture.path("clip")) } throws: {
      ($0 as? HubError)?.kind == .unsupported
    }
  }

  /// Weights of another network than the configuration's are errors of the compile.
  @Test(arguments: [
    ("vit-features", "hidden_size", 12), ("vit-features", "intermediate_size", 22),
    ("vit-features", "num_hidden_layers", 3), ("vit-features", "image_size", 21),
    ("vit-features", "patch_size", 5), ("vit-options", "qkv_bias", 1),
    ("vit-classes", "num_channels", 4), ("dinov2-gated", "mlp_ratio", 3),
    ("dinov2-resized", "image_size", 20), ("dinov2-features", "use_swiglu_ffn", 1),
    ("clip-vision", "projection_dim", 12), ("clip-vision", "hidden_size", 15),
  ])
  func otherWeights(_ folder: String, _ key: String, _ value: Int) throws {
    let isFlag = key.hasPrefix("qkv") || key.hasPrefix("use")
    let changed = try Fixture.configured(folder, [key: isFlag ? value == 1 : value])
    // What preprocessor_config.json says of the size stays right.
    let hub = try HubImageModel(contentsOf: changed.path)
    #expect(throws: CompileError.self) { _ = try hub.model.compile() }
  }

  /// Each value of a configuration, also of those in it, is replaced by each of a list; nothing
  /// traps.
  @Test(arguments: [
    "vit-options", "dinov2-gated", "dinov2-resized", "clip-vision", "clip", "whisper",
  ])
  func strangeValues(_ name: String) throws {
    let url = URL(fileURLWithPath: Fixture.path(name)).appendingPathComponent("config.json")
    let settings = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
    let values: [Any] = [
      -1, 0, 7, 65_536, Int.max, Int.min, 1e300, -0.5, "x", true, [Int](), ["a": ["b": 1]],
    ]
    let copy = try Fixture.changed(name, [:])
    let file = copy.url.appendingPathComponent("config.json")
    var (errors, others) = (0, 0)
    func attempt(_ changed: [String: Any]) throws {
      try JSONSerialization.data(withJSONObject: changed).write(to: file)
      do throws(HubError) {
        let model: Model
        switch name {
        case "whisper": model = try HubAudioModel(contentsOf: copy.path).model
        case "clip":
          _ = try HubModel(contentsOf: copy.path)
          model = try HubImageModel(contentsOf: copy.path).model
        default: model = try HubImageModel(contentsOf: copy.path).model
        }
        others += 1
        if others.isMultiple(of: 20) { _ = try? model.compile() }
      } catch {
        errors += 1
        #expect(!error.description.isEmpty)
      }
    }
    for (key, old) in settings.sorted(by: { $0.key < $1.key }) {
      for value in values {
        var changed = settings
        changed[key] = value
        try attempt(changed)
        guard let inner = old as? [String: Any] else { continue }
        for key2 in inner.keys.sorted() where key.hasSuffix("_config") {
          var part = inner
          part[key2] = value
          changed[key] = part
          try attempt(changed)
        }
      }
    }
    #expect(errors > 30)
    #expect(others > 30)
  }
}
