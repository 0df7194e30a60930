import Forge
import ForgeImages

/// JPEG files, also with scans missing.
@_cdecl("forge_fuzz_jpeg")
public func fuzzJPEG(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  picture(UnsafeBufferPointer(start: start, count: count), signature: [0xFF, 0xD8])
}

/// PNG files, their checksums put right.
@_cdecl("forge_fuzz_png")
public func fuzzPNG(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  picture(
    UnsafeBufferPointer(start: start, count: count),
    signature: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
}

/// PPM and PGM files.
@_cdecl("forge_fuzz_ppm")
public func fuzzPPM(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  picture(UnsafeBufferPointer(start: start, count: count), signature: [UInt8(ascii: "P")])
}

/// Decodes a picture and, when that succeeds, converts, resizes and prepares it.
///
/// The first bytes are put in place: a target is about its own format.
private func picture(_ bytes: UnsafeBufferPointer<UInt8>, signature: [UInt8]) -> Int32 {
  var file = signature + bytes.dropFirst(signature.count)
  if signature.count == 8 { file = withChecksums(file) }
  let limits = ImageLimits(maximumPixels: 1 << 20, maximumWorkingBytes: 1 << 24)
  return attempt(ImageError.self) {
    do throws(ImageError) {
      try use(try Image(decoding: file, limits: limits))
    } catch {
      try use(try Image(decoding: file, acceptsMissingScans: true, limits: limits))
    }
  }
}

private func use(_ image: Image) throws(ImageError) {
  guard image.pixels.count == image.width * image.height * image.format.channels else {
    fatalError("\(image) has \(image.pixels.count) bytes")
  }
  _ = try image.resized(width: 7, height: 5)
  _ = try image.converted(to: .gray)
  _ = try image.values(
    prepared: ImagePreparation(
      width: 9, height: 11, crop: .centre, normalization: .keras(.caffe)))
}
