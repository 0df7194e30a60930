import CForgeJPEG

/// JPEG files, through libjpeg.
enum JPEGDecoder {
  static func decode(
    _ bytes: UnsafeRawBufferPointer, limits: ImageLimits
  ) throws(ImageError) -> Image {
    var header = forge_jpeg_header()
    let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    try check(byteCount: bytes.count, header) {
      forge_jpeg_read_header(start, bytes.count, &header, $0)
    }
    let (width, height) = (Int(header.width), Int(header.height))
    try limits.check(width: width, height: height)
    guard Int(header.least_bytes) <= bytes.count else {
      throw .tooShort(
        "JPEG", byteCount: bytes.count, least: ImageError.bytes(Int(header.least_bytes)),
        width: width, height: height)
    }
    // The four bytes of CMYK are a pixel's as those of RGBA are; they are converted below.
    guard let format = PixelFormat(rawValue: Int(header.components)) else {
      throw .unsupported("JPEG", "\(header.components) components")
    }
    let image = try Image(filling: width, height, format) { pixels throws(ImageError) in
      try check(byteCount: bytes.count, header) {
        forge_jpeg_decode(start, bytes.count, &header, pixels.baseAddress, $0)
      }
    }
    return format == .rgba ? image.rgbFromInvertedCMYK() : image
  }

  /// Makes a call and throws what it reports.
  private static func check(
    byteCount: Int, _ header: @autoclosure () -> forge_jpeg_header,
    _ call: (UnsafeMutablePointer<CChar>?) -> forge_jpeg_status
  ) throws(ImageError) {
    var status = FORGE_JPEG_DONE
    let reason = String(cReasonOf: FORGE_JPEG_REASON) { status = call($0) }
    let quoted = reason.isEmpty ? "contradictory sizes" : "libjpeg: \(reason)"
    switch status {
    case FORGE_JPEG_DONE: return
    case FORGE_JPEG_TRUNCATED: throw .cutOff("JPEG", byteCount: byteCount, end: "end marker")
    case FORGE_JPEG_UNSUPPORTED: throw .unsupported("JPEG", quoted)
    case FORGE_JPEG_NO_MEMORY:
      throw .outOfMemory("JPEG", width: Int(header().width), height: Int(header().height))
    default: throw .damaged("JPEG", quoted)
    }
  }
}

extension Image {
  /// RGB from CMYK with 0 for full ink, as Adobe's programs store it; no colour profile is used.
  ///
  /// Each colour is its light under the light that black leaves: `k − (255 − c)·k/255`.
  fileprivate func rgbFromInvertedCMYK() -> Image {
    Image(filling: width, height, .rgb) { target in
      for pixel in 0..<width * height {
        let black = Int(pixels[4 * pixel + 3])
        for channel in 0..<3 {
          let ink = 255 - Int(pixels[4 * pixel + channel])
          target[3 * pixel + channel] = UInt8(black - dividedBy255(ink * black))
        }
      }
    }
  }
}

/// The nearest whole number to `product` / 255, for products of two bytes.
func dividedBy255(_ product: Int) -> Int {
  let rounded = product + 128
  return (rounded + rounded >> 8) >> 8
}
