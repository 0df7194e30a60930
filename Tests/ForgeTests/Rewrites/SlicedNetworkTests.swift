import Forge
import ForgeTestSupport
import Testing

/// Random networks with slices, whose parts are computed, against the same networks as a whole.
@Suite struct SlicedNetworkTests {
  @Test(arguments: 0..<8)
  func partsOfRandomNetworks(block: UInt64) throws {
    var places = 0
    for seed in block * 15..<block * 15 + 15 {
      var maker = SlicedNetwork(seed: seed)
      let model = maker.model()
      let made = try [[], ["sliceEarlier"]].map { disabled in
        try model.compile(
          parameters: SeededParameters(),
          options: CompileOptions(verify: .samples(1), disabledRewrites: Set(disabled)))
      }
      #expect(made[0].misshapenNodes.isEmpty, "\(seed)")
      places += made[0].report.places("sliceEarlier") ?? 0
      let inputs = try ReferenceModel(model).inputs(seed: seed)
      for (part, whole) in zip(try made[0].outputs(of: inputs), try made[1].outputs(of: inputs)) {
        expectClose(part, whole, relativeL2: 1e-5, "seed \(seed)")
      }
    }
    #expect(places > 10)
  }
}

/// Makes a network whose outputs are mostly slices.
private struct SlicedNetwork {
  private var random: SplitMix64
  private var tensors: [Tensor] = []

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func model() -> Model {
    let input = Input(
      width: number(1, 23), height: number(1, 23), channels: number(1, 40), name: "x")
    tensors = [input]
    for _ in 0..<number(1, 9) {
      if let made = layer(on: recent()), made.shape?.sizes != nil { tensors.append(made) }
    }
    let others = (0..<number(0, 2)).map { _ in recent() }
    let outputs = (tensors.suffix(1) + others).map { slice($0, atMost: 3) }
    let whole = number(0, 4) == 0 ? [recent() --> Activation(.linear)] : []
    return Model(inputs: [input], outputs: outputs + whole)
  }

  private mutating func number(_ low: Int, _ high: Int) -> Int {
    Int.random(in: low...high, using: &random)
  }

  /// One of the last tensors, so that some are read several times.
  private mutating func recent() -> Tensor {
    tensors[number(max(0, tensors.count - 4), tensors.count - 1)]
  }

  private mutating func slice(_ tensor: Tensor, atMost count: Int = 1000) -> Tensor {
    let sizes = tensor.shape?.sizes ?? []
    let axis = number(0, sizes.count - 1)
    let first = number(0, sizes[axis] - 1)
    let end = number(first + 1, min(sizes[axis], first + count))
    return tensor
      --> Slice(starts: [first], ends: [end], axes: [axis], steps: [number(1, 5) == 1 ? 2 : 1])
  }

  private mutating func layer(on tensor: Tensor) -> Tensor? {
    let sizes = tensor.shape?.sizes ?? []
    return number(0, 2) > 0 && sizes.count == 3
      ? window(on: tensor) : movement(on: tensor, sizes)
  }

  private mutating func window(on image: Tensor) -> Tensor {
    let kernel = (number(1, 3), number(1, 3))
    let stride = (number(1, 2), number(1, 2))
    switch number(0, 6) {
    case 0, 1:
      return image
        --> Convolution(kernel: kernel, channels: number(1, 40), stride: stride, padding: .same)
    case 2: return image --> DepthwiseConvolution(kernel: kernel, padding: .same)
    case 3: return image --> MaxPooling(kernel: kernel, stride: stride, padding: .same)
    case 4: return image --> AveragePooling(kernel: kernel, stride: stride, padding: .same)
    case 5: return image --> BatchNormalization()
    default:
      return image
        --> ZeroPadding(
          top: number(0, 2), left: number(0, 2), bottom: number(0, 2), right: number(0, 2))
    }
  }

  private mutating func movement(on tensor: Tensor, _ sizes: [Int]) -> Tensor? {
    switch number(0, 9) {
    case 0: return tensor --> Activation(.swish)
    case 1: return tensor --> LastAxisDense(neurons: number(1, 40))
    case 2: return tensor --> LayerNormalization()
    case 3: return tensor --> Softmax()
    case 4:
      let order = Array(sizes.indices).shuffled(using: &random)
      return sizes.count > 1 ? tensor --> Permute(order: order) : nil
    case 5:
      return sizes.count == 3
        ? tensor --> Reshape(to: [sizes[0] * sizes[1], sizes[2]])
        : tensor --> Reshape(to: [1] + sizes)
    case 6: return tensor + (tensor --> Activation(.tanh))
    case 7:
      return [tensor, tensor --> Activation(.tanh)]
        --> Concatenate(axis: number(0, sizes.count - 1))
    case 8 where sizes.count == 2 && sizes[1].isMultiple(of: 2):
      return tensor --> MultiHeadAttention(heads: 2, keyChannels: sizes[1] / 2)
    default: return slice(tensor)
    }
  }
}
