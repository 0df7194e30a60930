import Forge
import ForgeImages
import Testing

/// Suppression, maps, keypoints and text of outputs.
@Suite struct ReadingTests {
  private func box(_ score: Float, _ x: Float = 0.5, label: Int = 0) -> DetectedBox {
    DetectedBox(label: label, score: score, x: x, y: 0.5, width: 0.2, height: 0.2)
  }

  @Test func softSuppressionLowersScores() throws {
    // The second overlaps the first by 1/3; the third is elsewhere; the fourth of another class.
    let boxes = [box(0.9), box(0.8, 0.6), box(0.5, 0.1), box(0.7, label: 1)]
    let linear = boxes.softSuppressed(.linear(threshold: 0.3), minimumScore: 0.1)
    #expect(linear.map(\.label) == [0, 1, 0, 0])
    #expect(abs(linear[2].score - 0.8 * 2 / 3) <= 1e-6)
    #expect(linear[3].score == 0.5)
    let gaussian = boxes.softSuppressed(.gaussian(sigma: 0.5), minimumScore: 0.1)
    // 0.8 · exp(−(1/3)² / 0.5)
    #expect(abs(gaussian[1].score - 0.7) <= 1e-6)
    #expect(abs(gaussian[2].score - 0.640592) <= 1e-5)
    let across = boxes.softSuppressed(
      .linear(threshold: 0.3), minimumScore: 0.1, acrossLabels: true)
    // The box of the other class lies on the first: nothing is left of it.
    #expect(across.map(\.label) == [0, 0, 0])
    #expect(boxes.softSuppressed(minimumScore: 0.1, candidates: 2).count == 2)
    #expect([box(.nan)].softSuppressed(minimumScore: 0).isEmpty)
  }

  @Test func equalScoresKeepTheirOrder() {
    let boxes = (0..<20).map { box(0.5, 0.04 * Float($0), label: $0) }
    #expect(boxes.softSuppressed(minimumScore: 0.1).map(\.label) == Array(0..<20))
    #expect(boxes.suppressed(iou: 0.5).map(\.label) == Array(0..<20))
  }

  @Test func softmaxSumsToOne() {
    #expect([Float]().softmax().isEmpty)
    #expect([1000, 1000].softmax() == [0.5, 0.5])
    #expect([Float(0), -.infinity].softmax() == [1, 0])
  }

  @Test func mapsHaveTheLargestClass() throws {
    let values: [Float] = [1, 2, 3, 3, .nan, 0, 0, 0]
    #expect(try values.argmaxMap(width: 2, height: 2, classes: 2) == [1, 0, 1, 0])
    let planes: [Float] = [1, 3, .nan, 0, 2, 3, 0, 0]
    #expect(
      try planes.argmaxMap(width: 2, height: 2, classes: 2, layout: .channelsFirst)
        == [1, 0, 1, 0])
    #expect(throws: ImageError.self) { try values.argmaxMap(width: 2, height: 2, classes: 3) }
    #expect(throws: ImageError.self) { try values.argmaxMap(width: .max, height: 2, classes: 3) }
  }

  @Test func keypointsAreMovedToTheLargerNeighbor() throws {
    let maps: [Float] = [
      0, 0, 0, 0, 0.1, 1, 0.5, 0, 0, 0, 0, 0,  // 4×3, the peak in column 1 and row 1
      0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0,  // at the right upper corner
      .nan, .nan, .nan, .nan, .nan, .nan, .nan, .nan, .nan, .nan, .nan, .nan,
    ]
    let points = try maps.keypoints(width: 4, height: 3, count: 3)
    #expect(points[0] == Keypoint(x: 1.75 / 4, y: 0.5, score: 1))
    #expect(points[1] == Keypoint(x: 3.5 / 4, y: 0.5 / 3, score: 2))
    #expect(points[2] == Keypoint(x: 0.5, y: 0.5, score: 0))
    #expect(throws: ImageError.self) { try maps.keypoints(width: 4, height: 3, count: 2) }
  }

  @Test func textIsRead() throws {
    func step(_ label: Int) -> [Float] { (0..<4).map { $0 == label ? 1 : 0 } }
    let values = [1, 1, 0, 1, 2, 2, 0, 3].flatMap(step)
    #expect(try values.ctcClasses(steps: 8, classes: 4) == [1, 1, 2, 3])
    #expect(try values.ctcText(alphabet: ["", "l", "o", "!"], steps: 8) == "llo!")
    #expect(try values.ctcText(alphabet: ["a", "b", "c", ""], steps: 8, blank: 3) == "babca")
    #expect(throws: ImageError.self) { try values.ctcClasses(steps: 8, classes: 4, blank: 4) }
    #expect(throws: ImageError.self) { try values.ctcClasses(steps: 9, classes: 4) }
    #expect(throws: ImageError.self) { try values.ctcText(alphabet: [], steps: 8) }
  }
}
