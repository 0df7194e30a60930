import CForgePNG

/// Decodes PNG files with libpng.
enum PNGDecoder {
  /// The largest compression ratio of deflate.
  private static let mostCompression = 1032

  static func decode(
    _ bytes: UnsafeRawBufferPointer, limits: ImageLimits
  ) throws(ImageError) -> Image {
    var header = forge_png_header()
    let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    try check(byteCount: bytes.count, header) {
      forge_png_read_header(start, bytes.count, &header, $0)
    }
    let (width, height) = (Int(header.width), Int(header.height))
    try limits.check(width: width, height: height)
    // Each row starts with a byte for its filter.
    let stored = (Int(header.stored_row_bytes) + 1) * height
    guard stored / mostCompression <= bytes.count else {
      throw .tooShort(
        "PNG", byteCount: bytes.count, least: ImageError.bytes(stored / mostCompression),
        width: width, height: height)
    }
    try limits.check(workingBytes: header.working_bytes, "PNG")
    guard let format = PixelFormat(rawValue: Int(header.components)) else {
      throw .unsupported("PNG", "\(header.components) channels")
    }
    return try Image(filling: width, height, format) { pixels throws(ImageError) in
      try check(byteCount: bytes.count, header) {
        forge_png_decode(start, bytes.count, &header, pixels.baseAddress, $0)
      }
    }
  }

  /// Makes a call and throws the error it reports.
  private static func check(
    byteCount: Int, _ header: @autoclosure () -> forge_png_header,
    _ call: (UnsafeMutablePointer<CChar>?) -> forge_png_status
  ) throws(ImageError) {
    var status = FORGE_PNG_DONE
    let reason = String(cReasonOf: FORGE_PNG_REASON) { status = call($0) }
    switch status {
    case FORGE_PNG_DONE: return
    case FORGE_PNG_TRUNCATED: throw .cutOff("PNG", byteCount: byteCount, end: "end chunk")
    case FORGE_PNG_NO_MEMORY: throw .outOfMemory(byteCount: Int(header().working_bytes))
    default: throw .damaged("PNG", reason.isEmpty ? "contradictory sizes" : "libpng: \(reason)")
    }
  }
}

extension String {
  /// The zero-terminated text that `body` writes to a buffer of `capacity` bytes.
  init(cReasonOf capacity: Int, _ body: (UnsafeMutablePointer<CChar>?) -> Void) {
    var buffer = [CChar](repeating: 0, count: capacity)
    buffer.withUnsafeMutableBufferPointer { body($0.baseAddress) }
    let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    self.init(decoding: text, as: UTF8.self)
  }
}
