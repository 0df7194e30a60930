import Forge
import ForgeHub
import Foundation
import Testing

/// Folders that lie are typed errors, whatever they say.
@Suite struct HostileFolderTests {
  private func error(_ path: String, limits: HubLimits = HubLimits()) -> HubError? {
    do throws(HubError) { _ = try HubModel(contentsOf: path, limits: limits) } catch {
      return error
    }
    return nil
  }

  private func error(_ folder: TemporaryFolder, limits: HubLimits = HubLimits()) -> HubError? {
    error(folder.path, limits: limits)
  }

  // MARK: Files

  @Test func missingFiles() throws {
    #expect(error("/no/such/folder")?.kind == .fileMissing)
    let noWeights = try Fixture.changed("bert-features", ["model.safetensors": nil])
    #expect(error(noWeights)?.kind == .fileMissing)
    #expect(error(noWeights)?.needs?.contains("model.safetensors") == true)
    let noShard = try Fixture.changed(
      "bert-shards", ["model-00002-of-00003.safetensors": nil])
    #expect(error(noShard)?.kind == .fileMissing)
    #expect { _ = try TextEncoder(contentsOf: Fixture.path("bert-features")) } throws: {
      ($0 as? HubError)?.remedy?.contains("use_fast") == true
    }
  }

  @Test(arguments: [
    "", "{", "[]", "nonsense", "{\"model_type\": }", "{\"a\": 1, \"a\": 2}", "\u{0}",
    String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 100_000),
    "{\"a\": \"\\ud800\"}",
  ])
  func malformedConfigurations(_ text: String) throws {
    for file in ["config.json", "modules.json", "tokenizer_config.json"] {
      let kind = error(try Fixture.changed("sentence-mean", [file: text]))?.kind
      // An empty list of modules is the same as none.
      if text == "[]", file == "modules.json" { continue }
      #expect(kind == .malformed || kind == .tooLarge, "\(file)")
    }
  }

  @Test func sizesAreLimited() throws {
    let folder = try Fixture.changed("bert-features", [:])
    #expect(error(folder, limits: HubLimits(settingBytes: 100))?.kind == .tooLarge)
    #expect(error(folder, limits: HubLimits(layers: 1))?.kind == .invalid)
    #expect(error(folder, limits: HubLimits(channels: 14))?.kind == .invalid)
    #expect(error(folder, limits: HubLimits(vocabulary: 40))?.kind == .invalid)
    #expect(error(folder, limits: HubLimits(positions: 19))?.kind == .invalid)
    let shards = Fixture.path("bert-shards")
    #expect(error(shards, limits: HubLimits(shards: 2))?.kind == .tooLarge)
    #expect(error(shards, limits: HubLimits(shards: 3)) == nil)
  }

  @Test(arguments: ["../x.safetensors", "/etc/passwd", "", "..", "a/b", "a\u{0}b"])
  func shardsAreInTheFolder(_ name: String) throws {
    let map = try JSONSerialization.data(
      withJSONObject: ["weight_map": ["embeddings.LayerNorm.bias": name]])
    let folder = try Fixture.changed(
      "bert-shards",
      ["model.safetensors.index.json": String(decoding: map, as: UTF8.self)])
    #expect(error(folder)?.kind == .invalid)
  }

  @Test(arguments: ["../..", "/tmp", "a/../b", "./x", "a//b", "x\u{0}"])
  func modulesAreInTheFolder(_ path: String) throws {
    let json = try JSONSerialization.data(
      withJSONObject: [
        ["type": "sentence_transformers.models.Transformer", "path": path]
      ])
    let folder = try Fixture.changed(
      "sentence-mean", ["modules.json": String(decoding: json, as: UTF8.self)])
    #expect(error(folder)?.kind == .invalid)
  }

  // MARK: Values

  static let bodies = [
    "bert-sequence", "roberta-features", "distilbert-token", "mpnet-features", "albert-features",
    "electra-features", "modernbert-biases", "nomic-features", "gpt2-sequence", "qwen3-features",
    "t5-gated", "deberta-options", "bart-sequence", "gemma2-next", "gemma3-both",
  ]

  /// Each value of a configuration is replaced by each of a list.
  ///
  /// Nothing traps, whether the result makes sense or not.
  @Test(arguments: bodies) func strangeValues(_ name: String) throws {
    let url = URL(fileURLWithPath: Fixture.path(name)).appendingPathComponent("config.json")
    let settings = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
    let values: [Any] = [
      -1, 0, 7, 65_536, Int.max, Int.min, 1e300, -0.5, "x", true, [Int](), ["a": ["b": 1]],
      NSNull(),
    ]
    let copy = try Fixture.changed(name, [:])
    let file = copy.url.appendingPathComponent("config.json")
    var (errors, others) = (0, 0)
    for key in settings.keys.sorted() + ["rope_scaling", "quantization_config", "num_labels"] {
      for value in values {
        var changed = settings
        changed[key] = value
        try JSONSerialization.data(withJSONObject: changed).write(to: file)
        do throws(HubError) {
          let hub = try HubModel(contentsOf: copy.path)
          others += 1
          // Descriptions of networks find their own mistakes.
          if hub.maximumLength <= 4096, others.isMultiple(of: 4) { _ = try? hub.model.compile() }
        } catch {
          errors += 1
          #expect(!error.description.isEmpty)
        }
      }
    }
    #expect(errors > 100)
    #expect(others > 100)
  }

  @Test func refusalsNameTheValue() throws {
    let cases: [(String, String, Any?)] = [
      ("bert-features", "hidden_act", "snake"), ("bert-features", "model_type", "mamba"),
      ("bert-features", "is_decoder", true), ("bert-features", "add_cross_attention", true),
      ("bert-features", "position_embedding_type", "relative_key"),
      ("bert-features", "pruned_heads", ["0": [1]]),
      ("bert-features", "quantization_config", ["bits": 4]),
      ("bert-features", "architectures", ["BertForQuestionAnswering"]),
      ("modernbert-features", "layer_types", ["a", "b", "c", "d"]),
      ("modernbert-features", "classifier_pooling", "last"),
      ("modernbert-features", "rope_scaling", ["type": "yarn"]),
      ("nomic-features", "prenorm", true), ("nomic-features", "rotary_emb_fraction", 0.5),
      ("nomic-features", "activation_function", "geglu"),
      ("llama-features", "rope_scaling", ["rope_type": "llama3", "factor": 8]),
      ("llama-features", "rope_parameters", ["rope_type": "yarn"]),
      ("qwen2-features", "layer_types", ["sliding_attention", "full_attention"]),
      ("gemma-features", "use_bidirectional_attention", true),
      ("gemma3-features", "rope_scaling", ["rope_type": "linear", "factor": 8]),
      ("gemma3-features", "hidden_activation", "snake"),
      ("classifier-softmax", "problem_type", "several"),
      ("t5-features", "feed_forward_proj", "gated-snake"),
      ("deberta-features", "pos_att_type", ["c2p", "p2p"]),
      ("deberta-features", "conv_kernel_size", 3), ("deberta-features", "norm_rel_ebd", "batch"),
      ("deberta-features", "attention_head_size", 4), ("bart-features", "normalize_before", true),
    ]
    for (folder, key, value) in cases {
      let found = error(try Fixture.configured(folder, [key: value]))
      #expect(found?.kind == .unsupported, "\(key)")
      #expect(found?.entry?.split(separator: ".").first.map(String.init) == key, "\(key)")
      #expect(found?.path?.hasSuffix("config.json") == true, "\(key)")
    }
  }

  @Test func wording() throws {
    let found = try #require(error(try Fixture.configured("bert-features", ["hidden_size": -4])))
    let text = found.description.split(separator: "config.json: ").last.map(String.init)
    #expect(
      text == """
        hidden_size: the value is not valid here
          received  -4
          needs     a whole number from 1 to 262144
        """)
  }

  // MARK: Modules

  @Test(arguments: [
    #"[{"type": "sentence_transformers.models.WordEmbeddings", "path": ""}]"#,
    #"[{"type": "x.Transformer", "path": ""}, {"type": "x.LSTM", "path": "1_Pooling"}]"#,
    #"[{"type": "x.Transformer", "path": ""}, {"type": "x.Normalize", "path": "2_Normalize"}]"#,
    #"[{"type": "x.Transformer", "path": ""}]"#,
    #"[{"type": "x.Transformer", "path": ""}, {"type": "x.Pooling", "path": "nothing"}]"#,
    #"[{"type": "x.Transformer", "path": ""}, {"type": "x.Pooling", "path": "1_Pooling"}, "#
      + #"{"type": "x.Dense", "path": "1_Pooling"}]"#,
    #"[7]"#,
  ])
  func modulesThatForgeLacks(_ json: String) throws {
    let folder = try Fixture.changed("sentence-mean", ["modules.json": json])
    #expect { _ = try TextEncoder(contentsOf: folder.path) } throws: { error in
      guard let error = error as? HubError else { return false }
      return [.unsupported, .invalid, .malformed, .fileMissing].contains(error.kind)
    }
  }

  @Test(arguments: [
    #"{"pooling_mode": "attention"}"#, #"{"pooling_mode": 7}"#, #"{"pooling_mode": ["mean", 3]}"#,
    #"{"pooling_mode_attention": true}"#, #"{"pooling_mode_mean_tokens": "yes"}"#, "[]",
  ])
  func poolingThatForgeLacks(_ json: String) throws {
    let folder = try Fixture.changed("sentence-mean", ["1_Pooling/config.json": json])
    #expect { _ = try TextEncoder(contentsOf: folder.path) } throws: { $0 is HubError }
  }

  // MARK: Weights

  /// Weights of another network than the configuration's are errors of the compile.
  @Test(arguments: [
    ("bert-features", "hidden_size", 12), ("bert-features", "vocab_size", 42),
    ("bert-features", "num_hidden_layers", 3), ("bert-features", "intermediate_size", 22),
    ("bert-features", "max_position_embeddings", 21), ("mpnet-features", "hidden_size", 12),
    ("modernbert-features", "norm_bias", 1), ("modernbert-biases", "mlp_bias", 0),
    ("nomic-features", "intermediate_size", 22), ("t5-features", "d_kv", 5),
    ("t5-features", "relative_attention_num_buckets", 12), ("bart-features", "d_model", 30),
    ("deberta-features", "position_buckets", 10), ("deberta-options", "type_vocab_size", 3),
  ])
  func otherWeights(_ folder: String, _ key: String, _ value: Int) throws {
    let isFlag = key.hasSuffix("_bias")
    let changed = try Fixture.configured(folder, [key: isFlag ? value == 1 : value])
    let hub = try HubModel(contentsOf: changed.path)
    #expect(throws: CompileError.self) { _ = try hub.model.compile() }
  }

  @Test func truncatedWeights() throws {
    let folder = try Fixture.changed("bert-features", [:])
    let url = folder.url.appendingPathComponent("model.safetensors")
    let bytes = try Data(contentsOf: url)
    for count in [0, 7, 8, 100, bytes.count - 1] {
      try bytes.prefix(count).write(to: url)
      #expect(error(folder)?.kind == .malformed, "\(count)")
    }
  }
}
