import Foundation

/// A gray picture of 8 bits per pixel.
struct GrayPicture {
  let width: Int
  let height: Int
  let pixels: [UInt8]

  /// The values the network takes: 0 is black, 255 white.
  var values: [Float] { pixels.map(Float.init) }

  /// A picture as characters, two rows of pixels in one line of text.
  var lines: [String] {
    let ramp = Array(" .:-=+*#%@")
    return stride(from: 0, to: height, by: 2).map { row in
      String(
        (0..<width).map { column -> Character in
          let upper = Int(pixels[row * width + column])
          let lower = row + 1 < height ? Int(pixels[(row + 1) * width + column]) : upper
          return ramp[(upper + lower) * (ramp.count - 1) / (2 * 255)]
        })
    }
  }
}

/// A file that is not what it should be.
struct FileProblem: Error, CustomStringConvertible {
  let description: String
}

extension GrayPicture {
  /// Reads a binary PGM file: `P5`, width, height, 255, then one byte per pixel.
  init(pgm url: URL) throws {
    let data = try Data(contentsOf: url)
    var position = data.startIndex
    func field() -> String {
      while position < data.endIndex, data[position] <= 32 { position += 1 }
      let start = position
      while position < data.endIndex, data[position] > 32 { position += 1 }
      return String(decoding: data[start..<position], as: UTF8.self)
    }
    let problem = FileProblem(description: "\(url.path): not a 28×28 PGM picture (P5, 255)")
    guard field() == "P5", let width = Int(field()), let height = Int(field()), field() == "255",
      width == 28, height == 28, data.endIndex - position == width * height + 1
    else { throw problem }
    self.init(width: width, height: height, pixels: Array(data[(position + 1)...]))
  }
}
