import Forge
import ForgeTestSupport

extension NetworkBuilder {
  /// Adds one or a few random layers, or none where those chosen do not fit.
  mutating func addSomething() {
    switch random.below(36) {
    case 0...6: addConvolution()
    case 7...8: addDepthwise()
    case 9...10: addPooling()
    case 11...12: addNormalization()
    case 13...14: addActivation()
    case 15...16: addCombination()
    case 17...18: addResidual()
    case 19...22: addConcatenation()
    case 23: addBroadcast()
    case 24...26: addEdges()
    case 27...28: addRearrangement()
    case 29: addDense()
    case 30: addShared()
    case 31: addSampling()
    case 32...33: addCase()
    default: addOdds()
    }
  }

  /// Adds a network of ``LayerCase``, so that each layer of the list occurs.
  private mutating func addCase() {
    guard let image = image(), let sizes = image.shape?.sizes else { return }
    // Networks with a state do not predict the same twice.
    let networks = LayerCase.all.flatMap(\.networks).filter { $0.key != "of a stream" }
    let network = random.one(of: networks.map(\.value))
    let outputs = random.one(of: Self.channels)
    let trial = Input(shape: sizes)
    let model = Model(input: trial, output: network(trial, sizes[2], outputs))
    guard (try? model.check()) != nil, model.multiplyAdds <= 1_500_000 else { return }
    keep(network(image, sizes[2], outputs))
  }

  private mutating func kernel() -> (width: Int, height: Int) {
    (random.one(of: [1, 1, 2, 3, 3, 5]), random.one(of: [1, 1, 2, 3, 3, 4]))
  }

  private mutating func steps() -> (x: Int, y: Int) {
    random.chance(60) ? (1, 1) : (random.number(1...3), random.number(1...3))
  }

  private mutating func addConvolution() {
    guard let image = image(), let inputs = image.shape?.channels else { return }
    if random.chance(25) {
      apply(
        PointwiseConvolution(
          channels: random.one(of: Self.channels), stride: steps(), activation: activation(),
          useBias: random.chance(80), name: name("point")), to: image)
      return
    }
    let kernel = kernel()
    let divisors = (1...inputs).filter(inputs.isMultiple)
    let groups = random.chance(25) ? random.one(of: divisors) : 1
    let outputs = groups == 1 ? random.one(of: Self.channels) : groups * random.number(1...3)
    apply(
      Convolution(
        kernel: kernel, channels: outputs, stride: steps(),
        dilation: random.chance(25) ? (random.number(1...3), random.number(1...3)) : (1, 1),
        padding: padding(kernel: kernel), groups: groups, activation: activation(),
        useBias: random.chance(80), name: name("conv")), to: image)
  }

  private mutating func addDepthwise() {
    guard let image = image() else { return }
    let kernel = kernel()
    apply(
      DepthwiseConvolution(
        kernel: kernel, stride: steps(),
        dilation: random.chance(25) ? (random.number(1...2), random.number(1...2)) : (1, 1),
        padding: padding(kernel: kernel), multiplier: random.one(of: [1, 1, 1, 2, 3]),
        activation: activation(), useBias: random.chance(80), name: name("depth")), to: image)
  }

  private mutating func addPooling() {
    guard let image = image() else { return }
    let kernel = (width: random.number(1...3), height: random.number(1...3))
    let stride = random.chance(50) ? nil : steps()
    let padding = padding(kernel: kernel)
    switch random.below(5) {
    case 0: apply(GlobalAveragePooling(name: name("average")), to: image)
    case 1: apply(GlobalMaxPooling(name: name("maximum")), to: image)
    case 2:
      apply(
        AveragePooling(
          kernel: kernel, stride: stride, padding: padding,
          border: random.chance(50) ? .counted : .excluded, name: name("pool")), to: image)
    default:
      apply(
        MaxPooling(kernel: kernel, stride: stride, padding: padding, name: name("pool")),
        to: image)
    }
  }

  private mutating func addNormalization() {
    // Half of them follow a convolution that leaves its sum as it is.
    var image = image()
    if random.chance(50), let source = image {
      image = apply(
        Convolution(
          kernel: (3, 3), channels: random.one(of: Self.channels), useBias: random.chance(50),
          name: name("conv")), to: source)
    }
    guard let image else { return }
    if random.chance(25) {
      apply(Scale(by: [0.75], bias: [-0.25], name: name("scale")), to: image)
      return
    }
    guard
      let normalized = apply(
        BatchNormalization(
          center: random.chance(80), scale: random.chance(80), name: name("norm")), to: image),
      random.chance(60)
    else { return }
    apply(Activation(random.one(of: LayerCase.functions), name: name("act")), to: normalized)
  }

