import Forge
import ForgeImages
import ForgeTestSupport
import Foundation
import Testing

/// The real photos of the shared test data.
@Suite(.shared("data/mobilenet", "data/photos")) struct PhotoTests {
  struct Photo: Decodable {
    let file: String
    let width: Int
    let height: Int
    let checksum: String
    let resized: String
    let size: Int
    let small: Data
  }

  struct Photos: Decodable {
    let photos: [Photo]
    let inputs: [Photo]
  }

  static let folder = SharedFiles.data.appending(path: "photos")
  static let inputs = SharedFiles.data.appending(path: "mobilenet/inputs224")

  @Test func photosAreDecoded() throws {
    let fixtures: Photos = try ImageFixtures.load("photos")
    for photo in fixtures.photos {
      let image = try Image(contentsOf: Self.folder.appending(path: photo.file).path)
        .converted(to: .rgb)
      #expect((image.width, image.height) == (photo.width, photo.height))
      let small = try image.resized(width: photo.size, height: photo.size)
      // Means of thousands of pixels: the decoders' differences vanish, a wrong picture does not.
      #expect(largestDifference(small.pixels, [UInt8](photo.small)) <= 1, "\(photo.file)")
      if photo.file.hasSuffix(".png") { #expect(checksum(image.pixels) == photo.checksum) }
      if checksum(image.pixels) == photo.checksum {
        let resized = try image.resized(width: 224, height: 224)
        #expect(checksum(resized.pixels) == photo.resized, "\(photo.file)")
      } else {
        print("\(photo.file): libjpeg decodes it a little differently than Pillow's")
      }
    }
  }

  @Test func losslessInputsAreExact() throws {
    let fixtures: Photos = try ImageFixtures.load("photos")
    let preparation = ImagePreparation(width: 224, height: 224, normalization: .keras(.tf))
    for photo in fixtures.inputs {
      let image = try Image(contentsOf: Self.inputs.appending(path: photo.file).path)
      #expect(try checksum(image.converted(to: .rgb).pixels) == photo.checksum, "\(photo.file)")
      let values = try image.values(prepared: preparation)
      #expect(values.shape == Shape(width: 224, height: 224, channels: 3))
      #expect(values.values == image.pixels.map { Float(Double($0) / 127.5 - 1) })
    }
  }
}
