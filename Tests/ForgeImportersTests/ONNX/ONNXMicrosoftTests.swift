import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Operators of ONNX Runtime's domain and networks as its optimizer writes them, against ONNX
/// Runtime; Scripts/references/make_microsoft_models.py made them.
@Suite struct ONNXMicrosoftTests {
  struct Expected: Decodable {
    struct Values: Decodable {
      let sizes: [Int]
      @Numbers var values: [Float]

      /// The part at some places along an axis.
      ///
      /// Sizes that are smaller do not follow the length.
      func part(_ places: Range<Int>, axis: Int) -> (sizes: [Int], values: [Float]) {
        let range = places.clamped(to: 0..<sizes[axis])
        let inner = sizes[(axis + 1)...].reduce(1, *)
        let all = values
        var part: [Float] = []
        for outer in 0..<sizes[..<axis].reduce(1, *) {
          for place in range {
            let start = (outer * sizes[axis] + place) * inner
            part += all[start..<(start + inner)]
          }
        }
        var cut = sizes
        cut[axis] = range.count
        return (cut, part)
      }
    }

    /// How many operations are attention; `nil` if that is not asked.
    let attentions: Int?
    /// The axis of the examples by output, where the file leaves their number open.
    let apart: [String: Int]?
    let inputs: [String: Values]
    let outputs: [String: Values]
  }

  static let folder = "ONNX/Microsoft"
  static let expected: [String: Expected] =
    (try? ImporterFixtures.decode("\(folder)/cases.safetensors", as: [String: Expected].self))
    ?? [:]
  static let refusals: [String: String] =
    (try? ImporterFixtures.load("\(folder)/refusals.json", as: [String: String].self)) ?? [:]

  @Test func thereAreCases() {
    #expect(Self.expected.count == 161)
    #expect(Self.expected.values.count { $0.apart != nil } == 67)
    #expect(Self.refusals.count == 13)
  }

  private static func imported(
    _ name: String, _ sizes: [String: [InputSize]] = [:]
  ) throws -> ImportedModel {
    try ImportedModel(
      onnx: ImporterFixtures.path("\(folder)/\(name).onnx"), options: ImportOptions(sizes: sizes))
  }

  // MARK: Values

  @Test(arguments: expected.keys.sorted())
  func equalsONNXRuntime(_ name: String) throws {
    let expected = try #require(Self.expected[name])
    let imported = try Self.imported(
      name, expected.inputs.mapValues { $0.sizes.map { .exactly($0) } })
    // No drawn numbers are lengths of a past.
    let network = try imported.model.compile(
      options: CompileOptions(
        verify: name.hasPrefix("grouped_") ? .none : .samples(1), threads: .exactly(2)))
    var inputs: [String: TensorValues] = [:]
    for port in imported.inputs {
      let input = try #require(expected.inputs[port.name])
      #expect(port.sizes == input.sizes)
      inputs[port.name] = port.tensor(input.values)
    }
    let predictions = try network.predict(inputs)
    for (output, values) in expected.outputs {
      guard let port = imported.outputs.first(where: { $0.name == output }) else {
        let constant = try #require(imported.constants.first { $0.name == output })
        #expect(constant.values.floats == values.values)
        continue
      }
      #expect(port.sizes == values.sizes)
      let result: TensorValues = try #require(predictions[output])
      Self.expectSameRows(
        port.values(result), values.values, width: values.sizes.last ?? 1, "\(name): \(output)")
    }
    // The block of a GPT chooses its scores by `Where`, which no rewrite makes one step.
    guard let attentions = expected.attentions, !name.hasPrefix("gpt_") else { return }
    let steps = network.report.description.split(separator: "\n")
    #expect(steps.count { $0.contains(". attention") } == attentions, "\(steps)")
    #expect(!steps.contains { $0.contains(". softmax") }, "\(steps)")
  }

  /// Compares each row along the last axis by its own scale, so that a large one hides no other.
  private static func expectSameRows(
    _ found: [Float], _ expected: [Float], width: Int, _ comment: String
  ) {
    #expect(found.count == expected.count, "\(comment)")
    guard found.count == expected.count else { return }
    for start in stride(from: 0, to: expected.count, by: max(width, 1)) {
      let row = start..<min(start + max(width, 1), expected.count)
      expectClose(
        Array(found[row]), Array(expected[row]), relativeL2: 1e-5, "\(comment) at \(start)")
    }
  }

  // MARK: Examples and lengths

  /// A file with an open number of examples makes for each one what it makes for it alone.
  @Test(
    arguments: expected.filter { $0.value.apart != nil }.keys.sorted() + [
      "cnn_extended", "cnn_all",
    ])
  func examplesStayApart(_ name: String) throws {
    let expected = try #require(Self.expected[name])
    let imported = try Self.imported(name)
    #expect(imported.model.metadata.exampleMixer == nil)
    let network = try imported.model.compile(options: CompileOptions(threads: .exactly(1)))
    for example in 0..<2 {
      var inputs: [String: TensorValues] = [:]
      for port in imported.inputs {
        let all = try #require(expected.inputs[port.name])
        inputs[port.name] = port.tensor(all.part(example..<(example + 1), axis: 0).values)
      }
      let predictions = try network.predict(inputs)
      for port in imported.outputs {
        let axis = expected.apart?[port.name] ?? 0
        #expect(port.examples == .along(axis))
        let all = try #require(expected.outputs[port.name])
        let part = all.part(example..<(example + 1), axis: axis)
        let result: TensorValues = try #require(predictions[port.name])
        Self.expectSameRows(
          port.values(result), part.values, width: part.sizes.last ?? 1,
          "\(name): \(port.name), example \(example)")
      }
    }
  }

