import CForgeJPEG

/// Decodes JPEG files with libjpeg.
enum JPEGDecoder {
  /// Decodes a picture and applies `orientation` while its rows are read.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, orientation: ExifOrientation, acceptsMissingScans: Bool,
    limits: ImageLimits
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
    try limits.check(workingBytes: header.working_bytes, "JPEG")
    guard let format = PixelFormat(rawValue: Int(header.channels)) else {
      throw .unsupported("JPEG", "\(header.channels) channels")
    }
    var layout = orientation.layout(width: width, height: height, channels: format.channels)
    let size = orientation.swapsSides ? (height, width) : (width, height)
    return try Image(filling: size.0, size.1, format) { pixels throws(ImageError) in
      try check(byteCount: bytes.count, header) {
        forge_jpeg_decode(
          start, bytes.count, &header, &layout, acceptsMissingScans ? 1 : 0, pixels.baseAddress,
          $0)
      }
    }
  }

  /// Makes a call and throws the error it reports.
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
    case FORGE_JPEG_INCOMPLETE: throw .missingScans(reason)
    case FORGE_JPEG_TOO_MUCH_WORK: throw .tooManyScans(reason)
    case FORGE_JPEG_UNSUPPORTED: throw .unsupported("JPEG", quoted)
    case FORGE_JPEG_NO_MEMORY: throw .outOfMemory(byteCount: Int(header().working_bytes))
    default: throw .damaged("JPEG", quoted)
    }
  }
}

extension ExifOrientation {
  /// The layout in the upright picture of the pixels of a file of `width` by `height` pixels.
  fileprivate func layout(width: Int, height: Int, channels: Int) -> forge_jpeg_layout {
    let (column, row) =
      swapsSides ? (height * channels, channels) : (channels, width * channels)
    return forge_jpeg_layout(
      origin: (reversesColumns ? (width - 1) * column : 0)
        + (reversesRows ? (height - 1) * row : 0),
      column_step: reversesColumns ? -column : column, row_step: reversesRows ? -row : row)
  }
}
