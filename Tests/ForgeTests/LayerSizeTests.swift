import Forge
import ForgeTestSupport
import Testing

/// A layer or two, to be tried on images of many sizes.
struct LayerCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// What is applied to an image whose channels are given, and to which output channels.
  let make: @Sendable (_ image: Tensor, _ channels: Int, _ outputs: Int) -> Tensor

  init(_ name: String, _ make: @escaping @Sendable (Tensor, Int, Int) -> Tensor) {
    testDescription = name
    self.make = make
  }

  static let all = windows + elementwise + shapes

  private static let windows = [
    LayerCase("convolution 3×3") { x, _, n in x --> Convolution(kernel: (3, 3), channels: n) },
    LayerCase("convolution 5×2, stride 2×3") { x, _, n in
      x --> Convolution(kernel: (5, 2), channels: n, stride: (2, 3), activation: .relu)
    },
    LayerCase("convolution 3×1, dilation 2×1") { x, _, n in
      x --> Convolution(kernel: (3, 1), channels: n, dilation: (2, 1), useBias: false)
    },
    LayerCase("convolution with padding on each edge") { x, _, n in
      x
        --> Convolution(
          kernel: (2, 4), channels: n, padding: .explicit(top: 3, left: 1, bottom: 2, right: 4),
          activation: .tanh)
    },
    LayerCase("convolution 1×1, stride 3") { x, _, n in
      x --> PointwiseConvolution(channels: n, stride: (3, 3), activation: .gelu)
    },
    LayerCase("convolution 1×1") { x, _, n in x --> PointwiseConvolution(channels: n) },
    LayerCase("convolution in groups") { x, c, _ in
      let groups = (1...c).filter { c.isMultiple(of: $0) }.dropLast().last ?? 1
      return x --> Convolution(kernel: (3, 3), channels: 2 * groups, groups: groups)
    },
    LayerCase("convolution in groups of whole blocks") { x, _, n in
      x --> PointwiseConvolution(channels: 32)
        --> Convolution(
          kernel: (3, 3), channels: 64, stride: (2, 1), groups: 2, activation: .swish)
        --> BatchNormalization() --> Convolution(kernel: (1, 1), channels: 48, groups: 1)
    },
    LayerCase("depthwise 3×3") { x, _, _ in
      x --> DepthwiseConvolution(kernel: (3, 3), activation: .relu6)
    },
    LayerCase("depthwise 3×3, stride 2") { x, _, _ in
      x --> DepthwiseConvolution(kernel: (3, 3), stride: (2, 2))
    },
    LayerCase("depthwise 2×5, dilation 3×2") { x, _, _ in
      x --> DepthwiseConvolution(kernel: (2, 5), dilation: (3, 2), activation: .swish)
    },
    LayerCase("depthwise with multiplier 3") { x, _, _ in
      x --> DepthwiseConvolution(kernel: (3, 2), multiplier: 3, useBias: false)
    },
    LayerCase("dense") { x, _, n in x --> Dense(neurons: n, activation: .softplus) },
    LayerCase("maximum 3×2") { x, _, _ in
      x --> MaxPooling(kernel: (3, 2), stride: (1, 2), padding: .same)
    },
    LayerCase("average inside 2×3") { x, _, _ in
      x --> AveragePooling(kernel: (2, 3), stride: (2, 1), padding: .same)
    },
    LayerCase("average counted 3×3") { x, _, _ in
      x
        --> AveragePooling(
          kernel: (3, 3), stride: (1, 1),
          padding: .explicit(top: 1, left: 2, bottom: 2, right: 1), border: .counted)
    },
    LayerCase("global average") { x, _, _ in x --> GlobalAveragePooling() },
    LayerCase("global maximum") { x, _, _ in x --> GlobalMaxPooling() },
  ]

  private static let elementwise = [
    LayerCase("activations") { x, _, _ in
      // No layer before them takes a function over.
      NetworkBuilder.functions.map { x --> Dropout(rate: 0) --> Activation($0) } --> Add()
    },
    LayerCase("batch normalization") { x, _, _ in
      x --> BatchNormalization() --> Activation(.hardSwish)
    },
    LayerCase("normalization of a convolution") { x, _, n in
      x --> Convolution(kernel: (3, 3), channels: n) --> BatchNormalization(epsilon: 1e-5)
    },
    LayerCase("scale") { x, _, _ in x --> Scale(by: [1.5], bias: [-0.25]) },
    LayerCase("slopes per channel") { x, _, _ in x --> PReLU() },
    LayerCase("slopes per element") { x, _, _ in x --> PReLU(shared: []) },
    LayerCase("slopes per row") { x, _, _ in x --> PReLU(shared: [.width, .channels]) },
    LayerCase("softmax") { x, _, _ in x --> Softmax() },
    LayerCase("logarithm of softmax") { x, _, _ in x --> LogSoftmax() },
    LayerCase("squeeze and excitation") { x, c, _ in
      [x, x --> GlobalAveragePooling() --> Dense(neurons: c, activation: .sigmoid)]
        --> Multiply()
    },
    LayerCase("sums, differences, extremes") { x, c, _ in
      let y = x --> PointwiseConvolution(channels: c)
      let z = x --> GlobalMaxPooling()
      let extremes = [[x, y] --> Maximum(), [x, z] --> Minimum()] --> Subtract()
      return [extremes, x, z] --> Average() --> Add(constant: [0.125])
    },
    LayerCase("one channel spread over all") { x, _, _ in
      [x, x --> PointwiseConvolution(channels: 1, activation: .sigmoid)] --> Multiply()
    },
    LayerCase("residual") { x, c, _ in
      [x, x --> Convolution(kernel: (3, 3), channels: c)] --> Add() --> Activation(.relu)
    },
  ]

  private static let shapes = [
    LayerCase("concatenation of blocks") { x, _, _ in
      let a = x --> PointwiseConvolution(channels: 16)
      let b = x --> Convolution(kernel: (3, 3), channels: 32)
      return Concatenate([a, b, x]) --> Convolution(kernel: (2, 2), channels: 3)
    },
    LayerCase("concatenation of any channels") { x, _, n in
      let a = x --> PointwiseConvolution(channels: n)
      return Concatenate([x, a, x]) --> Convolution(kernel: (3, 1), channels: 5)
    },
    LayerCase("concatenation of rows and columns") { x, _, _ in
      let rows = Concatenate([x, x --> Activation(.tanh)], axis: 0)
      return Concatenate([rows, rows --> Activation(.relu)], axis: 1)
    },
    LayerCase("borders") { x, _, n in
      x --> ZeroPadding(top: 2, left: 1, bottom: 0, right: 3)
        --> AveragePooling(kernel: (2, 2), stride: (1, 1))
        --> ZeroPadding(1) --> Convolution(kernel: (3, 3), channels: n, padding: .valid)
    },
    LayerCase("crop") { x, _, n in
      x --> ZeroPadding(2) --> Activation(.sigmoid)
        --> Crop(top: 1, left: 2, bottom: 2, right: 1)
        --> Convolution(kernel: (3, 3), channels: n)
    },
    LayerCase("enlarged") { x, _, _ in
      let nearest = x --> UpSampling(size: (2, 3))
      return [nearest, x --> UpSampling(size: (2, 3), mode: .bilinear)] --> Add()
    },
    LayerCase("resized") { x, _, _ in
      let modes = [ResizeMode.nearest, .bilinear, .bilinearAntialiased]
      return modes.map { x --> Resize(width: 5, height: 7, mode: $0) } --> Average()
    },
    LayerCase("permuted and back") { x, _, _ in
      x --> Permute(order: [2, 0, 1]) --> Convolution(kernel: (2, 2), channels: 4)
        --> Permute(order: [1, 2, 0])
    },
    LayerCase("flattened") { x, _, n in x --> Flatten() --> Dense(neurons: n) },
    LayerCase("other ranks") { x, c, _ in
      x --> Reshape(to: [-1, c]) --> Softmax() --> BatchNormalization()
        --> Activation(.swish) --> Permute(order: [1, 0]) --> PReLU(shared: [])
    },
    LayerCase("channels in reverse order") { x, c, _ in
      x --> GatherChannels(order: Array((0..<c).reversed()))
    },
    LayerCase("custom") { x, _, n in
      x --> reversal() --> Convolution(kernel: (3, 3), channels: n) --> reversal()
    },
  ]
}

