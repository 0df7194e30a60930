import Forge
import ForgeImages
import Testing

/// Pictures as the input of a network.
@Suite struct PreparationTests {
  struct Presets: Decodable { let presets: [String: [Float]] }

  /// Each of the 256 bytes in each channel against NumPy's single precision, whose formulas round
  /// two or three times where Forge rounds once.
  @Test(arguments: [
    ("raw", PixelNormalization.raw, Float(0)),
    ("unitRange", .unitRange, 0),
    ("tf", .keras(.tf), 6e-8),
    ("caffe", .keras(.caffe), 1.6e-5),
    ("torch", .keras(.torch), 5e-7),
  ])
  func presetsMatchNumPy(
    _ name: String, _ normalization: PixelNormalization, _ tolerance: Float
  )
    throws
  {
    let fixtures: Presets = try ImageFixtures.load("normalization")
    let expected = try #require(fixtures.presets[name])
    let ramp = (0..<256).flatMap { [UInt8($0), UInt8($0), UInt8($0)] }
    let image = try Image(width: 256, height: 1, format: .rgb, pixels: ramp)
    let values = try image.values(
      prepared: ImagePreparation(normalization: normalization.ordered(.rgb)))
    #expect(values.shape == Shape(width: 256, height: 1, channels: 3))
    let worst = zip(values.values, expected).map { abs($0 - $1) }.max()
    #expect(try #require(worst) <= tolerance)
    // A gray picture is the same in all channels.
    let gray = try Image(width: 256, height: 1, format: .gray, pixels: (0...255).map(UInt8.init))
    #expect(
      try gray.values(prepared: ImagePreparation(normalization: normalization.ordered(.rgb)))
        == values)
  }

  @Test func caffeUsesBlueGreenRed() throws {
    #expect(PixelNormalization.keras(.caffe).order == .bgr)
    let image = try Image(width: 1, height: 1, format: .rgb, pixels: [200, 100, 50])
    let values = try image.values(prepared: .init(normalization: .keras(.caffe))).values
    let expected: [Double] = [50 - 103.939, 100 - 116.779, 200 - 123.68]
    #expect(values == expected.map { Float($0) })
    #expect(
      try image.values(prepared: .init(normalization: .raw.ordered(.bgr))).values
        == [50, 100, 200])
    #expect(PixelNormalization.raw.ordered(.bgr).ordered(.rgb) == .raw)
    #expect(
      PixelNormalization.keras(.torch).ordered(.bgr).scale.first == 1 / (255 * 0.225))
  }

  @Test func grayConversionPrecedesResize() throws {
    let image = try ResizingFixtures.image("RGB")
    let values = try image.values(
      prepared: ImagePreparation(width: 9, height: 7, normalization: .raw.ordered(.gray)))
    #expect(values.shape == Shape(width: 9, height: 7, channels: 1))
    let expected = try image.converted(to: .gray).resized(width: 9, height: 7)
    #expect(values.values == expected.pixels.map(Float.init))
  }

  @Test(arguments: try ResizingFixtures.shared.get().fits.indices)
  func centerCropMatchesPillowFit(_ index: Int) throws {
    let fit = try ResizingFixtures.shared.get().fits[index]
    let image = try ResizingFixtures.image(fit.source)
    let order: ChannelOrder = image.format == .gray ? .gray : .rgb
    let values = try image.values(
      prepared: ImagePreparation(
        width: fit.width, height: fit.height, crop: .center, normalization: .raw.ordered(order)))
    #expect(values.values == fit.pixels.map(Float.init))
  }

  @Test func cropsWithoutSizeKeepTheirPixels() throws {
    let image = try ResizingFixtures.image("RGB")  // 37×23
    let box = CropRectangle(x: 3, y: 5, width: 17, height: 11)
    let part = try image.values(
      prepared: ImagePreparation(crop: .rectangle(box), normalization: .raw))
    #expect(part.shape == Shape(width: 17, height: 11, channels: 3))
    let cropped = try image.cropped(x: 3, y: 5, width: 17, height: 11)
    #expect(part.values == cropped.pixels.map(Float.init))
    let half = try image.values(
      prepared: ImagePreparation(crop: .center(fraction: 0.5), normalization: .raw))
    #expect(half.shape == Shape(width: 19, height: 12, channels: 3))
  }

  @Test func transparentPicturesBlendWithBackground() throws {
    let image = try Image(
      width: 2, height: 1, format: .rgba, pixels: [10, 20, 30, 0, 10, 20, 30, 255])
    let white = try image.values(prepared: ImagePreparation(normalization: .raw))
    #expect(white.values == [255, 255, 255, 10, 20, 30])
    let black = try image.values(
      prepared: ImagePreparation(normalization: .raw, background: .black))
    #expect(black.values == [0, 0, 0, 10, 20, 30])
  }

  /// From a file to a prediction, as the documentation of ``Image`` shows it.
  @Test func preparedPicturesArePredicted() throws {
    let input = Input(width: 8, height: 8, channels: 3)
    let network = try Model(input: input, output: input --> GlobalAveragePooling()).compile()
    let preparation = ImagePreparation(width: 8, height: 8, normalization: .keras(.tf))
    let photo = try Image(contentsOf: ImageFixtures.path("jpeg-420.jpg"))
    let means = try network.predict(photo.values(prepared: preparation))
    #expect(means.count == 3)
    #expect(means.allSatisfy { abs($0) < 1 })
  }
}
