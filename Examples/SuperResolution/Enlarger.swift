import Forge
import ForgeImages
import ForgeImporters
import Foundation

/// Enlarges pictures of one size with a network that takes and returns the brightness of pixels.
struct Enlarger {
  /// How many times wider and higher the result is.
  static let scale = 3

  private let network: CompiledModel

  /// Compiles the network for a size of pictures.
  ///
  /// - Parameters:
  ///   - path: an ONNX file with one input, [1, 1, height, width], and one output, [1, 1, 3 ·
  ///     height, 3 · width], of numbers from 0 to 1.
  ///   - width: pixels in a row.
  ///   - height: rows.
  /// - Throws: what importing and compiling throw.
  init(network path: String, width: Int, height: Int) throws {
    // The file states a size; convolutions take any.
    let name = try ModelFile(path).imported().inputs.first?.name ?? ""
    network = try ModelFile(path, sizes: [name: [1, 1, .exactly(height), .exactly(width)]])
      .imported().model.compile()
  }

  /// The picture with the brightness of the network and the colors of bicubic resizing.
  ///
  /// The difference in brightness is added to red, green and blue, which leaves the color
  /// differences of YCbCr as they are.
  ///
  /// - Throws: `PredictionError`, `ImageError`.
  func enlarged(_ picture: Image) throws -> Image {
    let (width, height) = (picture.width * Self.scale, picture.height * Self.scale)
    let resized = try picture.resized(width: width, height: height, filter: .bicubic)
    let sharp = try network.predict(picture.brightness.map { $0 / 255 })
    let soft = resized.brightness
    let values = resized.pixels.indices.map { index in
      Float(resized.pixels[index]) + 255 * sharp[index / 3] - soft[index / 3]
    }
    return try Image(values: values, width: width, height: height, format: .rgb, range: 0...255)
  }
}

extension Image {
  /// The brightness of each pixel of an RGB picture, 0 to 255, by BT.601.
  var brightness: [Float] {
    stride(from: 0, to: pixels.count, by: 3).map { index in
      0.299 * Float(pixels[index]) + 0.587 * Float(pixels[index + 1])
        + 0.114 * Float(pixels[index + 2])
    }
  }

  /// The peak signal-to-noise ratio of the brightness in decibels, without the border that resizing
  /// has to guess; infinite for equal pictures.
  func peakSignalToNoise(against other: Image) -> Double {
    let (own, theirs, border) = (brightness, other.brightness, min(6, (min(width, height) - 1) / 2))
    var (sum, count) = (0.0, 0.0)
    for y in border..<height - border {
      for x in border..<width - border {
        let difference = Double(own[y * width + x] - theirs[y * width + x])
        sum += difference * difference
        count += 1
      }
    }
    return sum == 0 ? .infinity : 10 * log10(255 * 255 * count / sum)
  }
}
