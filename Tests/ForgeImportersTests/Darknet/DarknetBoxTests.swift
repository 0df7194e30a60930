import Forge
import ForgeImporters
import Foundation
import Testing

/// Boxes against NumPy; Scripts/references/make_darknet_boxes.py computed them.
@Suite struct DarknetBoxTests {
  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let configuration: String
    let width: Int
    let height: Int
    let channels: Int
    let values: [String]
    let boxes: [[Float]]
    let kept: [Int]
    let keptAcrossLabels: [Int]

    var testDescription: String { name }
    var tensor: TensorValues {
      TensorValues(
        width: width, height: height, channels: channels, values: values.map { Float($0) ?? 0 })
    }

    func detection() throws -> DarknetDetection {
      let darknet = try ImportedDarknet(
        text: configuration, weights: nil, path: "boxes.cfg")
      return try #require(darknet.detections.first)
    }
  }

  struct Content: Decodable {
    let threshold: Float
    let iou: Float
    let cases: [Case]
  }

  static let content = Result {
    try ImporterFixtures.load("Darknet/boxes.json", as: Content.self)
  }
  static var cases: [Case] { (try? content.get().cases) ?? [] }

  private func expectEqual(_ box: DetectedBox, _ expected: [Float], _ name: String) {
    #expect(box.label == Int(expected[0]), "\(name)")
    let found = [box.score, box.x, box.y, box.width, box.height]
    for (value, number) in zip(found, expected.dropFirst()) {
      #expect(abs(value - number) <= 1e-6 + 2e-6 * abs(number), "\(name): \(box)")
    }
  }

  @Test func fixtureIsThere() { #expect(Self.cases.count == 18) }

  @Test(arguments: cases) func everyKind(item: Case) throws {
    let (threshold, iou) = (try Self.content.get().threshold, try Self.content.get().iou)
    let boxes = try item.detection().boxes(in: item.tensor, minimumScore: threshold)
    try #require(boxes.count == item.boxes.count)
    for (box, expected) in zip(boxes, item.boxes) { expectEqual(box, expected, item.name) }
    let kept = boxes.suppressed(iou: iou)
    #expect(kept == item.kept.map { boxes[$0] })
    #expect(
      boxes.suppressed(iou: iou, acrossLabels: true) == item.keptAcrossLabels.map { boxes[$0] })
  }

  @Test func predictionsAreFoundByName() throws {
    let item = try #require(Self.cases.first)
    let darknet = try ImportedDarknet(text: item.configuration, weights: nil, path: "boxes.cfg")
    let network = try darknet.imported.model.compile(parameters: RandomParameters(seed: 3))
    let picture = [Float](repeating: 0.5, count: 160 * 96 * 3)
    let predictions = try network.predict(["data": picture])
    let values = try #require(predictions["yolo1"])
    let boxes = try darknet.detections[0].boxes(in: predictions, minimumScore: 0)
    // All scores are positive, so every anchor has a box for every class.
    #expect(boxes.count == 5 * 3 * 3 * 4)
    #expect(try darknet.detections[0].boxes(in: values, minimumScore: 0) == boxes)
  }

  @Test func otherOutputsAreErrors() throws {
    let item = try #require(Self.cases.first)
    let detection = try item.detection()
    func message(_ values: TensorValues) -> String {
      do { return "\(try detection.boxes(in: values, minimumScore: 0.5).count)" } catch {
        return "\(error)"
      }
    }
    #expect(
      message(TensorValues(width: 5, height: 3, channels: 26, values: [])) == """
        output "yolo1" has the wrong shape for boxes
          received  5×3×26 (width×height×channels)
          needs     an image of 27 channels
        """)
    #expect(
      message(TensorValues(width: 5, height: 3, channels: 27, values: [1])) == """
        output "yolo1" has the wrong number of values
          received  1 value
          needs     as many as one picture has: 5×3×27 (width×height×channels)
        """)
    #expect(message(TensorValues(shape: Shape(sizes: [27]), values: [])).contains("wrong shape"))
    let input = Input(width: 1, height: 1, channels: 1, name: "x")
    let model = Model(input: input, output: input --> Activation(.relu, name: "y"))
    let other = try model.compile().predict(["x": [1]])
    let error = #expect(throws: PredictionError.self) {
      try detection.boxes(in: other, minimumScore: 0.5)
    }
    #expect(error?.headline == "there is no output \"yolo1\"")
    #expect(error?.needs == "\"y\"")
  }

  /// Options of which the formulas know nothing.
  @Test(arguments: [
    ("region", "coords=5", "[region] with coords 5"),
    ("region", "background=1", "[region] with background"),
    ("region", "tree=9k.tree", "[region] with tree"),
    ("Gaussian_yolo", "yolo_point=middle", "[gaussian_yolo] with yolo_point \"middle\""),
  ])
  func unknownFormsAreRefused(type: String, option: String, message: String) {
    let text =
      "[net]\nwidth=8\nheight=8\nchannels=3\n[convolutional]\nfilters=10\n[\(type)]\n\(option)\n"
    let error = #expect(throws: ImportError.self) {
      try ImportedDarknet(text: text, weights: nil, path: "boxes.cfg")
    }
    #expect(error?.kind == .unsupported)
    #expect(error?.received?.contains(message) == true)
  }

  @Test func suppressionOfHostileBoxes() {
    func box(_ score: Float, _ x: Float = 0.5, _ width: Float = 0.2, label: Int = 0) -> DetectedBox
    {
      DetectedBox(label: label, score: score, x: x, y: 0.5, width: width, height: 0.2)
    }
    // Equal scores keep their order; NaN comes last and neither drops nor is dropped.
    let boxes = [box(0.5), box(.nan, .nan), box(0.9, 0.8), box(0.5, 0.51), box(0.5, 0.5, label: 1)]
    #expect(
      boxes.suppressed(iou: 0.5).map(\.x.bitPattern)
        == [0.8, 0.5, 0.5, Float.nan].map(\.bitPattern))
    #expect(boxes.suppressed(iou: 0.5, acrossLabels: true).count == 3)
    #expect(boxes.suppressed(iou: 1).count == 5)
    #expect([DetectedBox]().suppressed(iou: 0.5).isEmpty)
    // The product of the sides is beyond Float32.
    let huge = DetectedBox(label: 0, score: 1, x: 0, y: 0, width: 3e38, height: 3e38)
    #expect(huge.intersectionOverUnion(with: huge) == 1)
    #expect(box(1, 0.5, 0).intersectionOverUnion(with: box(1, 0.5, 0)) == 0)
    #expect(abs(box(1, 0.5).intersectionOverUnion(with: box(1, 0.6)) - 1.0 / 3) < 1e-6)
  }
}
