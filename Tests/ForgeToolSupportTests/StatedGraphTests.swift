import Forge
import ForgeImporters
import ForgeToolSupport
import Foundation
import Testing

/// Graphs whose results are easily guessed wrong, in the world of the file, against ONNX Runtime and
/// NumPy; Scripts/references/make_onnx_stated.py made them.
@Suite struct StatedGraphTests {
  /// An array of the file.
  struct Stored: Decodable, Sendable {
    let type: String
    let sizes: [Int]
    let data: Data

    func tensor() throws -> StoredTensor {
      try StoredTensor(
        elementType: try #require(ElementType(rawValue: type)), sizes: sizes, bytes: Array(data))
    }
  }

  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether the first axis of the inputs counts examples.
    let batch: Bool
    /// A part of the error; empty if there are outputs.
    let error: String
    let model: Data
    let inputs: [String: Stored]
    let outputs: [String: Stored]
    var testDescription: String { name }
  }

  static let cases: [Case] = {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/stated.json")
    return (try? JSONDecoder().decode([Case].self, from: Data(contentsOf: path))) ?? []
  }()

  @Test func thereAreCases() { #expect(Self.cases.count == 355) }

  /// The outputs of a graph by name.
  private func run(_ test: Case) throws -> [String: StoredTensor] {
    let url = FileManager.default.temporaryDirectory
      .appending(path: "forge-\(UUID().uuidString).onnx")
    try test.model.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let imported = try ImportedModel(onnx: url.path)
    let run = try NetworkRun(imported) {
      try imported.model.compile(options: CompileOptions(threads: .exactly(1)))
    }
    let given = try test.inputs.mapValues { NetworkRun.Given.array(try $0.tensor()) }
    let results = try run.results(try run.examples(given, isBatch: test.batch))
    let arrays = try run.arrays(of: results, isBatch: test.batch)
    return Dictionary(arrays.map { ($0.name, $0.array) }) { first, _ in first }
  }

  @Test(arguments: cases)
  func isAsStated(_ test: Case) throws {
    guard test.error.isEmpty else {
      do {
        let found = try run(test)
        Issue.record("\(found.mapValues(\.floats))")
      } catch {
        #expect("\(error)".contains(test.error), "\(error)")
        #expect(error is ImportError || error is ToolError || error is PredictionError)
      }
      return
    }
    let found = try run(test)
    #expect(Set(found.keys) == Set(test.outputs.keys))
    for (name, stored) in test.outputs {
      let (expected, result) = (try stored.tensor(), try #require(found[name]))
      #expect(result.sizes == expected.sizes && result.elementType == expected.elementType)
      if expected.elementType.isInteger {
        #expect(result.int64s == expected.int64s, "\(name)")
      } else {
        #expect(result.floats.count == expected.floats.count)
        for (a, b) in zip(result.floats, expected.floats) {
          let isClose = a == b || (a.isNaN && b.isNaN) || abs(a - b) <= 1e-5 * max(abs(b), 1)
          #expect(isClose, "\(name): \(a) instead of \(b)")
          if b == 0 { #expect(a.sign == b.sign || !test.name.hasPrefix("PRelu"), "\(name)") }
        }
      }
    }
  }

  /// Examples of a graph that combines them are refused by every form of a batch, and one is not.
  @Test func batchesOfSwiftAreRefused() throws {
    let test = try #require(Self.cases.first { $0.name == "batch: ReduceMean" })
    let url = FileManager.default.temporaryDirectory
      .appending(path: "forge-\(UUID().uuidString).onnx")
    try test.model.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let network = try Model(onnx: url.path).compile(options: CompileOptions(maximumBatch: 4))
    let example: [Float] = [1, 2, 3, 4]
    #expect(try network.predict(example) == example)
    #expect(try network.predict(batch: [example]) == [example])
    let message = """
      the model file combines the examples of a batch
        received  2 examples
        needs     1 example, because of node "y" (ReduceMean)
        remedy    state the sizes of the whole batch while importing, as in ImportOptions(sizes:)
      """
    for predict: () throws -> Void in [
      { _ = try network.predict(example + example, batch: 2) },
      { _ = try network.predict(batch: [example, example]) },
      { _ = try Context(network, batch: 2) },
      { _ = try network.makeSlot(batch: 2) },
    ] {
      let error = #expect(throws: PredictionError.self) { try predict() }
      #expect(error?.kind == .wrongBatch && error?.description == message)
    }
    // With the sizes of the whole batch the file is computed as it is.
    let whole = try Model(onnx: url.path, options: ImportOptions(sizes: ["x": [2, 4]])).compile()
    #expect(try whole.predict([1, 2, 3, 4, 5, 6, 7, 8]) == [3, 4, 5, 6])
  }

  /// In Swift a selection has all its rows, and their number beside it.
  @Test func selectionsAreCounted() throws {
    let test = try #require(Self.cases.first { $0.name == "NonMaxSuppression 0.92" })
    let url = FileManager.default.temporaryDirectory
      .appending(path: "forge-\(UUID().uuidString).onnx")
    try test.model.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let imported = try ImportedModel(onnx: url.path)
    let rows = try #require(imported.outputs.first?.rows)
    #expect(rows.axis == 0 && rows.entries == 1 && rows.countName == "y/count")
    let network = try imported.model.compile()
    var inputs: [String: TensorValues] = [:]
    for (port, shape) in zip(imported.inputs, network.inputShapes) {
      let stored = try #require(test.inputs[port.name])
      inputs[port.name] = try port.examples(in: try stored.tensor(), forge: shape).first
    }
    let found = try network.predict(inputs)
    #expect(found["y/count"]?.values == [1])
    #expect(found["y"]?.shape.sizes == [6, 3])
    #expect(found["y"]?.values == [0, 0, 3] + Array(repeating: -1, count: 15))
  }
}
