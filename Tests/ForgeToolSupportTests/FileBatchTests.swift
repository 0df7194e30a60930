import Forge
import ForgeImporters
import ForgeToolSupport
import Foundation
import Testing

/// Files that fix a batch of images, in the world of the file, against ONNX Runtime;
/// Scripts/references/make_onnx_batches.py made them.
@Suite struct FileBatchTests {
  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    /// The examples that Forge finds; 0 for a file that is imported as it is.
    let batch: Int
    let model: Data
    let inputs: [String: StatedGraphTests.Stored]
    let outputs: [String: StatedGraphTests.Stored]
    var testDescription: String { name }
  }

  static let cases: [Case] = {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/batches.json")
    return (try? JSONDecoder().decode([Case].self, from: Data(contentsOf: path))) ?? []
  }()

  static let batches = cases.filter { $0.batch > 0 }

  @Test func thereAreCases() {
    #expect(Self.cases.count == 133)
    #expect(Self.batches.count == 63)
  }

  private func imported(
    _ test: Case, sizes: [String: [InputSize]] = [:]
  ) throws -> ImportedModel {
    try ImportedModel(
      onnx: Array(test.model), name: test.name, options: ImportOptions(sizes: sizes))
  }

  private func network(_ imported: ImportedModel) throws -> NetworkRun {
    try NetworkRun(imported) {
      try imported.model.compile(options: CompileOptions(threads: .exactly(1)))
    }
  }

  private func arrays(
    _ run: NetworkRun, _ inputs: [String: StoredTensor]
  ) throws -> [String: StoredTensor] {
    let given = inputs.mapValues { NetworkRun.Given.array($0) }
    let arrays = try run.arrays(of: run.results(run.examples(given)))
    return Dictionary(arrays.map { ($0.name, $0.array) }) { first, _ in first }
  }

  private func isClose(_ found: StoredTensor?, _ expected: StoredTensor) -> Bool {
    guard let found, found.sizes == expected.sizes, found.elementType == expected.elementType
    else { return false }
    return zip(found.floats, expected.floats).allSatisfy { abs($0 - $1) <= 1e-5 * max(abs($1), 1) }
  }

  /// Arrays with the file's sizes go in and come out, whether or not its batch is one.
  @Test(arguments: cases)
  func isAsInTheFile(_ test: Case) throws {
    let imported = try imported(test)
    let expected = test.batch > 0 ? test.batch : nil
    for port in imported.inputs + imported.outputs { #expect(port.batchSize == expected) }
    let found = try arrays(try network(imported), try test.inputs.mapValues { try $0.tensor() })
    #expect(Set(found.keys) == Set(test.outputs.keys))
    for (name, stored) in test.outputs {
      #expect(isClose(found[name], try stored.tensor()), "\(name): \(found[name]?.floats ?? [])")
    }
  }

  /// As many layers compute a batch of 2, 3 and 7.
  @Test func layersAreNotRepeated() throws {
    for name in ["all pixels", "attention", "a token folded", "two inputs", "a recurrent layer"] {
      let counts = try [2, 3, 7].map { count in
        let test = try #require(Self.cases.first { $0.name == "\(name) \(count)" })
        return Inference(try imported(test).model).nodes.count
      }
      #expect(Set(counts).count == 1, "\(name): \(counts)")
    }
  }

  /// Any number of examples is predicted, each with the same bits in any place.
  @Test(arguments: batches)
  func examplesStandForThemselves(_ test: Case) throws {
    let imported = try imported(test)
    for port in imported.inputs { #expect(port.sizes.first == 1 && !port.axes.contains(0)) }
    let run = try network(imported)
    let inputs = try test.inputs.mapValues { try $0.tensor() }
    let whole = try arrays(run, inputs)
    for count in [1, test.batch + 1] {
      let order = (0..<count).map { ($0 + 1) % test.batch }
      let found = try arrays(run, try inputs.mapValues { try rows(order, of: $0) })
      for port in imported.outputs {
        let expected = try rows(order, of: try #require(whole[port.name]))
        #expect(found[port.name]?.sizes == expected.sizes)
        #expect(found[port.name]?.floats == expected.floats)
      }
    }
  }

  /// Stated sizes are those of the model, and have the same numbers.
  @Test(arguments: batches.prefix(8))
  func statedSizesAreKept(_ test: Case) throws {
    let sizes = Dictionary(
      uniqueKeysWithValues: test.inputs.map { ($0, $1.sizes.map { InputSize.exactly($0) }) })
    let imported = try imported(test, sizes: sizes)
    for port in imported.inputs { #expect(port.batchSize == nil && port.sizes[0] == test.batch) }
    let found = try arrays(try network(imported), try test.inputs.mapValues { try $0.tensor() })
    for (name, stored) in test.outputs { #expect(isClose(found[name], try stored.tensor())) }
  }

  /// What the file says of a batch is told, in the port and in errors.
  @Test func batchesAreTold() throws {
    let test = try #require(Self.cases.first { $0.name == "Flatten 3" })
    let imported = try imported(test)
    #expect(imported.inputs[0].description == "x 1×3×5×6 f32, axes 2, 3, 1, batches of 3")
    let run = try network(imported)
    let wrong = try StoredTensor(floats: Array(repeating: 0, count: 315), sizes: [3, 3, 5, 7])
    let error = #expect(throws: ToolError.self) { try run.examples(["x": .array(wrong)]) }
    #expect(error?.received == "3×3×5×7")
    #expect(error?.needs == "3×3×5×6, the axes of the file\nor 5×6×3, Forge's order")
    // One example in Forge's order is one.
    let one = try StoredTensor(floats: Array(repeating: 0, count: 90), sizes: [5, 6, 3])
    #expect(try run.examples(["x": .array(one)]).count == 1)
  }

  /// Rows of an array along its first axis.
  private func rows(_ order: [Int], of array: StoredTensor) throws -> StoredTensor {
    let values = array.floats
    let count = values.count / array.sizes[0]
    return try StoredTensor(
      floats: order.flatMap { values[($0 * count)..<(($0 + 1) * count)] },
      sizes: [order.count] + array.sizes.dropFirst(), elementType: array.elementType)
  }
}
