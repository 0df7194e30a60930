import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// The operators Attention and Einsum, and encoders of PyTorch, with sequences of up to 300
/// positions, against ONNX Runtime; Scripts/references/make_long_length_exports.py made them.
@Suite struct ONNXLongLengthTests {
  struct Length: Decodable {
    /// Values, or a seed of values from −1 to 1.
    struct Input: Decodable {
      let sizes: [Int]
      let seed: UInt64?
      private let values: Numbers?

      var all: [Float] {
        values?.wrappedValue ?? seededValues(count: sizes.reduce(1, *), seed: seed ?? 0)
      }
    }

    let inputs: [String: Input]
    let outputs: [String: ReferenceCase.Output]
  }

  typealias Models = [String: [String: Length]]

  static let folder = "ONNX/LongLengths"
  static let torch = Result {
    try ImporterFixtures.decode("\(folder)/torch.safetensors", as: Models.self)
  }
  static let maximum = 300
  /// Down and up, so that a length follows longer and shorter ones.
  static let lengths = [300, 1, 257, 7, 129, 40, 41, 300, 1]

  /// The sizes of the inputs, those along the length with the largest one.
  static func options(_ lengths: [String: Length]) throws -> ImportOptions {
    let (longest, shorter) = (try #require(lengths["300"]), try #require(lengths["257"]))
    return ImportOptions(
      sizes: try longest.inputs.mapValues { $0.sizes }.reduce(into: [:]) { sizes, input in
        let other = try #require(shorter.inputs[input.key]).sizes
        sizes[input.key] = zip(input.value, other).map { $0 == $1 ? .exactly($0) : .upTo($0) }
      })
  }

  /// Compares all lengths and returns the kernels of the plan.
  @discardableResult
  private func expectResults(_ name: String, _ models: Models) throws -> [String] {
    let lengths = try #require(models[name])
    let imported = try ImportedModel(
      onnx: ImporterFixtures.path("\(Self.folder)/\(name).onnx"),
      options: try Self.options(lengths))
    var kernels: [String] = []
    for disabled: Set<String> in [[], ["recognizeAttention", "recognizeNormalization"]] {
      let network = try imported.model.compile(
        options: CompileOptions(disabledRewrites: disabled, threads: .exactly(2)))
      #expect(network.maximumLength == Self.maximum)
      if disabled.isEmpty { kernels = network.report.steps.map(\.kernel) }
      for length in Self.lengths {
        let given = try #require(lengths["\(length)"])
        var inputs: [String: TensorValues] = [:]
        for port in imported.inputs {
          let input = try #require(given.inputs[port.name])
          inputs[port.name] = Self.port(port, input.sizes).tensor(input.all)
        }
        let predictions = try network.predict(inputs)
        for port in imported.outputs {
          let output = try #require(given.outputs[port.name])
          let result: TensorValues = try #require(predictions[port.name])
          expectClose(
            Self.port(port, output.sizes).values(result), output.values, relativeL2: 1e-5,
            maximum: 1e-4, "\(name): \(port.name), length \(length), without \(disabled)")
        }
      }
    }
    return kernels
  }

  /// A port at another length.
  private static func port(_ port: ImportedModel.Port, _ sizes: [Int]) -> ImportedModel.Port {
    .init(name: port.name, elementType: port.elementType, sizes: sizes, axes: port.axes)
  }

  @Test(
    arguments: [
      "masked_bool_dynamo", "masked_added_dynamo", "causal_dynamo", "einsum_script",
      "einsum_dynamo", "multihead_dynamo",
    ])
  func exportsOfPyTorch(name: String) throws {
    let kernels = try expectResults(name, try Self.torch.get())
    #expect(kernels.count { $0.hasPrefix("attention") } == 1, "\(kernels)")
    #expect(!kernels.contains { $0.hasPrefix("softmax") }, "\(kernels)")
  }

  @Test(
    arguments: [
      "grouped", "past", "heads", "masked", "crossed", "scores0", "scores1", "scores2", "scores3",
      "formulas",
    ])
  func operators(name: String) throws { try expectResults(name, try Self.torch.get()) }

  /// What ONNX pads or counts with the longest sequence is refused for one whose length varies.
  @Test(
    arguments: [
      ("masked", ["q": [1, 2, .upTo(300), 4], "m": [1, 1, .upTo(300), 300]], "mask"),
      ("heads", ["q": [1, .upTo(300), 7, 4], "k": [1, .upTo(300), 7, 4]], "heads or channels"),
      ("crossed", ["q": [1, 2, 11, .upTo(300)], "k": [1, 2, .upTo(300), 300]], "channels"),
      ("formulas", ["k": [1, 2, 300, 4]], "the formula"),
    ] as [(String, [String: [InputSize]], String)])
  func whatDoesNotFollowTheLengthIsRefused(
    _ name: String, _ sizes: [String: [InputSize]], _ text: String
  ) throws {
    var options = try Self.options(try #require(try Self.torch.get()[name]))
    options.sizes.merge(sizes) { $1 }
    let error = #expect(throws: ImportError.self) {
      try ImportedModel(
        onnx: ImporterFixtures.path("\(Self.folder)/\(name).onnx"), options: options)
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains(text))
  }
}
