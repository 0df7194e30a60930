import Forge
import ForgeTestSupport

/// A random network of convolutions and poolings on images large enough for the kernels that small ones
/// never get: Winograd's, those that pool, rows in segments, rows dealt out to threads.
struct ConvolutionalNetwork {
  let model: Model

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed &* 0xD134_2543 &+ 77)
    let input = Input(
      width: random.number(17...25), height: random.number(17...25),
      channels: random.one(of: [1, 3, 3, 4]))
    var image =
      input
      --> Convolution(
        kernel: random.one(of: [(3, 3), (5, 5), (3, 2)]), channels: random.one(of: [16, 31, 40]),
        stride: random.chance(30) ? (2, 2) : (1, 1), activation: Self.function(&random))
    if random.chance(50) { image = image --> Self.pooling(&random) }
    if seed.isMultiple(of: 3) {
      image =
        image --> Convolution(kernel: (3, 3), channels: 48, activation: .relu)
        --> Self.pooling(&random)
    }
    for _ in 0..<random.number(2...4) {
      let channels = random.one(of: [16, 24, 33, 48])
      let before = image
      switch random.below(5) {
      case 0...1:
        image =
          image
          --> Convolution(
            kernel: random.one(of: [(3, 3), (3, 3), (5, 5), (7, 1), (1, 7), (3, 1)]),
            channels: channels, padding: random.chance(70) ? .same : .valid,
            activation: Self.function(&random))
        if random.chance(40) { image = image --> Self.pooling(&random) }
      case 2:
        image = image --> PointwiseConvolution(channels: channels, activation: .relu)
      case 3:
        let left = image --> Convolution(kernel: (3, 3), channels: 32, activation: .relu)
        let right =
          image --> AveragePooling(kernel: (3, 3), stride: (1, 1), padding: .same)
          --> PointwiseConvolution(channels: 16)
        image = Concatenate([left, right])
      default:
        let same = image.shape?.channels ?? 1
        let branch = image --> Convolution(kernel: (3, 3), channels: same)
        image = [branch, before] --> Add() --> Activation(.relu)
      }
      // What padding .valid or poolings have left nothing of is not gone on with.
      if image.shape == nil { image = before }
    }
    model = Model(
      inputs: [input],
      outputs: [image, image --> GlobalAveragePooling() --> Dense(neurons: 9)])
  }

  private static func function(_ random: inout SplitMix64) -> ActivationFunction {
    random.one(of: [.linear, .relu, .relu, .relu6, .leakyReLU(slope: 0.1), .swish])
  }

  private static func pooling(_ random: inout SplitMix64) -> MaxPooling {
    MaxPooling(
      kernel: (2, 2), stride: (2, 2), padding: random.chance(50) ? .same : .valid)
  }
}
