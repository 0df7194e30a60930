import Forge
import ForgeImages
import ForgeTestSupport
import Testing

/// Resizing, cropping and color conversion against Pillow, bit for bit.
@Suite struct ResizingTests {
  @Test(arguments: try ResizingFixtures.shared.get().cases)
  func resizedEqualsPillow(_ testCase: ResizingFixtures.Resize) throws {
    let image = try ResizingFixtures.image(testCase.source)
    let box = testCase.box.map {
      CropRectangle(x: $0[0], y: $0[1], width: $0[2] - $0[0], height: $0[3] - $0[1])
    }
    let resized = try image.resized(
      width: testCase.width, height: testCase.height,
      filter: testCase.filter == "nearest" ? .nearest : .bilinear, box: box)
    #expect((resized.width, resized.height) == (testCase.width, testCase.height))
    #expect(resized.format == image.format)
    #expect(resized.pixels == [UInt8](testCase.pixels))
  }

  @Test func sameSizePreservesPicture() throws {
    let image = try ResizingFixtures.image("RGBA")
    #expect(try image.resized(width: image.width, height: image.height) == image)
    let whole = CropRectangle(
      x: 0, y: 0, width: Double(image.width), height: Double(image.height))
    #expect(try image.resized(width: image.width, height: image.height, box: whole) == image)
  }

  @Test func wholePixelBoxIsCropped() throws {
    let image = try ResizingFixtures.image("RGB")
    let box = CropRectangle(x: 3, y: 5, width: 17, height: 11)
    let cropped = try image.cropped(x: 3, y: 5, width: 17, height: 11)
    #expect(try image.resized(width: 17, height: 11, box: box) == cropped)
    #expect(try image.resized(width: 17, height: 11, filter: .nearest, box: box) == cropped)
    #expect(cropped.pixels.prefix(3) == image.pixels[3 * (5 * 37 + 3)..<3 * (5 * 37 + 4)])
  }

  @Test(arguments: try ResizingFixtures.shared.get().conversions.indices)
  func convertedEqualsPillow(_ index: Int) throws {
    let testCase = try ResizingFixtures.shared.get().conversions[index]
    let color = testCase.background
    let background = PixelColor(red: color[0], green: color[1], blue: color[2])
    let converted = try ResizingFixtures.image(testCase.source)
      .converted(to: try ResizingFixtures.format(testCase.to), background: background)
    #expect(converted.format == (try ResizingFixtures.format(testCase.to)))
    #expect(converted.pixels == [UInt8](testCase.pixels))
  }

  /// At most 1/255 from the floating-point resize of the reference of the layer `Resize`.
  @Test func bilinearMatchesAntialiasedResizeLayer() throws {
    var generator = SplitMix64(seed: 11)
    for _ in 0..<40 {
      func size(_ most: Int) -> Int { Int.random(in: 1...most, using: &generator) }
      let (width, height) = (size(60), size(60))
      let pixels = (0..<width * height).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let image = try Image(width: width, height: height, format: .gray, pixels: pixels)
      let (wide, high) = (size(90), size(90))
      let input = Input(width: width, height: height, channels: 1)
      let output = input --> Resize(width: wide, height: high, mode: .bilinearAntialiased)
      let network = try Model(input: input, output: output).compile()
      let expected = try network.predict(pixels.map(Float.init))
      let resized = try image.resized(width: wide, height: high).pixels
      // Two roundings to bytes, each of at most a half.
      let worst = zip(resized, expected).map { abs(Float($0) - $1) }.max()
      #expect(try #require(worst) <= 1.001)
    }
  }
}
