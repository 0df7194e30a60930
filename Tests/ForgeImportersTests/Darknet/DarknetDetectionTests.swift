import Forge
import ForgeImages
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// A real detector on a real photo, against recorded boxes (see ../shared/data/NOTES.md).
@Suite(.shared("data/detection"))
struct DarknetDetectionTests {
  @Test(arguments: ["person.jpg", "dog.jpg"])
  func recordedBoxes(photo name: String) throws {
    let folder = SharedFiles.data.appending(path: "detection")
    var path = folder.appending(path: name).path
    if !FileManager.default.fileExists(atPath: path) {
      path = SharedFiles.data.appending(path: "photos/\(name)").path
    }
    guard FileManager.default.fileExists(atPath: path) else {
      print("skipped: no \(path)")
      return
    }
    let darknet = try ImportedDarknet(
      cfg: folder.appending(path: "yolo-fastest-1.1.cfg").path,
      weights: folder.appending(path: "yolo-fastest-1.1.weights").path)
    #expect(darknet.imported.outputs.map(\.sizes) == [[1, 255, 10, 10], [1, 255, 20, 20]])
    let network = try darknet.imported.model.compile()
    let image = try Image(contentsOf: path)
    let values = try image.values(
      prepared: ImagePreparation(
        width: 320, height: 320, normalization: PixelNormalization(scale: [1 / 255])))
    let predictions = try network.predict(["data": values])
    let kept = try darknet.detections.flatMap {
      try $0.boxes(in: predictions, minimumScore: 0.4)
    }.suppressed(iou: 0.45)

    let names = try String(
      contentsOf: folder.appending(path: "coco.names"), encoding: .utf8
    ).split(separator: "\n").map(String.init)
    let json = try JSONSerialization.jsonObject(
      with: Data(contentsOf: folder.appending(path: "expected_detections.json")))
    let all = (json as? [String: Any])?["darknet_fp32_weights_thr0.40_nms0.45_classwise"]
    let expected = try #require((all as? [String: Any])?[name] as? [[Any]])
    #expect(kept.count == expected.count)
    for (box, row) in zip(kept, expected) {
      #expect(names[box.label] == row[0] as? String)
      let score = try #require((row[1] as? NSNumber)?.floatValue)
      #expect(abs(box.score - score) < 0.002, "\(names[box.label])")
      let edges = try #require(row[2] as? [NSNumber]).map(\.floatValue)
      let (width, height) = (Float(image.width), Float(image.height))
      let found = [box.left * width, box.top * height, box.right * width, box.bottom * height]
      for (edge, recorded) in zip(found, edges) {
        #expect(abs(edge - recorded) < 1.5, "\(names[box.label])")
      }
    }
  }
}
