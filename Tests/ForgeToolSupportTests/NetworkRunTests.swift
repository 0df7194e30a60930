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
}
