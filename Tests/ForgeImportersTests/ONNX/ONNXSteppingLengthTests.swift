import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Models with strides along their sequences, against ONNX Runtime at several lengths;
/// Scripts/references/make_stepping_exports.py made them.
@Suite struct ONNXSteppingLengthTests {
  static let folder = "ONNX/Stepping"
  static let expected = Result {
    try ImporterFixtures.decode(
      "\(folder)/expected.safetensors", as: ONNXLongLengthTests.Models.self)
  }
  /// The lengths of each network, in the order of the file's axes.
  static let sizes: [String: [InputSize]] = [
    "speech": [1, 1, .stepping(from: 80, through: 520, by: 40)],
    "unet": [1, 3, .stepping(from: 8, through: 52, by: 4)],
    "text": [1, 1, 16, .stepping(from: 16, through: 60, by: 4)],
  ]

  private static func imported(_ name: String, _ sizes: [InputSize]?) throws -> ImportedModel {
    try ImportedModel(
      onnx: ImporterFixtures.path("\(folder)/\(name).onnx"),
      options: ImportOptions(sizes: ["x": try #require(sizes)]))
  }

  @Test(arguments: ["speech_dynamo", "unet_script", "unet_dynamo", "text_script", "text_dynamo"])
  func lengthsGiveTheResultsOfONNXRuntime(_ name: String) throws {
    let expected = try #require(try Self.expected.get()[name])
    let imported = try Self.imported(name, Self.sizes[String(name.prefix { $0 != "_" })])
    let (source, output) = (imported.inputs[0], imported.outputs[0])
    let compiled = try imported.model.compile(options: CompileOptions(threads: .exactly(2)))
    // Down and up, so that a length follows longer and shorter ones.
    for place in [12, 1, 7, 2, 5, 12, 1] {
      let given = try #require(expected["\(place)"])
      let input = try #require(given.inputs["x"])
      let result = try #require(given.outputs["y"])
      let found = try compiled.predict(["x": Self.port(source, input.sizes).tensor(input.all)])
      let values: TensorValues = try #require(found["y"])
      expectClose(
        Self.port(output, result.sizes).values(values), result.values,
        relativeL2: 1e-5, maximum: 1e-4, "\(name), place \(place)")
    }
  }

  /// A port at another length.
  private static func port(_ port: ImportedModel.Port, _ sizes: [Int]) -> ImportedModel.Port {
    .init(name: port.name, elementType: port.elementType, sizes: sizes, axes: port.axes)
  }

  /// Sizes that a file computes from the length, and places that the shortest sequence has.
  @Test func sizesThatEveryLengthHasFollowIt() throws {
    func expect(
      _ name: String, _ sizes: [InputSize], lengths: [Int],
      _ rows: (_ x: [[Float]]) -> [[Float]]
    ) throws {
      let imported = try ImportedModel(
        onnx: ImporterFixtures.path("ONNX/Lengths/\(name).onnx"),
        options: ImportOptions(sizes: ["x": sizes]))
      let network = try imported.model.compile()
      for length in lengths {
        let x = (0..<length).map { row in (0..<6).map { Float(row * 7 + $0 * $0) - 20 } }
        let input = Self.port(imported.inputs[0], [1, length, 6]).tensor(x.flatMap(\.self))
        let found: TensorValues = try #require(try network.predict(["x": input])["y"])
        let expected = rows(x)
        // A single row has no axis for its place.
        let sizes = imported.outputs[0].sizes.count == 2 ? [1, 6] : [1, expected.count, 6]
        #expect(
          Self.port(imported.outputs[0], sizes).values(found) == expected.flatMap(\.self),
          "\(name), length \(length)")
      }
    }
    try expect("third", [1, .stepping(from: 4, through: 20, by: 1), 6], lengths: [20, 4, 9]) {
      [$0[3]]
    }
    for first in [2, 3] {
      let lengths = [first + 20, first, first + 8]
      try expect("half", [1, .stepping(from: first, through: 40, by: 2), 6], lengths: lengths) {
        Array($0[..<($0.count / 2)])
      }
    }
  }

  /// Lengths between the strides, and windows that the shortest does not fill.
  @Test(
    arguments: [
      ("speech_dynamo", [1, 1, .upTo(520)]), ("unet_script", [1, 3, .upTo(52)]),
      ("speech_dynamo", [1, 1, .stepping(from: 40, through: 520, by: 40)]),
      ("unet_script", [1, 3, .stepping(from: 8, through: 52, by: 2)]),
      ("text_script", [1, 1, 16, .stepping(from: 16, through: 60, by: 1)]),
    ] as [(String, [InputSize])])
  func otherLengthsAreRefused(_ name: String, _ sizes: [InputSize]) {
    let error = #expect(throws: ImportError.self) { try Self.imported(name, sizes) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("follow"))
  }
}
