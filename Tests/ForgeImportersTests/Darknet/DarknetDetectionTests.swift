import Forge
import ForgeImages
import ForgeImporters
import Foundation
import Testing

/// A real detector on a real photo, against recorded boxes (see ../shared/data/NOTES.md).
@Suite(.enabled(if: ImporterFixtures.hasShared("detection"), "no ../shared/data/detection"))
struct DarknetDetectionTests {
  private struct Box {
    let label: Int
    let score: Float
    let edges: [Float]

    func overlap(_ other: Box) -> Float {
      let width = min(edges[2], other.edges[2]) - max(edges[0], other.edges[0])
      let height = min(edges[3], other.edges[3]) - max(edges[1], other.edges[1])
      let common = max(width, 0) * max(height, 0)
      return common / (area + other.area - common)
    }

    private var area: Float { (edges[2] - edges[0]) * (edges[3] - edges[1]) }
  }

  /// The boxes of an output, by the formulas of ``DarknetDetection``, in pixels of the photo.
  private func boxes(
    _ detection: DarknetDetection, _ output: TensorValues, photo: Size
  ) throws -> [Box] {
    func sigmoid(_ x: Float) -> Float { 1 / (1 + exp(-x)) }
    let width = try #require(output.shape.width)
    let height = try #require(output.shape.height)
    var found: [Box] = []
    for row in 0..<height {
      for column in 0..<width {
        for (index, anchor) in detection.anchors.enumerated() {
          let start =
            ((row * width + column) * detection.anchors.count + index)
            * detection.valuesPerAnchor
          let v = output.values[start..<start + detection.valuesPerAnchor].map { $0 }
          let s = detection.scaleXY
          let x = (Float(column) + sigmoid(v[0]) * s - (s - 1) / 2) / Float(width)
          let y = (Float(row) + sigmoid(v[1]) * s - (s - 1) / 2) / Float(height)
          let w = exp(v[2]) * anchor.width / Float(detection.inputSize.width)
          let h = exp(v[3]) * anchor.height / Float(detection.inputSize.height)
          for label in 0..<detection.classes {
            let score = sigmoid(v[4]) * sigmoid(v[5 + label])
            guard score > 0.4 else { continue }
            let edges = [x - w / 2, y - h / 2, x + w / 2, y + h / 2]
            let scales = [photo.width, photo.height, photo.width, photo.height].map { Float($0) }
            found.append(
              Box(label: label, score: score, edges: zip(edges, scales).map { $0 * $1 }))
          }
        }
      }
    }
    return found
  }

  @Test(arguments: ["person.jpg", "dog.jpg"])
  func recordedBoxes(photo name: String) throws {
    let folder = ImporterFixtures.shared.appending(path: "detection")
    var path = folder.appending(path: name).path
    if !FileManager.default.fileExists(atPath: path) {
      path = ImporterFixtures.shared.appending(path: "photos/\(name)").path
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
    var candidates: [Box] = []
    let size = Size(width: image.width, height: image.height)
    for detection in darknet.detections {
      candidates += try boxes(
        detection, #require(predictions[detection.output]), photo: size)
    }
    var kept: [Box] = []
    for box in candidates.sorted(by: { $0.score > $1.score })
    where kept.allSatisfy({ $0.label != box.label || $0.overlap(box) <= 0.45 }) {
      kept.append(box)
    }

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
      for (edge, recorded) in zip(box.edges, edges) {
        #expect(abs(edge - recorded) < 1.5, "\(names[box.label])")
      }
    }
  }
}
