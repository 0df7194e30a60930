import Forge
import ForgeImages
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
    let input = Input(width: 28, height: 28, channels: 1)
    let output =
      input
      --> Convolution(kernel: (5, 5), channels: 20, activation: .relu, name: "conv1")
      --> MaxPooling(kernel: (2, 2), stride: (2, 2))
      --> Convolution(kernel: (5, 5), channels: 50, activation: .relu, name: "conv2")
      --> MaxPooling(kernel: (2, 2), stride: (2, 2))
      --> Dense(neurons: 320, activation: .relu, name: "fc1")
      --> Dense(neurons: 10, name: "fc2")
      --> Softmax()
    let network = try Model(input: input, output: output).compile(
      parameters: HDF5Parameters(weights ?? resources.appending(path: "lenet.h5").path),
      options: CompileOptions(threads: .exactly(1)))
    return try .classifier(
      network,
      preparation: ImagePreparation(crop: .center, normalization: .raw.ordered(.gray)), top: 1)
  }
}
