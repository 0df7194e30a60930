import CForgeJPEG
import CForgePNG

/// The header of a picture, as both C modules declare it.
private protocol PictureHeader {
  var width: UInt32 { get }
  var height: UInt32 { get }
  var channels: UInt32 { get }
  var least: UInt64 { get }
  var working: UInt64 { get }
}

extension forge_jpeg_header: PictureHeader {}
extension forge_png_header: PictureHeader {}

extension Image {
  /// Decodes a JPEG file with libjpeg and applies `orientation` while its rows are read.
  init(
    jpeg bytes: UnsafeRawBufferPointer, orientation: ExifOrientation, acceptsMissingScans: Bool,
    limits: ImageLimits
  ) throws(ImageError) {
    let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    try self.init(
      decoding: forge_jpeg_header(), of: "JPEG", byteCount: bytes.count, end: "end marker",
      swapsSides: orientation.swapsSides, limits: limits
    ) { header, pixels, reason in
      var layout = orientation.layout(of: header)
      return forge_jpeg_decode(
        start, bytes.count, &header, &layout, acceptsMissingScans ? 1 : 0, pixels, reason)
    }
  }

  /// Decodes a PNG file with libpng.
  init(png bytes: UnsafeRawBufferPointer, limits: ImageLimits) throws(ImageError) {
    let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    try self.init(
      decoding: forge_png_header(), of: "PNG", byteCount: bytes.count, end: "end chunk",
      limits: limits
    ) { header, pixels, reason in
      let status = forge_png_decode(start, bytes.count, &header, pixels, reason)
      return forge_jpeg_status(status.rawValue)
    }
  }

  /// Calls `decode` without pixels to read the header, checks it, then calls `decode` with pixels.
  private init<Header: PictureHeader>(
    decoding header: Header, of format: String, byteCount: Int, end: String,
    swapsSides: Bool = false, limits: ImageLimits,
    decode: (
      inout Header, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<CChar>
    ) -> forge_jpeg_status
  ) throws(ImageError) {
    var header = header
    func read(into pixels: UnsafeMutablePointer<UInt8>?) throws(ImageError) {
      var buffer = [CChar](repeating: 0, count: max(FORGE_JPEG_REASON, FORGE_PNG_REASON))
      let status = decode(&header, pixels, &buffer)
      let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      let reason = String(decoding: text, as: UTF8.self)
      let quoted =
        reason.isEmpty ? "contradictory sizes" : "lib\(format.lowercased()): \(reason)"
      switch status {
      case FORGE_JPEG_DONE: return
      case FORGE_JPEG_TRUNCATED: throw .cutOff(format, byteCount: byteCount, end: end)
      case FORGE_JPEG_INCOMPLETE: throw .missingScans(reason)
      case FORGE_JPEG_TOO_MUCH_WORK: throw .tooManyScans(reason)
      case FORGE_JPEG_UNSUPPORTED: throw .unsupported(format, quoted)
      case FORGE_JPEG_NO_MEMORY: throw .outOfMemory(byteCount: Int(header.working))
      default: throw .damaged(format, quoted)
      }
    }
    try read(into: nil)
    let (width, height) = (Int(header.width), Int(header.height))
    try limits.check(width: width, height: height)
    guard header.least <= byteCount else {
      throw .tooShort(
        format, byteCount: byteCount, least: ImageError.bytes(Int(header.least)), width: width,
        height: height)
    }
    guard header.working <= max(limits.maximumWorkingBytes, 0) else {
      throw .tooMuchWork(
        format, byteCount: header.working, most: limits.maximumWorkingBytes)
    }
    guard let pixelFormat = PixelFormat(rawValue: Int(header.channels)) else {
      throw .unsupported(format, "\(header.channels) channels")
    }
    let size = swapsSides ? (height, width) : (width, height)
    try self.init(filling: size.0, size.1, pixelFormat) { pixels throws(ImageError) in
      try read(into: pixels.baseAddress)
    }
  }
}

extension ExifOrientation {
  /// The positions of a file's pixels in the upright picture.
  fileprivate func layout(of header: forge_jpeg_header) -> forge_jpeg_layout {
    let (width, height) = (Int(header.width), Int(header.height))
    let channels = Int(header.channels)
    let (column, row) =
      swapsSides ? (height * channels, channels) : (channels, width * channels)
    return forge_jpeg_layout(
      origin: (reversesColumns ? (width - 1) * column : 0)
        + (reversesRows ? (height - 1) * row : 0),
      column_step: reversesColumns ? -column : column, row_step: reversesRows ? -row : row)
  }
}
