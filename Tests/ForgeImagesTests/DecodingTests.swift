import ForgeImages
import Testing

/// Files of every format against Pillow or the format's specification.
@Suite struct DecodingTests {
  /// The largest difference of a byte.
  ///
  /// Pillow brings a libjpeg-turbo of its own. The two gave the same bytes for every picture here
  /// when the fixtures were made; other releases round their color conversion differently.
  static let jpegTolerance = 2

  @Test(arguments: try PictureFixtures.ending(in: "png", "ppm", "pgm"))
  func losslessPicturesAreExact(_ testCase: PictureFixture) throws {
    guard testCase.file != "named-wrongly.png" else { return }
    let image = try decoded(testCase)
    #expect(image.pixels == [UInt8](testCase.pixels))
  }

  @Test(arguments: try PictureFixtures.ending(in: "jpg"))
  func jpegPicturesMatchReference(_ testCase: PictureFixture) throws {
    let image = try decoded(testCase)
    #expect(largestDifference(image.pixels, [UInt8](testCase.pixels)) <= Self.jpegTolerance)
  }

  @Test func formatIsDetectedFromBytes() throws {
    let testCase = try #require(try PictureFixtures.all().first { $0.file == "named-wrongly.png" })
    let image = try decoded(testCase)
    #expect(largestDifference(image.pixels, [UInt8](testCase.pixels)) <= Self.jpegTolerance)
  }

  @Test func orientationCanBeIgnored() throws {
    let bytes = try ImageFixtures.bytes("jpeg-exif6.jpg")
    let upright = try Image(decoding: bytes)
    #expect((upright.width, upright.height) == (11, 19))
    let stored = try Image(decoding: bytes, appliesOrientation: false)
    #expect((stored.width, stored.height) == (19, 11))
    // Stored with its top to the right: the upper row of the upright picture is the left column.
    let left = (0..<11).reversed().flatMap { row in stored.pixels[row * 57..<row * 57 + 3] }
    #expect(Array(upright.pixels.prefix(33)) == left)
  }

  @Test func spansAndFilesGiveEqualPictures() throws {
    let bytes = try ImageFixtures.bytes("rgb8.png")
    let fromArray = try Image(decoding: bytes)
    #expect(try Image(decoding: bytes.span.bytes) == fromArray)
    #expect(try Image(contentsOf: ImageFixtures.path("rgb8.png")) == fromArray)
  }

  @Test func trailingBytesAreIgnored() throws {
    for file in ["rgb8.png", "jpeg-444.jpg", "p6-255.ppm"] {
      let bytes = try ImageFixtures.bytes(file)
      #expect(try Image(decoding: bytes + [1, 2, 3]) == Image(decoding: bytes))
    }
  }

  @Test func invalidExifOrientationIsIgnored() throws {
    let bytes = try ImageFixtures.bytes("jpeg-exif6-big-endian.jpg")
    let stored = try Image(decoding: bytes, appliesOrientation: false)
    let tag = try #require(bytes.indices.first { bytes[$0...].starts(with: [1, 0x12, 0, 3]) })
    for value: UInt8 in [0, 9, 255] {
      var altered = bytes
      altered[tag + 9] = value
      #expect(try Image(decoding: altered) == stored)
    }
    // The directory past the end of the block.
    var altered = bytes
    altered[tag - 6] = 0x7F
    #expect(try Image(decoding: altered) == stored)
  }

  private func decoded(_ testCase: PictureFixture) throws -> Image {
    let image = try Image(contentsOf: ImageFixtures.path(testCase.file))
    #expect((image.width, image.height) == (testCase.width, testCase.height))
    #expect(image.format == (try ResizingFixtures.format(testCase.format)))
    #expect(image.pixels.count == testCase.pixels.count)
    return image
  }
}
