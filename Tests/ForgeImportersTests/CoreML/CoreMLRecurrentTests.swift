import Forge
import ForgeImporters
import ForgeTestSupport
import Testing

/// Recurrent layers and embeddings; Scripts/references/make_coreml_models.py computed the numbers.
@Suite struct CoreMLRecurrentTests {
  /// The sizes of a sequence for a file that states none.
  private static let words = ImportOptions(sizes: ["ids": [9, 1, 1]])

  private func problem(
    _ name: String, _ options: ImportOptions
  ) -> ImportError? {
    do throws(ImportError) {
      _ = try ImportedModel(
        coreML: ImporterFixtures.path("CoreML/\(name).mlmodel"), options: options)
      return nil
    } catch {
      return error
    }
  }

  /// Every kind of layer, with and without states, in both directions.
  @Test(arguments: ["recurrent", "tables"])
  func layers(name: String) throws {
    _ = try CoreMLReferenceTests.check(name)
  }

  /// The first versions state no length.
  @Test func sequenceOfIds() throws {
    let imported = try CoreMLReferenceTests.check("words", options: Self.words)
    #expect(imported.inputs.first { $0.name == "ids" }?.sizes == [9, 1, 1])
    let kernels = try imported.model.compile().report.description
    #expect(kernels.contains("lstm"))
    #expect(kernels.contains("gru"))
  }

  /// Without sizes the file is a network of one time, whose states the caller carries.
  @Test func timeByTime() throws {
    let path = ImporterFixtures.path("CoreML/words.mlmodel")
    let all = try ImportedModel(coreML: path, options: Self.words).model.compile()
    let one = try ImportedModel(coreML: path).model.compile()
    let ids: [Float] = [3, 0, 10, 7, 7, 1, 2, 9, 4]
    var states = [
      "h": TensorValues(shape: Shape(sizes: [1, 1, 6]), values: seededValues(count: 6, seed: 1)),
      "c": TensorValues(shape: Shape(sizes: [1, 1, 6]), values: seededValues(count: 6, seed: 2)),
    ]
    let inputs = ["ids": TensorValues(shape: Shape(sizes: [9, 1]), values: ids)]
    let whole = try all.predict(inputs.merging(states) { first, _ in first })
    var scores: [Float] = []
    for id in ids {
      let step = try one.predict([
        "ids": TensorValues(shape: Shape(sizes: [1, 1, 1]), values: [id]),
        "h": try #require(states["h"]),
        "c": try #require(states["c"]),
      ])
      scores += try #require(step["prob"]).values
      for key in ["h", "c"] {
        states[key] = TensorValues(
          shape: Shape(sizes: [1, 1, 6]), values: try #require(step["\(key)_out"]).values)
      }
    }
    expectClose(scores, try #require(whole["prob"]).values, relativeL2: 1e-6, maximum: 1e-6)
    let last = try #require(whole["c_out"])
    expectClose(try #require(states["c"]).values, last.values, relativeL2: 1e-6, maximum: 1e-6)
  }

  /// States that are always the same are bound while importing.
  @Test func boundStates() throws {
    var options = Self.words
    let zeros = try StoredTensor(floats: Array(repeating: 0, count: 6))
    options.constants = ["h": zeros, "c": zeros]
    let imported = try ImportedModel(
      coreML: ImporterFixtures.path("CoreML/words.mlmodel"), options: options)
    #expect(imported.inputs.map(\.name) == ["ids"])
    let ids: [Float] = [3, 0, 10, 7, 7, 1, 2, 9, 4]
    let network = try imported.model.compile()
    let bound = try network.predict(["ids": TensorValues(shape: Shape(sizes: [9, 1]), values: ids)])
    let given = try ImportedModel(
      coreML: ImporterFixtures.path("CoreML/words.mlmodel"), options: Self.words)
    let state = TensorValues(shape: Shape(sizes: [1, 1, 6]), values: Array(repeating: 0, count: 6))
    let explicit = try given.model.compile().predict([
      "ids": TensorValues(shape: Shape(sizes: [9, 1]), values: ids), "h": state, "c": state,
    ])
    expectClose(
      try #require(bound["prob"]).values, try #require(explicit["prob"]).values, relativeL2: 1e-6,
      maximum: 1e-6)
  }

  @Test func wrongOptions() {
    #expect(problem("words", ImportOptions(sizes: ["id": [9, 1, 1]]))?.kind == .unknownName)
    #expect(problem("words", ImportOptions(sizes: ["ids": [9, 2, 1]]))?.kind == .invalidNode)
    #expect(problem("words", ImportOptions(sizes: ["ids": [9, 1, 2]]))?.kind == .invalidNode)
    #expect(problem("words", ImportOptions(sizes: ["ids": [0, 1, 1]]))?.kind == .invalidNode)
    #expect(problem("words", ImportOptions(sizes: ["ids": [9, 1]]))?.kind == .invalidNode)
    #expect(problem("words", ImportOptions(sizes: ["h": [2, 1, 6]]))?.kind == .invalidNode)
    #expect(
      problem("recurrent", ImportOptions(sizes: ["h": [1, 2, 4, 1, 1]]))?.kind == .invalidNode)
    #expect(
      problem("recurrent", ImportOptions(sizes: ["x": [7, 3, 4, 1, 1]]))?.kind == .invalidNode)
    #expect(problem("recurrent", ImportOptions(sizes: ["x": [7, 3, 5, 1]]))?.kind == .invalidNode)
  }

  /// Ids outside the vocabulary are errors of the prediction.
  @Test func idsOutside() throws {
    let imported = try ImportedModel(coreML: ImporterFixtures.path("CoreML/tables.mlmodel"))
    let network = try imported.model.compile()
    let port = try #require(imported.inputs.first)
    var ids: [Float] = Array(repeating: 12, count: 21)
    _ = try network.predict(["ids": port.tensor(ids)])
    ids[5] = 13
    #expect(throws: PredictionError.self) {
      try network.predict(["ids": port.tensor(ids)])
    }
  }
}
