import ForgeImages
import Foundation

/// A video of digits that drift from left to right, each for some frames.
enum Clip {
  static let (width, height) = (320, 240)
  private static let framesOfDigit = 20
  private static let scale = 7

  /// Writes the clip as a Y4M file of 30 frames a second.
  static func write(to path: String) throws {
    var file = Data("YUV4MPEG2 W\(width) H\(height) F30:1 Ip C420jpeg\n".utf8)
    let pixels = width * height
    for digit in try Digits.pictures() {
      for step in 0..<framesOfDigit {
        var brightness = [UInt8](repeating: 16, count: pixels)
        let side = digit.width * scale
        let left = (width - side) / 2 + step - framesOfDigit / 2
        let top = (height - side) / 2
        for y in 0..<side {
          for x in 0..<side {
            let level = Int(digit.pixels[y / scale * digit.width + x / scale])
            // The brightness of video is from 16 to 235.
            brightness[(top + y) * width + left + x] = UInt8(16 + level * 219 / 255)
          }
        }
        file.append(contentsOf: "FRAME\n".utf8)
        file.append(contentsOf: brightness)
        // No colors.
        file.append(contentsOf: repeatElement(128, count: pixels / 2))
      }
    }
    try file.write(to: URL(filePath: path))
  }
}
