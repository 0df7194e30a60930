import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Models that Keras 3 saved, against what Keras computes; Scripts/references/make_keras_models.py
/// made them.
@Suite struct KerasReferenceTests {
  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let file: String
    /// The name and the array of each input.
    let inputs: [[String]]
    /// The name and the array of each output.
    let outputs: [[String]]

    var testDescription: String { name }
  }

  static let cases = (try? ImporterFixtures.load("Keras/list.json", as: [Case].self)) ?? []

  /// An array of the fixtures, by the name of its file.
  private func array(_ name: String) throws -> NumPyArray {
    try NumPyArray(
      path: ImporterFixtures.path("Keras/arrays.npz"), entry: String(name.dropLast(4)))
  }

  @Test func thereAreCases() { #expect(Self.cases.count > 40) }

  @Test(arguments: cases)
  func equalsKeras(_ expected: Case) throws {
    try withKnownIssue("some layers, and names of outputs", isIntermittent: true) {
      try check(expected)
    } when: {
      Self.open.contains(expected.name)
    }
  }

  /// The cases that do not hold yet.
  static let open: Set<String> = [
    "Border",
    "ChannelsFirst0",
    "ChannelsFirst1",
    "ChannelsFirst2",
    "ChannelsFirst3",
    "ChannelsFirst4",
    "ChannelsFirst5",
    "ChannelsFirst6",
    "Conv1D",
    "Conv2D",
    "Dense",
    "DepthwiseConv2D",
    "Dot",
    "GlobalPooling",
    "Normalization",
    "Operation",
    "Operation0",
    "Operation1",
    "Operation2",
    "Operation3",
    "Operation4",
    "Operation5",
    "Operation6",
    "Sampling",
    "autoencoder",
    "mobile",
  ]

  private func check(_ expected: Case) throws {
    let imported = try ImportedModel(keras: ImporterFixtures.path("Keras/\(expected.file)"))
    #expect(imported.inputs.map(\.name) == expected.inputs.map { $0[0] })
    #expect(imported.outputs.map(\.name) == expected.outputs.map { $0[0] })
    var inputs: [String: TensorValues] = [:]
    for (port, input) in zip(imported.inputs, expected.inputs) {
      let values = try array(input[1])
      #expect(zip(port.sizes, values.sizes).allSatisfy { $0 == $1 || $0 == -1 })
      let own = Array(values.sizes.dropFirst())
      inputs[input[0]] = TensorValues(
        shape: Shape(sizes: own.count == 1 ? [1, 1] + own : own), values: try values.values)
    }
    for threads in [1, 3] {
      let network = try imported.model.compile(options: .init(threads: .exactly(threads)))
      let predictions = try network.predict(inputs)
      for output in expected.outputs {
        let result: TensorValues = try #require(predictions[output[0]])
        let values = try array(output[1])
        let own = Array(values.sizes.dropFirst())
        #expect(result.shape.sizes == (own.count == 1 ? [1, 1] + own : own))
        expectClose(result.values, try values.values, relativeL2: 1e-5, expected.name)
      }
    }
  }
}