  private mutating func addActivation() {
    switch random.below(6) {
    case 0: apply(Softmax(name: name("softmax")), to: anything())
    case 1: apply(LogSoftmax(name: name("softmax")), to: anything())
    case 2:
      let tensor = anything()
      guard (1...3).contains(tensor.shape?.rank ?? 0) else { return }
      apply(
        PReLU(
          shared: random.one(of: [[], [.time, .height, .width], [.width], [.height, .channels]]),
          name: name("prelu")), to: tensor)
    default:
      apply(Activation(random.one(of: LayerCase.functions), name: name("act")), to: anything())
    }
  }

  private mutating func addEdges() {
    guard let image = image() else { return }
    let (top, left, bottom, right) = (
      random.below(3), random.below(3), random.below(3), random.below(3)
    )
    if random.chance(50) {
      let image =
        random.chance(40)
        ? apply(Activation(.sigmoid, name: name("act")), to: image) ?? image : image
      guard
        let cut = apply(
          Crop(top: top, left: left, bottom: bottom, right: right, name: name("crop")), to: image)
      else { return }
      if random.chance(30) { apply(Activation(.tanh, name: name("act")), to: cut) }
      return
    }
    guard
      let padded = apply(
        ZeroPadding(top: top, left: left, bottom: bottom, right: right, name: name("pad")),
        to: image)
    else { return }
    switch random.below(3) {
    case 0:
      apply(
        Convolution(
          kernel: (3, 3), channels: random.one(of: Self.channels), padding: .valid,
          name: name("conv")), to: padded)
    case 1:
      apply(
        AveragePooling(kernel: (2, 2), stride: (1, 1), padding: .same, name: name("pool")),
        to: padded)
    default: break
    }
  }

  private mutating func addRearrangement() {
    let tensor = anything()
    guard let sizes = tensor.shape?.sizes else { return }
    switch random.below(4) {
    case 0:
      guard let flat = apply(Flatten(name: name("flat")), to: tensor), random.chance(50) else {
        return
      }
      apply(Dense(neurons: random.number(1...20), name: name("dense")), to: flat)
    case 1:
      let order = Array(sizes.indices).shuffled(using: &random)
      apply(Permute(order: order, name: name("permute")), to: tensor)
    case 2:
      // The last axis is split or joined with the one before it.
      let last = sizes[sizes.count - 1]
      let divisor = (2...4).first { last.isMultiple(of: $0) } ?? 1
      let split = Array(sizes.dropLast()) + [last / divisor, divisor]
      let joined = Array(sizes.dropLast(2)) + [-1]
      apply(
        Reshape(to: sizes.count < 4 && random.chance(50) ? split : joined, name: name("shape")),
        to: tensor)
    default:
      let count = sizes.reduce(1, *)
      let height = (1...7).filter(count.isMultiple).last ?? 1
      apply(Reshape(to: [height, 1, -1], name: name("shape")), to: tensor)
    }
  }

  private mutating func addDense() {
    let tensor = anything()
    guard (tensor.shape?.elementCount ?? .max) <= 4000 else { return }
    apply(
      Dense(
        neurons: random.one(of: Self.channels), activation: activation(),
        useBias: random.chance(80), name: name("dense")), to: tensor)
  }

  private mutating func addSampling() {
    guard let image = image() else { return }
    let mode = random.one(of: [ResizeMode.nearest, .bilinear, .bilinearAntialiased])
    if random.chance(50) {
      apply(
        UpSampling(
          size: (random.number(1...2), random.number(1...3)), mode: mode, name: name("up")),
        to: image)
    } else {
      apply(
        Resize(
          width: random.number(1...9), height: random.number(1...9), mode: mode,
          name: name("resize")), to: image)
    }
  }

  private mutating func addOdds() {
    guard let image = image() else { return }
    let channels = image.shape?.channels ?? 0
    switch random.below(6) {
    case 0: apply(Dropout(rate: 0.5, name: name("drop")), to: image)
    case 1 where channels == 3: apply(SwapRedBlue(name: name("swap")), to: image)
    case 2 where channels == 3: apply(Grayscale(name: name("gray")), to: image)
    case 3 where channels == 3:
      apply(
        SubtractMeanColor(red: 0.4, green: 0.3, blue: -0.2, name: name("mean")), to: image)
    case 4:
      apply(
        GatherChannels(
          order: Array(0..<channels).shuffled(using: &random), name: name("shuffle")), to: image)
    default: apply(reversal(name: name("custom")), to: image)
    }
  }
}
