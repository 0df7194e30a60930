import ForgeImages
import ForgeTestSupport
import Testing

/// Truncated, altered and crafted files: a typed error or a picture, never a trap or much memory.
@Suite struct HostileFileTests {
  /// Small files of every decoder and most forms.
  static let files = [
    "rgb8.png", "gray1.png", "palette4-transparent.png", "rgba16-interlaced.png", "gray-alpha8.png",
    "jpeg-444.jpg", "jpeg-420-progressive.jpg", "jpeg-gray.jpg", "jpeg-cmyk.jpg", "jpeg-exif6.jpg",
    "jpeg-restarts.jpg", "p2-7.pgm", "p3-100.ppm", "p5-255.pgm", "p6-1000.ppm",
  ]

  @Test(arguments: files)
  func everyTruncationIsAnError(_ file: String) throws {
    let bytes = try ImageFixtures.bytes(file)
    // A text's last line end may be missing, and a number's last digits leave a number.
    let last = file.hasPrefix("p2") || file.hasPrefix("p3") ? bytes.count - 3 : bytes.count
    for count in 0..<last {
      let error = #expect(throws: ImageError.self) {
        try Image(decoding: Array(bytes.prefix(count)))
      }
      guard let error else {
        Issue.record("\(file) cut to \(count) of \(bytes.count) bytes was read")
        return
      }
      #expect([.truncated, .damaged, .unknownFormat].contains(error.kind), "\(count): \(error)")
    }
  }

  @Test(arguments: files)
  func alteredBytesAreHandled(_ file: String) throws {
    let bytes = try ImageFixtures.bytes(file)
    var generator = SplitMix64(seed: 5)
    let limits = ImageLimits(maximumPixels: 1 << 22)
    for _ in 0..<600 {
      var altered = bytes
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      altered[place] ^= UInt8.random(in: 1...255, using: &generator)
      tryToDecode(altered, limits)
    }
  }

  @Test(arguments: files)
  func manyAlteredBytesAreHandled(_ file: String) throws {
    let bytes = try ImageFixtures.bytes(file)
    var generator = SplitMix64(seed: 6)
    let limits = ImageLimits(maximumPixels: 1 << 22)
    for _ in 0..<200 {
      var altered = bytes
      for _ in 0..<Int.random(in: 2...12, using: &generator) {
        altered[Int.random(in: 2..<bytes.count, using: &generator)] =
          UInt8.random(in: 0...255, using: &generator)
      }
      altered.removeSubrange(
        Int.random(in: bytes.count / 2...bytes.count, using: &generator)...)
      tryToDecode(altered, limits)
    }
  }

  /// An altered byte anywhere in a PNG file is detected, as checksums cover every byte.
  @Test func alteredPNGIsAnError() throws {
    let bytes = try ImageFixtures.bytes("palette4-transparent.png")
    for place in bytes.indices {
      var altered = bytes
      altered[place] ^= 0x10
      #expect(throws: ImageError.self, "byte \(place)") { try Image(decoding: altered) }
    }
  }

  /// The documented defaults; all other tests use ``ImageLimits``.
  @Test func defaultLimits() {
    let limits = ImageLimits()
    #expect(limits.maximumPixels == 1 << 26)
    #expect(limits.maximumWorkingBytes == 200_000_000)
  }

  @Test func hugeSizesAllocateNoMemory() throws {
    // Sizes within the limit that the bytes cannot hold.
    let side = HostilePicture.side
    let large = [
      resizedPNG(
        try ImageFixtures.bytes("rgb8.png"), width: UInt32(side), height: UInt32(side)),
      try resizedJPEG(
        try ImageFixtures.bytes("jpeg-444.jpg"), width: UInt16(side), height: UInt16(side)),
      Array("P5 \(side) \(side) 255\nabc".utf8),
    ]
    for bytes in large {
      let error = #expect(throws: ImageError.self) { try Image(decoding: bytes) }
      #expect(error?.kind == .truncated)
      #expect(error?.headline.hasSuffix("file is too short for its picture") == true)
    }
    // Sizes beyond any limit.
    let most = [
      resizedPNG(try ImageFixtures.bytes("rgb8.png"), width: 0x7FFF_FFFF, height: 0x7FFF_FFFF),
      try resizedJPEG(try ImageFixtures.bytes("jpeg-444.jpg"), width: 65500, height: 65500),
      Array("P6 2000000000 2000000000 255\nabc".utf8),
      Array("P3 2000000000 2000000000 255\n1 2 3".utf8),
    ]
    for bytes in most {
      let error = #expect(throws: ImageError.self) { try Image(decoding: bytes) }
      #expect(error?.kind == .tooLarge)
    }
    let beyond = resizedPNG(
      try ImageFixtures.bytes("rgb8.png"), width: 0x8000_0000, height: 0x8000_0000)
    #expect(throws: ImageError.self) { try Image(decoding: beyond) }
    // The highest limit that can be set still leaves the bytes to be asked.
    for bytes in most {
      let limits = ImageLimits(maximumPixels: .max)
      #expect(throws: ImageError.self) { try Image(decoding: bytes, limits: limits) }
    }
  }

  @Test func excessiveScansAreRejected() throws {
    let bytes = try ImageFixtures.bytes("jpeg-gray-progressive.jpg")
    let scans = bytes.indices.filter { bytes[$0...].starts(with: [0xFF, 0xDA]) }
    let last = try #require(scans.last)
    let scan = bytes[last..<bytes.count - 2]
    let many =
      Array(bytes[..<last]) + Array(repeatElement(scan, count: 2000).joined()) + [0xFF, 0xD9]
    let error = #expect(throws: ImageError.self) { try Image(decoding: many) }
    #expect(error?.kind == .damaged)
  }

  private func tryToDecode(_ bytes: [UInt8], _ limits: ImageLimits) {
    do throws(ImageError) {
      let image = try Image(decoding: bytes, limits: limits)
      #expect(image.pixels.count == image.width * image.height * image.format.channels)
    } catch {
      #expect(!error.headline.isEmpty)
    }
  }

  /// A PNG file that claims another size, its checksum put right.
  private func resizedPNG(_ bytes: [UInt8], width: UInt32, height: UInt32) -> [UInt8] {
    var bytes = bytes
    bytes.replaceSubrange(16..<20, with: bigEndian(width))
    bytes.replaceSubrange(20..<24, with: bigEndian(height))
    bytes.replaceSubrange(29..<33, with: bigEndian(crc(bytes[12..<29])))
    return bytes
  }

  /// A JPEG file that claims another size.
  private func resizedJPEG(_ bytes: [UInt8], width: UInt16, height: UInt16) throws -> [UInt8] {
    let frame = try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xC0]) })
    var bytes = bytes
    bytes.replaceSubrange(frame + 5..<frame + 7, with: bigEndian(UInt32(height)).suffix(2))
    bytes.replaceSubrange(frame + 7..<frame + 9, with: bigEndian(UInt32(width)).suffix(2))
    return bytes
  }

  private func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
  }

  private func crc(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var value = UInt32.max
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
    return ~value
  }
}
