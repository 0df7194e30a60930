import Forge
import ForgeImages
import ForgeModels
import Foundation

/// The network of Examples/LeNet, with its weights and pictures.
enum Digits {
  /// The folder of that example, beside this one.
  private static let resources = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "LeNet/Resources")

  /// The names of its pictures, in order.
  static let names = [
    "zero", "one", "two", "two-looped", "three", "four", "five", "six", "seven", "seven-slanted",
    "eight", "nine",
  ]

  /// White digits on black, 28 × 28.
  static func pictures() throws -> [Image] {
    try names.map { try Image(contentsOf: resources.appending(path: "digits/\($0).pgm").path) }
  }

  /// A classifier of whole frames: their middle, gray, 28 × 28, 0 to 255.
  static func classifier(weights: String?) throws -> ImageTask<[RankedClass]> {
    let network = try Model.leNet().compile(
      parameters: HDF5Parameters(weights ?? resources.appending(path: "lenet.h5").path),
      options: CompileOptions(threads: .exactly(1)))
    return try .classifier(
      network,
      preparation: ImagePreparation(crop: .center, normalization: .raw.ordered(.gray)), top: 1)
  }
}
