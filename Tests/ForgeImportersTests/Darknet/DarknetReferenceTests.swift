import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Networks against NumPy; Scripts/references/make_darknet_references.py computed the numbers.
@Suite struct DarknetReferenceTests {
  struct Expected: Decodable {
    struct Output: Decodable {
      let name: String
      let sizes: [Int]
      @Numbers var values: [Float]
    }

    let width: Int
    let height: Int
    let seed: UInt64
    let step: Int
    let outputs: [Output]
  }

  static let expected = Result {
    try ImporterFixtures.decode("Darknet/expected.safetensors", as: [String: Expected].self)
  }

  /// Compiles a network and compares its outputs.
  private func check(_ darknet: ImportedDarknet, _ name: String) throws {
    let expected = try #require(try Self.expected.get()[name])
    let shape = try #require(darknet.imported.model.inputs[0].shape)
    #expect(shape.width == expected.width && shape.height == expected.height)
    let input = seededValues(
      count: shape.elementCount ?? 0, seed: expected.seed, range: 0...1)
    for threads in [1, 3] {
      let network = try darknet.imported.model.compile(options: .init(threads: .exactly(threads)))
      let predictions = try network.predict(["data": TensorValues(shape: shape, values: input)])
      #expect(darknet.imported.outputs.map(\.name) == expected.outputs.map(\.name))
      for (port, output) in zip(darknet.imported.outputs, expected.outputs) {
        #expect(port.sizes == [1] + output.sizes && port.axes == [2, 3, 1])
        let result: TensorValues = try #require(predictions[output.name])
        let values = result.values(in: .channelsFirst)
        #expect(values.count == output.sizes.reduce(1, *))
        let kept = stride(from: 0, to: values.count, by: expected.step).map { values[$0] }
        expectClose(kept, output.values, relativeL2: 1e-5, maximum: 1e-4, output.name)
      }
    }
  }

  @Test(arguments: ["detector", "classifier"])
  func everyLayer(name: String) throws {
    try check(
      ImportedDarknet(
        cfg: ImporterFixtures.path("Darknet/\(name).cfg"),
        weights: ImporterFixtures.path("Darknet/\(name).weights")), name)
  }

  @Test(.shared("data/detection"))
  func bothHeadsOfARealDetector() throws {
    let folder = SharedFiles.data.appending(path: "detection")
    let text = try String(
      contentsOf: folder.appending(path: "yolo-fastest-1.1.cfg"), encoding: .utf8
    ).replacing("width=320", with: "width=351").replacing("height=320", with: "height=287")
    let darknet = try ImporterFixtures.withFile(text.utf8, ending: "cfg") { path in
      try ImportedDarknet(
        cfg: path, weights: folder.appending(path: "yolo-fastest-1.1.weights").path)
    }
    try check(darknet, "yolo-fastest")
  }

  @Test func boxesAreDescribed() throws {
    let darknet = try ImportedDarknet(cfg: ImporterFixtures.path("Darknet/detector.cfg"))
    #expect(darknet.imported.model.parameters == nil)
    try #require(darknet.detections.count == 2)
    let (yolo, region) = (darknet.detections[0], darknet.detections[1])
    #expect(yolo.output == "yolo17" && yolo.kind == .yolo && yolo.mask == [0, 2, 3])
    #expect(
      yolo.anchors == [
        .init(width: 10, height: 14), .init(width: 37.5, height: 58), .init(width: 81, height: 82),
      ])
    #expect(yolo.classes == 2 && yolo.scaleXY == 1.05 && yolo.valuesPerAnchor == 7)
    #expect(yolo.inputSize == Size(width: 23, height: 17) && !yolo.usesSoftmax)
    #expect(region.output == "region20" && region.kind == .region && region.usesSoftmax)
    #expect(region.anchors.map(\.width) == [0.5, 1.5])
  }
}
