/// Decodes PPM and PGM files: gray (P2, P5) and RGB (P3, P6), up to 16 bits per value.
///
/// Values are text in P2 and P3, and bytes in P5 and P6.
enum PortableAnymapDecoder {
  private static let format = "PPM"

  static func decode(
    _ bytes: UnsafeRawBufferPointer, limits: ImageLimits
  ) throws(ImageError) -> Image {
    var scanner = Scanner(bytes: bytes, position: 2)
    let isText = bytes[1] == UInt8(ascii: "2") || bytes[1] == UInt8(ascii: "3")
    let isGray = bytes[1] == UInt8(ascii: "2") || bytes[1] == UInt8(ascii: "5")
    let width = try scanner.number("the width")
    let height = try scanner.number("the height")
    let most = try scanner.number("the largest value")
    guard width > 0, height > 0 else {
      throw .damaged(format, "\(width)×\(height) pixels", needs: "at least one pixel")
    }
    guard (1...65535).contains(most) else {
      throw .damaged(format, "\(most) as the largest value", needs: "1 to 65535")
    }
    try limits.check(width: width, height: height)

    let pixelFormat = isGray ? PixelFormat.gray : .rgb
    let count = width * height * pixelFormat.channels
    let valueBytes = isText || most > 255 ? 2 : 1
    // In text, each value takes at least a digit and a space, except for the last space.
    let least = count * valueBytes - (isText ? 1 : 0)
    guard bytes.count - scanner.position >= least else {
      throw .tooShort(
        format, byteCount: bytes.count, least: ImageError.bytes(scanner.position + least),
        width: width, height: height)
    }
    let scale = scale(to: most)
    return try Image(filling: width, height, pixelFormat) { pixels throws(ImageError) in
      if isText {
        for index in 0..<count {
          let value = try scanner.number("a value")
          guard value <= most else {
            throw .damaged(
              format, "the value \(value)", needs: "0 to \(most), which the file states")
          }
          pixels[index] = scale[value]
        }
      } else if valueBytes == 2 {
        for index in 0..<count {
          let high = Int(bytes[scanner.position + 2 * index])
          let low = Int(bytes[scanner.position + 2 * index + 1])
          pixels[index] = scale[min(high << 8 | low, most)]
        }
      } else {
        for index in 0..<count {
          pixels[index] = scale[min(Int(bytes[scanner.position + index]), most)]
        }
      }
    }
  }

  /// The byte for each value from 0 to `most`: value / most × 255, with ties to even as in Pillow.
  private static func scale(to most: Int) -> [UInt8] {
    (0...most).map { UInt8((Double($0) / Double(most) * 255).rounded(.toNearestOrEven)) }
  }

  /// Reads numbers separated by white space and comments.
  private struct Scanner {
    let bytes: UnsafeRawBufferPointer
    var position: Int

    /// Reads the next number and the one white space character that ends it.
    mutating func number(_ what: String) throws(ImageError) -> Int {
      var value: Int?
      while position < bytes.count {
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
          let next = (value ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
          guard next <= Int(Int32.max) else {
            throw .damaged(format, "more than \(Int32.max)", needs: what)
          }
          value = next
        case 9...13, UInt8(ascii: " "):
          if let value { return value }
        case UInt8(ascii: "#"):
          let end = bytes[position...].firstIndex { $0 == 10 || $0 == 13 }
          position = end.map { $0 + 1 } ?? bytes.count
        default:
          throw .damaged(format, "the byte \(byte) among the numbers", needs: what)
        }
      }
      // The last number of a file needs no terminator.
      guard let value else { throw .cutOff(format, byteCount: bytes.count, end: "") }
      return value
    }
  }
}
