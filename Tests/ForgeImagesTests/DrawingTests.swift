import Forge
import ForgeImages
import Testing

/// Boxes, lines, text, masks and colors.
@Suite struct DrawingTests {
  private let red = PixelColor(red: 255, green: 0, blue: 0)

  /// The pixels that are not white, as text.
  private func art(_ canvas: Canvas) -> String {
    let image = canvas.image()
    return (0..<image.height).map { y in
      String(
        (0..<image.width).map { x -> Character in
          image.pixels[3 * (y * image.width + x) + 1] < 128 ? "#" : "."
        })
    }.joined(separator: "\n")
  }

  @Test func textHasTheFormOfItsLetters() throws {
    var canvas = try Canvas(width: 18, height: 7)
    canvas.draw(text: "Ag1", x: 0, y: 0, color: .black, scale: 1)
    #expect(
      art(canvas) == """
        ..#...........#...
        .#.#...####..##...
        #...#.#...#...#...
        #...#.#...#...#...
        #####..####...#...
        #...#.....#...#...
        #...#..###...###..
        """)
    #expect(Canvas.size(of: "Ag1", scale: 2) == Size(width: 34, height: 14))
    // Twice the size is each pixel four times.
    var large = try Canvas(width: 36, height: 14)
    large.draw(text: "Ag1", x: 0, y: 0, color: .black, scale: 2)
    let (small, twice) = (canvas.image(), large.image())
    #expect(try small.resized(width: 36, height: 14, filter: .nearest) == twice)
    // Every printable character is drawn, and all differ.
    let glyphs = try (33..<127).map { code in
      var canvas = try Canvas(width: 5, height: 7)
      canvas.draw(
        text: String(UnicodeScalar(UInt8(code))), x: 0, y: 0, color: .black, scale: 1)
      return art(canvas)
    }
    #expect(Set(glyphs).count == 94)
  }

  @Test func rectanglesAreOutlined() throws {
    var canvas = try Canvas(width: 6, height: 5)
    canvas.draw(CropRectangle(x: 1, y: 0, width: 4, height: 4), color: red, thickness: 1)
    #expect(
      art(canvas) == """
        .####.
        .#..#.
        .#..#.
        .####.
        ......
        """)
    let before = canvas
    for bad in [
      CropRectangle(x: .nan, y: 0, width: 1, height: 1),
      CropRectangle(x: 0, y: 0, width: .infinity, height: 1),
      CropRectangle(x: 1e300, y: 0, width: 5, height: 1),
      CropRectangle(x: 0, y: -50, width: 5, height: 1),
    ] {
      canvas.draw(bad, color: .black)
      canvas.fill(bad, color: .black)
    }
    #expect(canvas.image() == before.image())
    canvas.fill(CropRectangle(x: -1e300, y: -3, width: 2e300, height: 100), color: red)
    #expect(!art(canvas).contains("."))
  }

  @Test func linesAreStraight() throws {
    var canvas = try Canvas(width: 7, height: 7)
    canvas.draw(
      polyline: [CanvasPoint(x: 0.5, y: 0.5), CanvasPoint(x: 6.5, y: 6.5)], color: .black,
      thickness: 1)
    let image = canvas.image()
    for index in 0..<7 { #expect(image.pixels[3 * (8 * index)] == 0) }
    #expect(image.pixels[3 * 6] == 255)
    // What is not finite or far away is not drawn, and takes no time.
    let before = canvas.image()
    for point in [
      CanvasPoint(x: .nan, y: 1), CanvasPoint(x: .infinity, y: 1), CanvasPoint(x: 1e30, y: 1),
    ] {
      canvas.draw(polyline: [CanvasPoint(x: 1, y: 1), point], color: .black)
    }
    #expect(canvas.image() == before)
    canvas.draw(
      polyline: [CanvasPoint(x: -9e8, y: 3.5), CanvasPoint(x: 9e8, y: 3.5)], color: .black)
    #expect((0..<7).allSatisfy { canvas.image().pixels[3 * (21 + $0)] == 0 })
  }

  @Test func boxesHaveLabels() throws {
    var canvas = try Canvas(width: 120, height: 90)
    let box = DetectedBox(label: 1, score: 0.876, x: 0.5, y: 0.5, width: 0.5, height: 0.5)
    canvas.draw([box], labels: ["cat", "dog"])
    let color = PixelColor.distinct(1)
    let image = canvas.image()
    // The frame's left upper corner, and the label's above it.
    for (x, y) in [(30, 23), (30, 22), (89, 66)] {
      let start = 3 * (y * 120 + x)
      #expect(
        Array(image.pixels[start..<start + 3]) == [color.red, color.green, color.blue],
        "\(x), \(y)")
    }
    var text = try Canvas(width: 120, height: 90)
    text.draw([box], labels: ["cat", "dog"], showsScores: false)
    #expect(text.image() != image)
    // A box at the edges and beyond, and one that is not a number.
    canvas.draw([
      DetectedBox(label: -5, score: .nan, x: 0, y: 0, width: 3, height: 3),
      DetectedBox(label: .max, score: .infinity, x: .nan, y: 0, width: 1, height: 1),
      DetectedBox(label: .min, score: -1e30, x: 1e30, y: 0, width: 1e30, height: 1),
    ])
  }

  @Test func keypointsAreJoined() throws {
    var canvas = try Canvas(width: 21, height: 21)
    let points = [
      Keypoint(x: 0.5, y: 0.1, score: 1), Keypoint(x: 0.5, y: 0.9, score: 1),
      Keypoint(x: 0.1, y: 0.5, score: 0),
    ]
    canvas.draw(
      points, lines: [(0, 1), (1, 2), (0, 9), (-1, 0)], color: { _ in .black }, radius: 2)
    let image = canvas.image()
    #expect(image.pixels[3 * (10 * 21 + 10)] == 0)
    #expect(image.pixels[3 * (10 * 21 + 2)] == 255)
  }

  @Test func masksAreMixed() throws {
    var canvas = try Canvas(width: 2, height: 1, color: .black)
    try canvas.draw(mask: [1, .nan], color: .white, opacity: 0.5)
    #expect(canvas.image().pixels == [128, 128, 128, 0, 0, 0])
    #expect(throws: ImageError.self) { try canvas.draw(mask: [1], color: .white) }
    #expect(throws: ImageError.self) { try Canvas(width: 0, height: 1) }
    #expect(throws: ImageError.self) { try Canvas(width: .max, height: .max) }
  }

  @Test func mapsHaveColors() throws {
    let heat = try Image(heatMap: [0, 1, 2, 3, .nan], width: 5, height: 1)
    #expect(
      heat.pixels == [0, 0, 0, 255, 0, 0, 255, 255, 0, 255, 255, 255, 0, 0, 0])
    let gray = try Image(heatMap: [-1, 0.5, 9], width: 3, height: 1, range: 0...1, colors: .gray)
    #expect(gray.pixels == [0, 0, 0, 128, 128, 128, 255, 255, 255])
    #expect(try Image(heatMap: [4, 4], width: 2, height: 1).pixels.allSatisfy { $0 == 0 })
    #expect(throws: ImageError.self) { try Image(heatMap: [1], width: 2, height: 1) }
    #expect(throws: ImageError.self) {
      try Image(heatMap: [1], width: 1, height: 1, range: 2...2)
    }
    let classes = try Image(classes: [0, 1, 0], width: 3, height: 1)
    #expect(classes.pixels.prefix(3) == classes.pixels.suffix(3))
    #expect(classes.pixels.prefix(3) != classes.pixels[3..<6])
    #expect(Set((0..<50).map(PixelColor.distinct)).count == 50)
    #expect(PixelColor.distinct(.min) == PixelColor.distinct(.min))
    #expect(PixelColor.white.contrast == .black)
  }
}
