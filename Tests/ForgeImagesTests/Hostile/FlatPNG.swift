import CForgeZlib

/// A PNG file of a picture whose bytes are all 0, compressed as far as deflate goes.
struct FlatPNG {
  /// What the bits of a pixel are.
  enum Color: UInt8 {
    case gray = 0
    case palette = 3
    case rgba = 6
  }

  var width: Int
  var height: Int
  var bits: Int
  var color: Color
  var isInterlaced = false
  /// Whether the first color of the palette is half transparent.
  var isTransparent = false

  /// The file.
  var bytes: [UInt8] {
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    file += chunk(
      "IHDR",
      bigEndian(width) + bigEndian(height)
        + [UInt8(bits), color.rawValue, 0, 0, isInterlaced ? 1 : 0])
    if color == .palette { file += chunk("PLTE", [10, 20, 30, 40, 50, 60]) }
    if isTransparent { file += chunk("tRNS", [0x80]) }
    return file + chunk("IDAT", deflated(zeros: storedBytes)) + chunk("IEND", [])
  }

  /// The bytes of all rows, each with that of its filter.
  private var storedBytes: Int {
    let channels = color == .rgba ? 4 : 1
    func rows(_ width: Int, _ height: Int) -> Int {
      width == 0 ? 0 : height * (1 + (width * bits * channels + 7) / 8)
    }
    guard isInterlaced else { return rows(width, height) }
    let passes = [
      (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
      (0, 1, 1, 2),
    ]
    return passes.reduce(0) { sum, pass in
      let (x, y, across, down) = pass
      return sum + rows((width - x + across - 1) / across, (height - y + down - 1) / down)
    }
  }

  private func deflated(zeros count: Int) -> [UInt8] {
    var stream = z_stream()
    guard
      deflateInit_(&stream, 9, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return [] }
    defer { deflateEnd(&stream) }
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    var output = [UInt8](repeating: 0, count: 1 << 16)
    var result: [UInt8] = []
    var left = count
    var status = Z_OK
    while status != Z_STREAM_END {
      let now = min(left, piece.count)
      left -= now
      let made = piece.withUnsafeMutableBufferPointer { piece in
        output.withUnsafeMutableBufferPointer { output in
          stream.next_in = piece.baseAddress
          stream.avail_in = UInt32(now)
          stream.next_out = output.baseAddress
          stream.avail_out = UInt32(output.count)
          status = deflate(&stream, left == 0 ? Z_FINISH : Z_NO_FLUSH)
          return output.count - Int(stream.avail_out)
        }
      }
      result += output[..<made]
    }
    return result
  }

  private func chunk(_ name: String, _ contents: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + contents
    return bigEndian(contents.count) + named
      + bigEndian(Int(crc32(0, named, UInt32(named.count))))
  }

  private func bigEndian(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