  /// Files in which no result depends on later positions.
  ///
  /// The first positions of a longer sequence have the results of a shorter one. The axis of the
  /// length is the second.
  static let prefixes = [
    "gelu", "bias_gelu", "fast_gelu_bias", "quick_gelu", "skip", "skip_bare", "skip_computed",
    "skip_simple", "simple", "embed", "embed_places", "attention_causal", "heads_causal",
    "rotary_joined_0", "rotary_joined_1", "rotary_first_0", "product_stored",
    "gpt_open_extended",
  ]

  @Test(arguments: prefixes)
  func followsTheLength(_ name: String) throws {
    let expected = try #require(Self.expected[name])
    // Examples are fixed, and the length is open.
    let imported = try Self.imported(
      name,
      expected.inputs.mapValues { input in
        input.sizes.enumerated().map { axis, size in
          axis == 1 && input.sizes.count > 1 ? .upTo(9) : .exactly(size)
        }
      })
    let network = try imported.model.compile(options: CompileOptions(threads: .exactly(1)))
    #expect(network.maximumLength == 9)
    let longest = try #require(expected.outputs["y"] ?? expected.outputs.values.first).sizes[1]
    for length in [longest, 1, 4, longest] {
      var inputs: [String: TensorValues] = [:]
      for port in imported.inputs {
        let all = try #require(expected.inputs[port.name])
        let part =
          all.sizes.count > 1 ? all.part(0..<length, axis: 1) : (all.sizes, all.values)
        inputs[port.name] = Self.port(port, part.0).tensor(part.1)
      }
      let predictions = try network.predict(inputs)
      for port in imported.outputs where expected.outputs[port.name]?.sizes.count ?? 0 > 1 {
        let part = try #require(expected.outputs[port.name]).part(0..<length, axis: 1)
        let result: TensorValues = try #require(predictions[port.name])
        Self.expectSameRows(
          Self.port(port, part.sizes).values(result), part.values, width: part.sizes.last ?? 1,
          "\(name): \(port.name) of \(length)")
      }
    }
  }

  /// Masks that follow the length: a masked end changes nothing before it.
  @Test(arguments: ["bert_open_extended", "bert_open_optimiser"])
  func masksFollowTheLength(_ name: String) throws {
    let expected = try #require(Self.expected[name])
    let imported = try Self.imported(
      name, expected.inputs.mapValues { [.exactly($0.sizes[0]), .upTo(9)] })
    let network = try imported.model.compile(options: CompileOptions(threads: .exactly(1)))
    for length in [7, 9] {
      var inputs: [String: TensorValues] = [:]
      for port in imported.inputs {
        let own = try #require(expected.inputs[port.name])
        // Further positions are masked.
        var values = own.values
        for row in (0..<2).reversed() {
          values.insert(contentsOf: Array(repeating: 0, count: length - 7), at: (row + 1) * 7)
        }
        inputs[port.name] = Self.port(port, [2, length]).tensor(values)
      }
      let predictions = try network.predict(inputs)
      let port = try #require(imported.outputs.first)
      let all = try #require(expected.outputs[port.name])
      let result: TensorValues = try #require(predictions[port.name])
      let found = Self.port(port, [2, length, 24]).values(result)
      for row in 0..<2 {
        let start = row * length * 24
        Self.expectSameRows(
          Array(found[start..<(start + 7 * 24)]),
          Array(all.values[(row * 7 * 24)..<((row + 1) * 7 * 24)]), width: 24,
          "\(name): row \(row) of \(length)")
      }
    }
  }

  /// The axes of a port with other sizes.
  private static func port(_ port: ImportedModel.Port, _ sizes: [Int]) -> ImportedModel.Port {
    .init(name: port.name, elementType: port.elementType, sizes: sizes, axes: port.axes)
  }

  // MARK: Refusals

  @Test(arguments: refusals.keys.sorted())
  func namesWhatItLacks(_ name: String) throws {
    let says = try #require(Self.refusals[name])
    let error = #expect(throws: ImportError.self) { try Self.imported(name) }
    #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
  }

  /// A past that is longer than its memory is an error of the prediction.
  @Test func aPastBeyondItsMemoryIsAnError() throws {
    let expected = try #require(Self.expected["grouped_next"])
    let imported = try Self.imported("grouped_next")
    let network = try imported.model.compile()
    for length: Float in [-1, 5] {
      var inputs: [String: TensorValues] = [:]
      for port in imported.inputs {
        let own = try #require(expected.inputs[port.name]).values
        inputs[port.name] = port.tensor(port.name == "x5" ? [4, length] : own)
      }
      #expect(throws: PredictionError.self) { try network.predict(inputs) }
    }
  }
}
