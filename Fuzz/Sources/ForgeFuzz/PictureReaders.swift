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
  _ = try image.resized(width: 3, height: 9, filter: .bilinearAliased)
  _ = try image.resized(width: 5, height: 4, filter: .lanczos)
  _ = try image.resized(width: 4, height: 5, filter: .area)
  _ = try image.converted(to: .gray)
  _ = try image.converted(to: .bgra, samples: .float32)
  guard try Image(decoding: image.encoded(as: .png)) == image else {
    fatalError("\(image) is not what its PNG file holds")
  }
  _ = try image.values(
    prepared: ImagePreparation(
      width: 9, height: 11, crop: .center, normalization: .keras(.caffe)))
}

/// Views of any size, stride and form over a few bytes: an error, or a picture from inside them.
@_cdecl("forge_fuzz_view")
public func fuzzView(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard bytes.count > 16 else { return 0 }
  let formats: [PixelFormat] = [.gray, .rgb, .bgr, .rgba, .bgra, .argb]
  let frames: [FrameFormat] = [.i420, .nv12, .nv21, .yuyv]
  let filters: [ResamplingFilter] = [
    .nearest, .bilinear, .bilinearAliased, .bicubic, .lanczos, .area,
  ]
  let samples: [SampleType] = [.uint8, .uint16, .float32]
  func number(_ index: Int) -> Int {
    // Mostly small; seldom anything.
    bytes[index] < 250 ? Int(bytes[index]) : bytes[index] == 255 ? .max : Int(bytes[index]) << 40
  }
  let rest = Array(bytes[16...])
  let preparation = ImagePreparation(
    width: 1 + number(4) % 40, height: 1 + number(5) % 40,
    crop: [.none, .center, .letterbox(.black), .shorterSide(number(6))][Int(bytes[7] % 4)],
    filter: filters[Int(bytes[8] % 6)], normalization: .torch)
  return attempt(ImageError.self) {
    do {
      let stride = bytes[3] == 0 ? nil : number(2) * (bytes[3] % 2 == 0 ? 1 : -1)
      func use(_ view: borrowing ImageView) throws {
        _ = try view.values(prepared: preparation)
        _ = try view.image(format: formats[Int(bytes[9] % 6)], samples: samples[Int(bytes[10] % 3)])
      }
      if bytes[11] % 2 == 0 {
        try ImageView.withView(
          of: rest.span.bytes, width: number(0), height: number(1),
          format: formats[Int(bytes[12] % 6)], samples: samples[Int(bytes[13] % 3)],
          rowStride: stride, use)
      } else {
        try ImageView.withView(
          of: rest.span.bytes, width: number(0), height: number(1),
          frame: frames[Int(bytes[12] % 4)], use)
      }
    } catch {
      guard let error = error as? ImageError else { fatalError("\(error)") }
      throw error
    }
  }
}
