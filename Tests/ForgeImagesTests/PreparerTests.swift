import CForgeTestSupport
import Forge
import ForgeImages
import Testing

/// Pictures straight into the memory of a prediction.
@Suite struct PreparerTests {
  private func gradient(_ width: Int, _ height: Int) throws -> Image {
    var pixels: [UInt8] = []
    for index in 0..<width * height {
      for value in [index % 251, index / 3 % 256, index * 7 % 256] { pixels.append(UInt8(value)) }
    }
    return try Image(width: width, height: height, format: .rgb, pixels: pixels)
  }

  @Test func examplesFollowEachOther() throws {
    let image = try gradient(9, 5)
    let preparation = ImagePreparation(width: 4, height: 3, normalization: .unitRange)
    let expected = try image.values(prepared: preparation).values
    let preparer = ImagePreparer(preparation)
    var values = [Float](repeating: -1, count: 3 * expected.count)
    try image.withView { view in
      var span = values.mutableSpan
      try preparer.prepare(view, into: &span, example: 2)
    }
    #expect(Array(values.suffix(expected.count)) == expected)
    #expect(values.prefix(2 * expected.count).allSatisfy { $0 == -1 })
    for example in [3, -1, Int.max] {
      #expect(throws: ImageError.self) {
        try image.withView { view in
          var span = values.mutableSpan
          _ = try preparer.prepare(view, into: &span, example: example)
        }
      }
    }
  }

  @Test func layoutsHoldTheSameValues() throws {
    let image = try gradient(9, 5)
    var preparation = ImagePreparation(width: 4, height: 3, normalization: .keras(.caffe))
    let last = try image.values(prepared: preparation)
    preparation.layout = .channelsFirst
    let first = try image.values(prepared: preparation)
    #expect(first.shape == Shape(sizes: [3, 3, 4]))
    for pixel in 0..<12 {
      for channel in 0..<3 {
        #expect(first.values[channel * 12 + pixel] == last.values[pixel * 3 + channel])
      }
    }
  }

  @Test func bytesAreRoundedAndClamped() throws {
    let image = try Image(width: 4, height: 1, format: .gray, pixels: [0, 1, 3, 255])
    let preparation = ImagePreparation(
      normalization: PixelNormalization(order: .gray, scale: [0.5], bias: [2]))
    let preparer = ImagePreparer(preparation)
    var unsigned = [UInt8](repeating: 9, count: 4)
    var signed = [Int8](repeating: 9, count: 4)
    try image.withView { view in
      var span = unsigned.mutableSpan
      try preparer.prepare(view, into: &span)
      var others = signed.mutableSpan
      try preparer.prepare(view, into: &others)
    }
    #expect(unsigned == [2, 2, 4, 130])  // 2.5, 3.5 and 129.5 go to the even number
    #expect(signed == [2, 2, 4, 127])
    // Without a scale the bytes are those of the picture.
    let raw = ImagePreparer(ImagePreparation(normalization: .raw.ordered(.gray)))
    try image.withView { view in
      var span = unsigned.mutableSpan
      try raw.prepare(view, into: &span)
    }
    #expect(unsigned == image.pixels)
  }

  @Test func meanImagesAreSubtracted() throws {
    let image = try Image(width: 2, height: 1, format: .rgb, pixels: [10, 20, 30, 40, 50, 60])
    var preparation = ImagePreparation(
      normalization: PixelNormalization(order: .bgr, scale: [2], bias: [1]))
    preparation.meanImage = TensorValues(
      width: 2, height: 1, channels: 3, values: [1, 2, 3, 4, 5, 6])
    let values = try image.values(prepared: preparation).values
    #expect(values == [59, 37, 15, 113, 91, 69])
    preparation.layout = .channelsFirst
    #expect(try image.values(prepared: preparation).values == [59, 113, 37, 91, 15, 69])
    preparation.size = Size(square: 3)
    #expect(throws: ImageError.self) { try image.values(prepared: preparation) }
  }

  @Test func letterboxesMapBack() throws {
    let preparation = ImagePreparation.letterbox(width: 640, height: 640)
    let geometry = try preparation.geometry(width: 1920, height: 1080)
    #expect(geometry.region == CropRectangle(x: 0, y: 140, width: 640, height: 360))
    let center = geometry.source(x: 320, y: 320)
    #expect((center.x, center.y) == (960, 540))
    let back = geometry.input(x: 960, y: 540)
    #expect((back.x, back.y) == (320, 320))
    let box = DetectedBox(label: 3, score: 0.5, x: 0.5, y: 0.5, width: 0.5, height: 360.0 / 640)
    let mapped = geometry.source(box)
    #expect(mapped == DetectedBox(label: 3, score: 0.5, x: 0.5, y: 0.5, width: 0.5, height: 1))
    let point = geometry.source(Keypoint(x: 1, y: 500.0 / 640, score: 1))
    #expect((point.x, point.y) == (1, 1))
    // A mask of the input: its border is left out.
    var mask = [Float](repeating: 0, count: 64)
    for index in 16..<48 { mask[index] = 1 }
    let small = try preparation.geometry(width: 16, height: 9)
    let source = try small.sourceMask(mask, width: 8, height: 8)
    #expect(source.count == 144)
    #expect(source[16 * 4 + 8] == 1)
    #expect(throws: ImageError.self) { try small.sourceMask(mask, width: 9, height: 8) }
  }

  @Test func cropsMapBack() throws {
    let preparation = ImagePreparation.torchvision()
    let geometry = try preparation.geometry(width: 512, height: 1024)
    #expect(geometry.box == CropRectangle(x: 32, y: 288, width: 448, height: 448))
    let corner = geometry.source(x: 0, y: 224)
    #expect((corner.x, corner.y) == (32, 736))
    let mask = try geometry.sourceMask([1], width: 1, height: 1, outside: -1)
    #expect(mask[0] == -1)
    #expect(mask[288 * 512 + 32] == 1)
    #expect(mask[735 * 512 + 479] == 1)
    #expect(mask[736 * 512 + 479] == -1)
    for (size, side) in [(224, 223), (224, 0), (224, -1), (224, .max)] {
      #expect(throws: ImageError.self) {
        try ImagePreparation.torchvision(size: size, shorterSide: side)
          .geometry(width: 300, height: 400)
      }
    }
  }

  /// Frames of one size, alone and as the first of many.
  @Test func furtherPicturesDoNotAllocate() throws {
    let frame = [UInt8](repeating: 90, count: 64 * 48 * 3 / 2)
    var values = [Float](repeating: 0, count: 32 * 32 * 3)
    var screen = [UInt8](repeating: 0, count: 64 * 48 * 4)
    let converter = ImageConverter(format: .bgra, threads: 1)
    for filter in [ResamplingFilter.bilinear, .bilinearAliased, .area, .nearest] {
      let preparer = ImagePreparer(
        ImagePreparation(
          width: 32, height: 32, crop: .letterbox(.black), filter: filter, normalization: .torch),
        threads: 1)
      try ImageView.withView(of: frame.span.bytes, width: 64, height: 48, frame: .nv12) { view in
        for index in 0...50 {
          // The first one makes tables.
          if index == 1 { forge_count_allocations() }
          var span = values.mutableSpan
          try preparer.prepare(view, into: &span)
          var pixels = screen.mutableSpan
          var memory = pixels.mutableBytes
          try converter.convert(view, into: &memory)
        }
        #expect(forge_counted_allocations() == 0, "\(filter)")
      }
    }
  }

  /// Shrinking by more rows than are kept at once, both ways.
  @Test func hugeScalesAreMeans() throws {
    let column = try Image(
      width: 2, height: 5000, format: .gray,
      pixels: (0..<5000).flatMap { [UInt8($0 < 2500 ? 100 : 200), 50] })
    for filter in [ResamplingFilter.bilinear, .area, .bicubic, .lanczos] {
      let small = try column.resized(width: 2, height: 1, filter: filter)
      #expect(small.pixels == [150, 50], "\(filter)")
      let pair = try column.resized(width: 2, height: 2, filter: .area)
      #expect(pair.pixels == [100, 50, 200, 50])
    }
  }
}
