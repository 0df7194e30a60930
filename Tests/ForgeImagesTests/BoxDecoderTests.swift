import Forge
import ForgeImages
import Testing

/// Boxes of networks with known numbers.
///
/// σ(0) is ½, σ(ln 3) is ¾, exp(0) is 1.
@Suite struct BoxDecoderTests {
  private let ln3: Float = 1.0986123

  private func expect(
    _ box: DetectedBox?, _ label: Int, _ score: Float, _ x: Float, _ y: Float, _ width: Float,
    _ height: Float, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let box = try #require(box, sourceLocation: sourceLocation)
    #expect(box.label == label, sourceLocation: sourceLocation)
    for (actual, expected) in [
      (box.score, score), (box.x, x), (box.y, y), (box.width, width), (box.height, height),
    ] {
      #expect(abs(actual - expected) <= 1e-6, "\(box)", sourceLocation: sourceLocation)
    }
  }

  /// A grid of 2×1 cells with one anchor and two classes; only the second cell has an object.
  private func head(_ second: [Float]) -> [Float] {
    [Float](repeating: 0, count: 4) + [-50, 0, 0] + second
  }

  @Test func version2() throws {
    let decoder = try BoxDecoder.yoloV2(
      grid: Size(width: 2, height: 1), anchors: [BoxAnchor(width: 0.5, height: 0.25)], classes: 2)
    #expect(decoder.valueCount == 14)
    let boxes = try decoder.boxes(head([0, ln3, 0, 0, ln3, 0, ln3]), minimumScore: 0.5)
    // σ(objectness)·softmax = ¾·¾
    #expect(boxes.count == 1)
    try expect(boxes.first, 1, 0.5625, 0.75, 0.75, 0.25, 0.25)
    // Both classes count for themselves.
    let both = try decoder.boxes(head([0, 0, 0, 0, ln3, 0, ln3]), minimumScore: 0.1)
    #expect(both.map(\.label) == [0, 1])
  }

