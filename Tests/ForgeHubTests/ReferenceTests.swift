import Forge
import ForgeHub
import Testing

/// Networks of random weights give what transformers computes for them in double precision.
@Suite struct ReferenceTests {
  /// The largest difference, relative to the largest number of an output where that is above 1.
  static let tolerance: Float = 1e-5

  static let architectures = [
    "bert-features", "bert-sequence", "bert-token", "bert-shards",
    "roberta-features", "roberta-sequence", "roberta-token", "xlm-roberta-features",
    "distilbert-features", "distilbert-sequence", "distilbert-token",
    "mpnet-features", "mpnet-sequence", "mpnet-token",
    "albert-features", "albert-sequence", "albert-token",
    "electra-features", "electra-sequence", "electra-token", "electra-equal",
    "modernbert-features", "modernbert-sequence", "modernbert-token", "modernbert-biases",
    "nomic-features", "nomic-names", "bert-legacy",
    "gpt2-features", "gpt2-sequence", "gpt2-token", "gpt2-next", "gpt2-options",
    "llama-features", "llama-sequence", "llama-token", "llama-next", "llama-options",
    "qwen2-features", "qwen3-features", "mistral-features",
    "gemma-features", "gemma-sequence", "gemma-token", "gemma-next", "gemma2-next",
    "gemma2-options", "gemma3-features", "gemma3-sequence", "gemma3-next", "gemma3-both",
    "t5-features", "t5-gated", "t5-silu", "t5-token", "mt5-features", "umt5-features",
    "deberta-features", "deberta-sequence", "deberta-token", "deberta-options", "deberta-keys",
    "deberta-queries", "deberta-plain",
    "bart-features", "bart-sequence", "bart-options",
  ]

  static let activations = [
    "gelu", "gelu_10", "gelu_accurate", "gelu_fast", "gelu_new", "gelu_python",
    "gelu_python_tanh", "gelu_pytorch_tanh", "laplace", "leaky_relu", "linear", "mish",
    "quick_gelu", "relu", "relu2", "relu6", "sigmoid", "silu", "swish", "tanh",
  ]

  @Test(arguments: architectures) func architecture(_ name: String) throws {
    try check(name)
  }

  @Test(arguments: activations) func activation(_ name: String) throws {
    try check("activation-\(name)")
  }

  private func check(_ name: String) throws {
    let answers = try Fixture.answers(name)
    // Sequences without padding need no mask; padded ones do, and others may have one.
    for inputs: HubInputs in [.types, [.types, .mask]] {
      let hub = try HubModel(contentsOf: Fixture.path(name), inputs: inputs)
      let network = try hub.model.compile()
      var count = 0
      for answer in answers where answer.mask == nil || inputs.contains(.mask) {
        let predictions = try network.predict(answer.inputs(of: hub))
        let output = try #require(predictions[hub.head.outputName]?.values)
        try #require(output.count == answer.output.count)
        let scale = max(1, answer.output.map(abs).max() ?? 0)
        let difference = zip(output, answer.output).map { abs($0 - $1) }.max() ?? .infinity
        #expect(
          difference <= Self.tolerance * scale, "\(name), length \(answer.ids.count), \(inputs)")
        count += 1
      }
      #expect(count >= 1)
    }
  }
}
