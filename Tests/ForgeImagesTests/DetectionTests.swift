import Forge
import ForgeImages
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// From a photo to drawn boxes, with the detector of the shared test data.
@Suite(.shared("data/detection", "data/photos")) struct DetectionTests {
  private static let folder = SharedFiles.data.appending(path: "detection")

  @Test(arguments: ["person.jpg", "dog.jpg"])
  func boxesEqualExpectations(_ name: String) throws {
    let photos =
      name == "dog.jpg" ? SharedFiles.data.appending(path: "photos") : Self.folder
    let darknet = try ImportedDarknet(
      cfg: Self.folder.appending(path: "yolo-fastest-1.1.cfg").path,
      weights: Self.folder.appending(path: "yolo-fastest-1.1.weights").path)
    let network = try darknet.imported.model.compile()
    let photo = try Image(contentsOf: photos.appending(path: name).path)
    let preparation = ImagePreparation(width: 320, height: 320, normalization: .unitRange)
    let predictions = try network.predict([
      "data": try photo.values(prepared: preparation)
    ])
    var boxes: [DetectedBox] = []
    for detection in darknet.detections {
      let values = try #require(predictions[detection.output])
      let (width, height) = (
        try #require(values.shape.width), try #require(values.shape.height)
      )
      let decoder = try BoxDecoder.yoloV3(
        grid: Size(width: width, height: height),
        anchors: detection.anchors.map { BoxAnchor(width: $0.width, height: $0.height) },
        classes: detection.classes, input: detection.inputSize,
        scaleXY: Double(detection.scaleXY))
      let found = try decoder.boxes(values.values, minimumScore: 0.4)
      // The decoder that belongs to the file says the same, to the last digits.
      let own = try detection.boxes(in: predictions, minimumScore: 0.4)
      #expect(found.count == own.count)
      for (one, other) in zip(found, own) {
        #expect(one.label == other.label)
        #expect(abs(one.score - other.score) < 1e-6)
        #expect(one.intersectionOverUnion(with: other) > 0.99999)
      }
      boxes += found
    }
    let geometry = try preparation.geometry(width: photo.width, height: photo.height)
    let kept = geometry.source(boxes.suppressed(iou: 0.45))
    let labels = try String(
      contentsOf: Self.folder.appending(path: "coco.names"), encoding: .utf8
    ).split(separator: "\n").map(String.init)
    let expected = try Self.expected(name, photo, labels)
    #expect(kept.count == expected.count)
    for (box, other) in zip(kept, expected) {
      #expect(box.label == other.label)
      #expect(abs(box.score - other.score) < 0.01)
      #expect(box.intersectionOverUnion(with: other) >= 0.95)
    }
    var canvas = try Canvas(photo)
    canvas.draw(kept, labels: labels)
    let drawn = canvas.image()
    #expect(try Image(decoding: drawn.encoded(as: .png)) == drawn)
    if let path = ProcessInfo.processInfo.environment["FORGE_DRAWN_BOXES"] {
      try drawn.write(to: "\(path)/\(name).png")
    }
    let first = try #require(kept.first)
    let rectangle = first.rectangle(width: photo.width, height: photo.height)
    let color = PixelColor.distinct(first.label)
    let place = 3 * (Int(rectangle.y + rectangle.height / 2) * photo.width + Int(rectangle.x + 1))
    #expect(Array(drawn.pixels[place..<place + 3]) == [color.red, color.green, color.blue])
  }

  /// The boxes of expected_detections.json as fractions of the photo.
  private static func expected(
    _ name: String, _ photo: Image, _ labels: [String]
  ) throws -> [DetectedBox] {
    let json = try JSONSerialization.jsonObject(
      with: Data(contentsOf: folder.appending(path: "expected_detections.json")))
    let all = (json as? [String: Any])?["darknet_fp32_weights_thr0.40_nms0.45_classwise"]
    let rows = try #require((all as? [String: Any])?[name] as? [[Any]])
    return try rows.map { row in
      let edges = try #require(row[2] as? [NSNumber]).map(\.floatValue)
      let (width, height) = (Float(photo.width), Float(photo.height))
      return DetectedBox(
        label: try #require(labels.firstIndex(of: row[0] as? String ?? "")),
        score: try #require((row[1] as? NSNumber)?.floatValue),
        x: (edges[0] + edges[2]) / 2 / width, y: (edges[1] + edges[3]) / 2 / height,
        width: (edges[2] - edges[0]) / width,
        height: (edges[3] - edges[1]) / height)
    }
  }
}