  @Test func version3And4() throws {
    let (grid, input) = (Size(width: 2, height: 1), Size(width: 64, height: 32))
    let anchors = [BoxAnchor(width: 16, height: 8)]
    let values = head([0, ln3, 0, 0, ln3, -50, ln3])
    let three = try BoxDecoder.yoloV3(grid: grid, anchors: anchors, classes: 2, input: input)
    try expect(
      three.boxes(values, minimumScore: 0.5).first, 1, 0.5625, 0.75, 0.75, 0.25, 0.25)
    let four = try BoxDecoder.yoloV3(
      grid: grid, anchors: anchors, classes: 2, input: input, scaleXY: 2)
    // 2·½ − ½ = ½, 2·¾ − ½ = 1
    try expect(four.boxes(values, minimumScore: 0.5).first, 1, 0.5625, 0.75, 1, 0.25, 0.25)
    // The same in planes.
    let planes = (0..<7).flatMap { channel in [values[channel], values[7 + channel]] }
    let first = try BoxDecoder.yoloV3(
      grid: grid, anchors: anchors, classes: 2, input: input, layout: .channelsFirst)
    #expect(
      try first.boxes(planes, minimumScore: 0.5) == three.boxes(values, minimumScore: 0.5))
  }

  @Test func version5() throws {
    let input = Size(width: 64, height: 32)
    let decoder = try BoxDecoder.yoloV5(
      grid: Size(width: 2, height: 1), anchors: [BoxAnchor(width: 16, height: 8)], classes: 2,
      input: input)
    // (2·¾)² = 2.25
    try expect(
      decoder.boxes(head([0, ln3, ln3, 0, ln3, ln3, -50]), minimumScore: 0.5).first, 0, 0.5625,
      0.75, 1, 0.5625, 0.25)
    let decoded = try BoxDecoder.candidatesWithObjectness(classes: 2, count: 2, input: input)
    let rows: [Float] = [32, 16, 8, 4, 0.1, 1, 1, 16, 8, 32, 16, 0.5, 0.2, 0.8]
    let boxes = try decoded.boxes(rows, minimumScore: 0.3)
    #expect(boxes.count == 1)
    try expect(boxes.first, 1, 0.4, 0.25, 0.25, 0.5, 0.5)
  }

  @Test func version8And10() throws {
    let input = Size(width: 64, height: 32)
    let eight = try BoxDecoder.candidates(classes: 2, count: 3, input: input)
    let values: [Float] = [
      32, 16, 1, 16, 8, 1, 32, 16, 1, 16, 8, 1, 0.3, 0.9, 0.1, 0.6, 0.2, 0.1,
    ]
    let boxes = try eight.boxes(values, minimumScore: 0.5)
    #expect(boxes.map(\.label) == [1, 0])
    try expect(boxes.first, 1, 0.6, 0.5, 0.5, 0.5, 0.5)
    try expect(boxes.last, 0, 0.9, 0.25, 0.25, 0.25, 0.25)
    let ten = try BoxDecoder.finished(count: 3, input: input)
    let rows: [Float] = [16, 8, 48, 24, 0.9, 5, 0, 0, 8, 8, 0.2, 1, 0, 0, 8, 8, 0.8, .nan]
    let finished = try ten.boxes(rows, minimumScore: 0.5)
    #expect(finished.count == 1)
    try expect(finished.first, 5, 0.9, 0.5, 0.5, 0.5, 0.5)
  }

  @Test func priorBoxes() throws {
    let priors = try PriorBox.grid(
      Size(width: 2, height: 1), scale: 0.2, nextScale: 0.8, ratios: [4])
    #expect(priors.count == 6)
    let expected: [(Float, Float, Float, Float)] = [
      (0.25, 0.5, 0.2, 0.2), (0.25, 0.5, 0.4, 0.4), (0.25, 0.5, 0.4, 0.1), (0.75, 0.5, 0.2, 0.2),
    ]
    for (prior, numbers) in zip(priors, expected) {
      for (a, b) in [
        (prior.x, numbers.0), (prior.y, numbers.1), (prior.width, numbers.2),
        (prior.height, numbers.3),
      ] {
        #expect(abs(a - b) <= 1e-6)
      }
    }
    let decoder = try BoxDecoder.ssd(priors: Array(priors.prefix(2)), classes: 3)
    let differences: [Float] = [0, 0, 0, 0, 2, -1, 0, 5 * ln3]
    // The softmax of (0, ln 3, 0) is (0.2, 0.6, 0.2); of (0, 0, 2·ln 3) it is (1, 1, 9) / 11.
    let numbers: [Float] = [0, ln3, 0, 0, 0, 2 * ln3]
    let boxes = try decoder.boxes(differences + numbers, minimumScore: 0.3)
    #expect(boxes.map(\.label) == [1, 2])
    try expect(boxes.first, 1, 0.6, 0.25, 0.5, 0.2, 0.2)
    try expect(boxes.last, 2, 9.0 / 11, 0.33, 0.46, 0.4, 1.2)
    for ratio in [0, -1, .nan, .infinity] as [Float] {
      #expect(throws: ImageError.self) {
        try PriorBox.grid(Size(square: 1), scale: 1, ratios: [ratio])
      }
    }
  }

  @Test func centers() throws {
    let decoder = try BoxDecoder.centers(grid: Size(width: 3, height: 2), classes: 1)
    // A peak, its neighbor, and a second peak that is too low.
    let values: [Float] =
      [0.9, 0.8, 0.1, 0.1, 0.1, 0.2] + [1.5, 1, 1, 1, 1, 1] + [1, 1, 1, 1, 1, 1]
      + [0.25, 0, 0, 0, 0, 0] + [0.5, 0, 0, 0, 0, 0]
    let boxes = try decoder.boxes(values, minimumScore: 0.3)
    #expect(boxes.count == 1)
    try expect(boxes.first, 0, 0.9, 0.25 / 3, 0.25, 0.5, 0.5)
  }

  @Test func hostileOutputsAreErrorsOrNothing() throws {
    let input = Size(square: 64)
    let decoder = try BoxDecoder.candidates(classes: 1, count: 4, input: input)
    #expect(throws: ImageError.self) { try decoder.boxes([0], minimumScore: 0.1) }
    for bad in [Float.nan, .infinity, -.infinity] {
      let values = [Float](repeating: bad, count: 20)
      #expect(try decoder.boxes(values, minimumScore: 0.1).isEmpty)
      let grid = try BoxDecoder.yoloV3(
        grid: Size(square: 2), anchors: [BoxAnchor(width: 1, height: 1)], classes: 1, input: input)
      #expect(
        try grid.boxes([Float](repeating: bad, count: 24), minimumScore: 0.1).isEmpty)
    }
    for count in [0, -1, Int.max, .min] {
      #expect(throws: ImageError.self) {
        try BoxDecoder.candidates(classes: 1, count: count, input: input)
      }
      #expect(throws: ImageError.self) {
        try BoxDecoder.candidates(classes: count, count: .max, input: input)
      }
      #expect(throws: ImageError.self) {
        try BoxDecoder.centers(grid: Size(width: count, height: 2), classes: .max)
      }
      #expect(throws: ImageError.self) {
        try BoxDecoder.yoloV2(
          grid: Size(width: .max, height: count), anchors: [], classes: count)
      }
    }
  }
}