/// Every layer on odd, prime and non-square sizes and on channels around the width of a block.
@Suite struct LayerSizeTests {
  static let channels = [1, 3, 15, 16, 17, 33, 64, 65]
  static let sizes = [(1, 1), (3, 2), (7, 5), (2, 11), (13, 1), (1, 17)]

  @Test(arguments: LayerCase.all)
  func agreesWithTheReference(_ layer: LayerCase) throws {
    let sets = CompileOptions.InstructionSet.present
    for (i, channels) in Self.channels.enumerated() {
      for (j, size) in Self.sizes.enumerated() {
        // Wide tensors on small images only, so that the reference stays quick.
        if channels > 33, size.0 * size.1 > 24 { continue }
        let input = Input(width: size.0, height: size.1, channels: channels)
        // A single output is no image to measure an error on: it may lie near 0 by chance.
        let outputs = Self.channels[1 + (i * 3 + j * 5) % (Self.channels.count - 1)]
        let model = Model(input: input, output: layer.make(input, channels, outputs))
        let options = CompileOptions(
          verify: .samples(2, seed: UInt64(i)), accuracy: 5e-6,
          instructionSet: sets[(i + j) % sets.count])
        try expectAgreement(
          model, options: options, relativeL2: 5e-6,
          "\(layer.testDescription), \(size.0)×\(size.1)×\(channels)")
      }
    }
  }

  @Test func colors() throws {
    for size in Self.sizes {
      for channels in [3, 4] {
        let input = Input(width: size.0, height: size.1, channels: channels)
        let swapped = input --> SwapRedBlue()
        try expectAgreement(Model(input: input, output: swapped))
        if channels == 4 { continue }
        let mean = input --> SubtractMeanColor(red: 0.25, green: -0.5, blue: 0.125)
        let gray = mean --> Grayscale()
        try expectAgreement(Model(inputs: [input], outputs: [gray, mean]))
      }
    }
  }

  /// Tensors of one, two, four and five axes through everything that takes them.
  @Test func otherRanks() throws {
    for sizes in [[17], [5, 3], [2, 3, 5, 7], [3, 1, 2, 4, 5], [2, 1, 2, 1, 2, 1, 2, 3]] {
      let input = Input(shape: sizes)
      let functions = NetworkBuilder.functions.map { input --> Activation($0) } --> Average()
      let normalized =
        functions --> BatchNormalization() --> Scale(by: [2]) --> Add(constant: [0.5])
      let order = Array(sizes.indices.reversed())
      let permuted = normalized --> Permute(order: order) --> Softmax()
      let joined = Concatenate([permuted, permuted --> LogSoftmax()], axis: 0)
      let dense = joined --> Dense(neurons: 7, activation: .relu)
      let again = dense --> Reshape(to: [7])
      try expectAgreement(
        Model(inputs: [input], outputs: [again, joined, normalized]), relativeL2: 2e-6,
        "\(sizes)")
    }
  }
}
