import Forge
import ForgeImporters
import Testing

/// What ONNX files say about pictures.
@Suite struct ONNXPictureTests {
  private typealias Writer = ONNXWriter

  private func pictures(
    _ properties: [(String, String)], sizes: [Int] = [1, 3, 8, 6], options: ImportOptions = .init()
  ) throws -> [String: PicturePreparation] {
    let entries = properties.flatMap {
      Writer.field(14, Writer.field(1, $0.0) + Writer.field(2, $0.1))
    }
    let model = Writer.model(
      [Writer.node("Relu", ["x"], ["y"])], inputs: [Writer.value("x", sizes)])
    return try ImportedModel(onnx: model + entries, options: options).model.metadata.pictures
  }

  @Test func ultralytics() throws {
    let common = [("author", "Ultralytics"), ("stride", "32"), ("imgsz", "[8, 6]")]
    let detector = try #require(try pictures(common + [("task", "detect")])["x"])
    #expect(
      detector
        == PicturePreparation(
          width: 6, height: 8, scale: [1 / 255], fit: .letterbox(114), filter: .bilinearAliased))
    let square = [("author", "Ultralytics"), ("stride", "1"), ("imgsz", "[7, 7]")]
    let classifier = try pictures(square + [("task", "classify")], sizes: [1, 3, 7, 7])["x"]
    #expect(
      classifier
        == PicturePreparation(width: 7, height: 7, scale: [1 / 255], fit: .shorterSide(7)))
    // A size that the input cannot have is left to the input.
    let other = try pictures([
      ("author", "Ultralytics"), ("stride", "32"), ("task", "detect"), ("imgsz", "[640, -1, x]"),
    ])["x"]
    #expect(other?.width == nil && other?.fit == .letterbox(114))
    #expect(try pictures([("author", "Ultralytics"), ("stride", "32")]).isEmpty)
    #expect(try pictures(common).isEmpty)
    // No pictures: two channels, or other axes.
    #expect(try pictures(common + [("task", "detect")], sizes: [1, 2, 8, 6]).isEmpty)
    #expect(try pictures(common + [("task", "detect")], sizes: [1, 3, 8]).isEmpty)
  }

  @Test func keysOfONNX() throws {
    func stated(
      _ format: String?, _ range: String?, channels: Int = 3
    ) throws -> PicturePreparation? {
      var properties: [(String, String)] = []
      if let format { properties.append(("Image.BitmapPixelFormat", format)) }
      if let range { properties.append(("Image.NominalPixelRange", range)) }
      return try pictures(properties, sizes: [1, channels, 5, 4])["x"]
    }
    #expect(try stated(nil, nil) == nil)
    #expect(try stated("Rgb8", nil) == PicturePreparation())
    #expect(try stated("Bgr8", "NominalRange_0_255") == PicturePreparation(colors: .bgr))
    #expect(
      try stated("Gray8", "Normalized_0_1", channels: 1)
        == PicturePreparation(colors: .gray, scale: [1 / 255]))
    #expect(
      try stated(nil, "Normalized_1_1") == PicturePreparation(scale: [1 / 127.5], bias: [-1]))
    #expect(
      try stated(nil, "NominalRange_16_235")
        == PicturePreparation(scale: [219.0 / 255], bias: [16]))
    for (format, range) in [("Rgba8", nil), ("Gray8", nil), (nil, "0..1"), ("", "")] {
      #expect(try stated(format, range) == nil)
    }
  }
}
