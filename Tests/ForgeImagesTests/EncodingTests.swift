import Forge
import ForgeImages
import Foundation
import Testing

/// Written files, read again.
@Suite struct EncodingTests {
  private func picture(_ format: PixelFormat, _ samples: SampleType = .uint8) throws -> Image {
    let count = 13 * 7 * format.channels
    let values = (0..<count).map { Float($0 * 37 % 256) / 255 }
    return try Image(values: values, width: 13, height: 7, format: format, range: 0...1)
      .converted(to: format, samples: samples)
  }

  @Test(arguments: [PixelFormat.gray, .rgb, .rgba])
  func pngIsExact(_ format: PixelFormat) throws {
    let image = try picture(format)
    for compression in [0, 6, 9] {
      let file = try image.encoded(as: .png(compression: compression))
      #expect(try Image(decoding: file) == image)
    }
    // Readers take the upper 8 bits of 16.
    let wide = try picture(format, .uint16)
    let file = try wide.encoded(as: .png)
    #expect(file[24] == 16)
    #expect(try Image(decoding: file) == image)
  }

  @Test func otherOrdersAreWrittenAsUsual() throws {
    for (format, usual) in [
      (PixelFormat.bgr, PixelFormat.rgb), (.bgra, .rgba), (.argb, .rgba),
    ] {
      let image = try picture(usual)
      let turned = try image.converted(to: format)
      #expect(turned != image)
      #expect(try Image(decoding: turned.encoded(as: .png)) == image)
    }
  }

  @Test(arguments: [PixelFormat.gray, .rgb])
  func portableAnymapIsExact(_ format: PixelFormat) throws {
    let image = try picture(format)
    #expect(try Image(decoding: image.encoded(as: .portableAnymap)) == image)
    let wide = try picture(format, .uint16)
    #expect(try Image(decoding: wide.encoded(as: .portableAnymap)) == image)
  }

  @Test func jpegIsClose() throws {
    var pixels: [UInt8] = []
    for index in 0..<64 * 48 {
      for value in [index % 64 * 3, index / 64 * 4, 90] { pixels.append(UInt8(value)) }
    }
    let image = try Image(width: 64, height: 48, format: .rgb, pixels: pixels)
    for (quality, tolerance) in [(100, 3), (90, 12), (50, 40)] {
      let file = try image.encoded(as: .jpeg(quality: quality))
      let read = try Image(decoding: file)
      #expect(largestDifference(read.pixels, image.pixels) <= tolerance, "\(quality)")
    }
    let large = try image.encoded(as: .jpeg(quality: 95)).count
    #expect(try image.encoded(as: .jpeg(quality: 30)).count < large)
    let gray = try image.converted(to: .gray)
    let read = try Image(decoding: gray.encoded(as: .jpeg(quality: 100)))
    #expect(read.format == .gray)
    #expect(largestDifference(read.pixels, gray.pixels) <= 2)
  }

  @Test func transparencyLiesOnTheBackground() throws {
    let image = try Image(width: 1, height: 1, format: .rgba, pixels: [200, 100, 0, 0])
    let black = try Image(
      decoding: image.encoded(as: .portableAnymap, background: .black))
    #expect(black.pixels == [0, 0, 0])
    let white = try Image(decoding: image.encoded(as: .jpeg(quality: 100)))
    #expect(white.pixels.allSatisfy { $0 >= 254 })
  }

  @Test func filesAreNamedByTheirEnds() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "ForgeImagesTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let image = try picture(.rgb)
    for (name, first) in [("a.png", UInt8(0x89)), ("b.JPG", 0xFF), ("c.ppm", 0x50)] {
      let path = folder.appending(path: name).path
      try image.write(to: path)
      #expect(try Data(contentsOf: URL(filePath: path)).first == first)
      try image.write(to: path)
    }
    for name in ["d", "e.gif", ".png", "f.png/g"] {
      #expect(throws: ImageError.self) {
        try image.write(to: folder.appending(path: name).path)
      }
    }
    #expect(throws: ImageError.self) { try image.write(to: folder.path, as: .png) }
    #expect(throws: ImageError.self) { try image.write(to: "/nowhere/a.png") }
    #expect(ImageEncoding(path: "x/y.jpeg") == .jpeg)
  }

  @Test func impossibleFilesAreErrors() throws {
    let image = try picture(.rgb)
    for encoding in [
      ImageEncoding.png(compression: -1), .png(compression: 10), .jpeg(quality: 0),
      .jpeg(quality: 101),
    ] {
      #expect(throws: ImageError.self) { try image.encoded(as: encoding) }
    }
    let wide = try Image(
      width: 70000, height: 1, format: .gray, pixels: [UInt8](repeating: 0, count: 70000))
    #expect(throws: ImageError.self) { try wide.encoded(as: .jpeg) }
    #expect(try Image(decoding: wide.encoded(as: .png)) == wide)
  }

  @Test func valuesBecomePixels() throws {
    let values: [Float] = [-1, -0.5, 0, 1, 2, 0.25]
    let image = try Image(values: values, width: 2, height: 1, format: .rgb, range: -1...1)
    #expect(image.pixels == [0, 64, 128, 255, 255, 159])
    let planes = try Image(
      values: values, width: 2, height: 1, format: .rgb, range: -1...1, layout: .channelsFirst)
    #expect(planes.pixels == [0, 128, 255, 64, 255, 159])
    let tensor = TensorValues(width: 2, height: 1, channels: 3, values: values)
    #expect(try Image(tensor, range: -1...1) == image)
    #expect(throws: ImageError.self) {
      try Image(values: values, width: 3, height: 1, format: .rgb, range: -1...1)
    }
    #expect(throws: ImageError.self) {
      try Image(values: [.nan], width: 1, height: 1, format: .gray, range: 0...1)
    }
    #expect(throws: ImageError.self) {
      try Image(values: [0], width: 1, height: 1, format: .gray, range: 1...1)
    }
    #expect(throws: ImageError.self) {
      try Image(values: [], width: .max, height: .max, format: .gray, range: 0...1)
    }
    #expect(throws: ImageError.self) {
      try Image(TensorValues(shape: Shape(sizes: [1, 1, 2]), values: [0, 0]), range: 0...1)
    }
  }
}
