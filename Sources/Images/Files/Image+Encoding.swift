import CForgeJPEG
import CForgePNG
import Forge
import ForgeLoaders

extension Image {
  /// Writes the picture to a file, replacing an existing one at once.
  ///
  /// ```swift
  /// try photo.write(to: "copy.png")
  /// try photo.write(to: "copy.jpg", as: .jpeg(quality: 80))
  /// ```
  ///
  /// - Parameters:
  ///   - path: the file; its folder must exist.
  ///   - encoding: the form of the file; by default what the end of the name says.
  ///   - background: the color behind transparent pixels, for files without transparency.
  /// - Throws: ``ImageError`` when the name asks for no known form, the picture does not fit into
  ///   it, or the file cannot be written.
  public func write(
    to path: String, as encoding: ImageEncoding? = nil, background: PixelColor = .white
  ) throws(ImageError) {
    guard let encoding = encoding ?? ImageEncoding(path: path) else {
      throw .unknownEnding(path)
    }
    do throws(ImageError) {
      let bytes = try encoded(as: encoding, background: background)
      try bytes.withUnsafeBufferPointer { bytes throws(ImageError) in
        try FileBytes.write([UnsafeRawBufferPointer(bytes)], to: path)
      }
    } catch {
      throw error.named(path)
    }
  }

  /// The bytes of a file with the picture.
  ///
  /// Colors in another order are reordered. Samples are converted to the nearest type of the form:
  /// floats to 8 bits, 16 bits to 8 for JPEG.
  ///
  /// - Parameters:
  ///   - encoding: the form of the file.
  ///   - background: the color behind transparent pixels, for files without transparency.
  /// - Returns: the whole file.
  /// - Throws: ``ImageError`` when a factor or the picture's size is beyond what the form takes, a
  ///   sample is not finite, or there is not enough memory.
  public func encoded(
    as encoding: ImageEncoding, background: PixelColor = .white
  ) throws(ImageError) -> [UInt8] {
    let isGray = format == .gray
    switch encoding {
    case .png(let compression):
      guard (0...9).contains(compression) else {
        throw .badFactor("compression", compression, needs: "0 to 9")
      }
      let picture = try converted(
        to: isGray ? .gray : format.hasAlpha ? .rgba : .rgb,
        samples: samples == .uint16 ? .uint16 : .uint8)
      return try picture.png(level: compression)
    case .jpeg(let quality):
      guard (1...100).contains(quality) else {
        throw .badFactor("quality", quality, needs: "1 to 100")
      }
      guard max(width, height) <= 65500 else {
        throw .cannotEncode(self, "JPEG", needs: "at most 65500 pixels along each side")
      }
      let picture = try converted(
        to: isGray ? .gray : .rgb, samples: .uint8, background: background)
      return try picture.jpeg(quality: quality)
    case .portableAnymap:
      let picture = try converted(
        to: isGray ? .gray : .rgb, samples: samples == .uint16 ? .uint16 : .uint8,
        background: background)
      return try picture.portableAnymap()
    }
  }

  private func png(level: Int) throws(ImageError) -> [UInt8] {
    guard width < 1 << 31, height < 1 << 31 else {
      throw .cannotEncode(self, "PNG", needs: "fewer than 2³¹ pixels along each side")
    }
    return try encoded("PNG", release: forge_png_free) { pixels, file, count, reason in
      var picture = forge_png_picture(
        pixels: pixels, row_bytes: rowBytes, width: UInt32(width), height: UInt32(height),
        channels: UInt32(format.channels), bits: UInt32(8 * samples.byteCount),
        level: Int32(level))
      let status = forge_png_encode(&picture, &file, &count, reason)
      return forge_jpeg_status(status.rawValue)
    }
  }

  private func jpeg(quality: Int) throws(ImageError) -> [UInt8] {
    try encoded("JPEG", release: forge_jpeg_free) { pixels, file, count, reason in
      var picture = forge_jpeg_picture(
        pixels: pixels, row_bytes: rowBytes, width: UInt32(width), height: UInt32(height),
        channels: UInt32(format.channels), quality: Int32(quality),
        full_color: quality >= 90 ? 1 : 0)
      return forge_jpeg_encode(&picture, &file, &count, reason)
    }
  }

  /// Calls an encoder and copies its file.
  private func encoded(
    _ format: String, release: (UnsafeMutablePointer<UInt8>?) -> Void,
    _ encode: (
      UnsafePointer<UInt8>?, inout UnsafeMutablePointer<UInt8>?, inout Int,
      UnsafeMutablePointer<CChar>
    ) -> forge_jpeg_status
  ) throws(ImageError) -> [UInt8] {
    var file: UnsafeMutablePointer<UInt8>?
    var count = 0
    var buffer = [CChar](repeating: 0, count: max(FORGE_JPEG_REASON, FORGE_PNG_REASON))
    let status = pixels.withUnsafeBufferPointer { pixels in
      encode(pixels.baseAddress, &file, &count, &buffer)
    }
    defer { release(file) }
    let reason = String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    switch status {
    case FORGE_JPEG_DONE: break
    case FORGE_JPEG_UNSUPPORTED: throw .cannotEncode(self, format, needs: reason)
    default: throw .outOfMemory(byteCount: pixels.count)
    }
    return try [UInt8](filling: count) { target in
      for index in 0..<count { target[index] = file?[index] ?? 0 }
      return count
    }
  }

  private func portableAnymap() throws(ImageError) -> [UInt8] {
    let head = "\(format == .gray ? "P5" : "P6")\n\(width) \(height)\n"
    guard samples == .uint16 else { return Array("\(head)255\n".utf8) + pixels }
    let header = Array("\(head)65535\n".utf8)
    // The upper byte comes first.
    return try [UInt8](filling: header.count + pixels.count) { target in
      for (index, byte) in header.enumerated() { target[index] = byte }
      pixels.withUnsafeBytes { pixels in
        for index in 0..<pixels.count / 2 {
          let value = pixels.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
          target[header.count + 2 * index] = UInt8(value >> 8)
          target[header.count + 2 * index + 1] = UInt8(value & 255)
        }
      }
      return header.count + pixels.count
    }
  }
}
