import Forge
import ForgeImporters
import ForgeToolSupport
import Foundation
import Testing

@Suite struct NetworkRunTests {
  /// Two inputs, a channel-first picture and a number, and two outputs of other types.
  private func imported() -> ImportedModel {
    let image = Input(width: 3, height: 2, channels: 2, name: "image")
    let offset = Input(width: 3, height: 2, channels: 2, name: "offset")
    let sum = [image, offset] --> Add()
    return ImportedModel(
      model: Model(inputs: [image, offset], outputs: [sum, sum --> GlobalMaxPooling()]),
      inputs: [
        .init(name: "image", sizes: [1, 2, 2, 3], axes: [2, 3, 1]),
        .init(name: "offset", sizes: [1, 2, 3, 2], axes: [1, 2, 3]),
      ],
      outputs: [
        .init(name: "sum", elementType: .int32, sizes: [1, 2, 2, 3], axes: [2, 3, 1]),
        .init(name: "most", elementType: .float64, sizes: [1, 2], axes: [nil, nil, 1]),
      ])
  }

  private func array(_ values: [Float], _ sizes: [Int]) throws -> NetworkRun.Given {
    .array(try StoredTensor(floats: values, sizes: sizes))
  }

  /// A finite number does not become infinite without a word; an infinity stays one.
  @Test func numbersBeyondFloat32() throws {
    let run = try NetworkRun(imported()) { try imported().model.compile() }
    let offset = try array(Array(repeating: 0, count: 12), [1, 2, 3, 2])
    func image(_ last: Double) throws -> NetworkRun.Given {
      let values = [Double.infinity] + Array(repeating: 1, count: 10) + [last]
      let bytes = values.flatMap { value in
        withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
      }
      return .array(try StoredTensor(elementType: .float64, sizes: [1, 2, 2, 3], bytes: bytes))
    }
    #expect(try run.examples(["image": image(3e38), "offset": offset]).count == 1)
    let error = #expect(throws: ToolError.self) {
      try run.examples(["image": image(-1e39), "offset": offset])
    }
    #expect(error?.kind == .wrongInput)
    #expect("\(error.map { "\($0)" } ?? "")".contains("-1e+39 at index 11"))
  }

  @Test func everyOutputHasTheOrderOfItsFile() throws {
    let run = try NetworkRun(imported()) { try imported().model.compile() }
    // Channel 0 is 0…5, channel 1 is 6…11; the offset is 100 in channel 0 and 200 in channel 1.
    let examples = try run.examples([
      "image": array((0..<12).map { Float($0) }, [1, 2, 2, 3]),
      "offset": array((0..<12).map { $0 % 2 == 0 ? 100 : 200 }, [1, 2, 3, 2]),
    ])
    let arrays = try run.arrays(of: run.results(examples))
    #expect(arrays.map(\.name) == ["sum", "most"])
    #expect(arrays[0].array.sizes == [1, 2, 2, 3])
    #expect(arrays[0].array.int64s == [100, 101, 102, 103, 104, 105, 206, 207, 208, 209, 210, 211])
    #expect(arrays[1].array.elementType == .float64)
    #expect(arrays[1].array.sizes == [1, 2])
    #expect(arrays[1].array.floats == [105, 211])
  }

  @Test func mistakesNameTheInput() throws {
    let run = try NetworkRun(imported()) { try imported().model.compile() }
    let image = try array(Array(repeating: 1, count: 12), [1, 2, 2, 3])
    #expect(
      #expect(throws: ToolError.self) { try run.examples(["image": image]) }?.description == """
        the input "offset" has no values
          needs     1×2×3×2 f32
          remedy    --input offset=FILE.npy
        """)
    #expect(
      #expect(throws: ToolError.self) { try run.examples(["picture": image]) }?.description == """
        the model has no input "picture"
          needs     "image", "offset"
        """)
  }

  @Test func caseListsSurviveEveryError() throws {
    let json = Data(#"[{"model": "missing.onnx", "inputs": {}}, {"model": "net.tflite"}]"#.utf8)
    let cases = try CaseList(json: json).cases
    let outcomes = cases.map { CaseList.run($0, options: CompileOptions()) }
    #expect(outcomes.map(\.status) == ["error", "error"])
    #expect(throws: ToolError.self) { try CaseList(json: Data("{}".utf8)) }
  }

  @Test func tracesFollowEachOther() throws {
    let network = try imported().model.compile()
    let steps = try network.profile(runs: 1)
    let trace = try JSONSerialization.jsonObject(with: ChromeTrace(steps).json) as? [String: Any]
    let events = try #require(trace?["traceEvents"] as? [[String: Any]])
    #expect(events.count == steps.count)
    var end = 0.0
    for event in events {
      let start = try #require(event["ts"] as? Double)
      #expect(abs(start - end) < 1e-6)
      end = start + (try #require(event["dur"] as? Double))
    }
  }

  /// One label for each class of an output that is a vector.
  @Test func labelsFitTheClasses() throws {
    let input = Input(width: 2, height: 2, channels: 3, name: "image")
    let scores = input --> Dense(neurons: 4, name: "scores")
    func run(_ outputs: [ImportedModel.Port]) throws -> NetworkRun {
      let model = Model(inputs: [input], outputs: [scores])
      let imported = ImportedModel(
        model: model, inputs: [.init(name: "image", shape: Shape(sizes: [2, 2, 3]))],
        outputs: outputs)
      return try NetworkRun(imported) { try model.compile(parameters: RandomParameters(seed: 1)) }
    }
    let classes = try run([.init(name: "scores", sizes: [1, 4], axes: [nil, nil, 1])])
    try classes.checkLabels(4, of: "labels.txt")
    #expect(
      #expect(throws: ToolError.self) { try classes.checkLabels(3, of: "labels.txt") }?.description
        == """
        the labels do not fit the output
          received  3 lines in labels.txt
          needs     4, one for each class
        """)
    let map = try run([.init(name: "map", sizes: [1, 2, 2], axes: [0, 1, 2])])
    #expect(
      #expect(throws: ToolError.self) { try map.checkLabels(1, of: "labels.txt") }?.description
        == """
        the labels do not fit the output
          received  1 line in labels.txt
          needs     a model with an output of classes
        """)
    // The length is known when a prediction is made.
    try run([.init(name: "y", sizes: [1, 40], axes: [0], lengthAxes: [1])])
      .checkLabels(3, of: "labels.txt")
  }

  /// Files compute with ids before they read rows: `i + V · (i < 0)`, casts and bounds.
  @Test func seededInputsAreIdsBehindArithmetic() throws {
    let ids = Input(shape: [40], name: "ids")
    let isNegative = ids --> Compare(.less, than: [0])
    let moved = ids + isNegative * 50
    let bounded = [moved, moved] --> Maximum()
    let places = bounded --> Unary(.floor)
    let imported = ImportedModel(
      model: Model(
        inputs: [ids], outputs: [places --> Embedding(vocabulary: 50, channels: 2, name: "table")]),
      inputs: [.init(name: "ids", sizes: [1, 40], axes: [1])], outputs: [])
    guard case .values(let drawn)? = try imported.seededInputs()["ids"] else {
      Issue.record("no values")
      return
    }
    #expect(drawn.values.allSatisfy { $0 >= 0 && $0 < 50 && $0.rounded() == $0 })
    #expect(Set(drawn.values).count > 10)
    let network = try imported.model.compile(
      parameters: RandomParameters(seed: 1), options: CompileOptions(verify: .samples(2)))
    #expect(network.report.verification?.errors.count == 1)
    _ = try network.predict(drawn.values)
  }

  /// Ids are drawn for tables, whatever type the file states; other integers are 0 or 1.
  @Test func seededInputsAreIdsForTables() throws {
    let ids = Input(shape: [40], name: "ids")
    let mask = Input(shape: [40], name: "mask")
    let x = Input(shape: [40], name: "x")
    let imported = ImportedModel(
      model: Model(
        inputs: [ids, mask, x],
        outputs: [
          ids --> Embedding(vocabulary: 50, channels: 2, name: "table"),
          [mask, x] --> Multiply(),
        ]),
      inputs: [
        .init(name: "ids", sizes: [1, 40], axes: [1]),
        .init(name: "mask", elementType: .int64, sizes: [1, 40], axes: [1]),
        .init(name: "x", sizes: [1, 40], axes: [1]),
      ], outputs: [])
    let given = try imported.seededInputs()
    func values(_ name: String) throws -> [Float] {
      guard case .values(let tensor)? = given[name] else { return [] }
      return tensor.values
    }
    let drawn = try values("ids")
    #expect(drawn.allSatisfy { $0 >= 0 && $0 < 50 && $0.rounded() == $0 })
    #expect(Set(drawn).count > 10)
    #expect(Set(try values("mask")) == [0, 1])
    #expect(try values("x").contains { $0.rounded() != $0 })
    #expect(imported.integerInputs == [1])
    #expect(imported.takesIntegers)
  }
}
