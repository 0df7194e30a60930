import Forge
import ForgeTestSupport

extension NetworkBuilder {
  /// Two or three tensors of one shape, or one with a constant.
  mutating func addCombination() {
    let tensor = anything()
    if random.chance(25) {
      let channels = tensor.shape?.channels ?? 1
      let count = random.chance(50) ? 1 : channels
      let constant = seededValues(count: count, seed: random.next())
      switch random.below(5) {
      case 0: apply(Add(constant: constant, name: name("add")), to: tensor)
      case 1: apply(Subtract(constant: constant, name: name("subtract")), to: tensor)
      case 2: apply(Multiply(constant: constant, name: name("multiply")), to: tensor)
      case 3: apply(Maximum(constant: constant, name: name("larger")), to: tensor)
      default: apply(Minimum(constant: constant, name: name("smaller")), to: tensor)
      }
      return
    }
    guard let twin = twin(of: tensor) else { return }
    switch random.below(7) {
    case 0: apply(Subtract(name: name("subtract")), to: tensor, twin)
    case 1: apply(Multiply(name: name("multiply")), to: tensor, twin)
    case 2: apply(Maximum(name: name("larger")), to: tensor, twin)
    case 3: apply(Minimum(name: name("smaller")), to: tensor, twin)
    case 4: apply(Average(name: name("average")), to: tensor, twin, tensor)
    default:
      guard let sum = apply(Add(name: name("add")), to: tensor, twin), random.chance(50)
      else { return }
      apply(Activation(.relu, name: name("act")), to: sum)
    }
  }

  /// Tensors of different shapes spread over each other.
  mutating func addBroadcast() {
    guard let image = image(), let sizes = image.shape?.sizes else { return }
    if random.chance(40) {
      // Squeeze and excitation.
      guard let pooled = apply(GlobalAveragePooling(name: name("squeeze")), to: image),
        let factors = apply(
          Dense(neurons: sizes[2], activation: .sigmoid, name: name("excite")), to: pooled)
      else { return }
      if random.chance(50) {
        apply(Multiply(name: name("multiply")), to: image, factors)
      } else {
        apply(Multiply(name: name("multiply")), to: factors, image)
      }
      return
    }
    let shape = sizes.map { random.chance(50) ? $0 : 1 }
    let rank = random.number(1...3)
    let own = Array(shape.suffix(rank))
    var constant = Constant(
      seededValues(count: own.reduce(1, *), seed: random.next()), shape: own)
    // What depends on constants only can be worked out while compiling.
    if random.chance(50) { constant = constant --> Activation(.softplus) }
    if random.chance(30) { constant = constant --> Multiply(constant: [1.5]) }
    switch random.below(3) {
    case 0: apply(Add(name: name("add")), to: image, constant)
    case 1: apply(Subtract(name: name("subtract")), to: constant, image)
    default: apply(Maximum(name: name("larger")), to: constant, image, image)
    }
  }

  /// A shortcut around one or two convolutions.
  mutating func addResidual() {
    guard let image = image(), let channels = image.shape?.channels else { return }
    guard
      let first = apply(
        Convolution(
          kernel: (random.one(of: [1, 3]), random.one(of: [1, 3])), channels: channels,
          activation: random.chance(30) ? .relu : .linear, name: name("left")), to: image)
    else { return }
    var branch = first
    if random.chance(40),
      let second = apply(BatchNormalization(name: name("norm")), to: branch)
    {
      branch = second
    }
    if random.chance(40),
      let second = apply(
        DepthwiseConvolution(kernel: (3, 3), name: name("depth")), to: branch)
    {
      branch = second
    }
    let sum =
      random.chance(50)
      ? apply(Add(name: name("sum")), to: image, branch)
      : apply(Add(name: name("sum")), to: branch, image)
    if let sum, random.chance(60) {
      apply(Activation(random.one(of: LayerCase.functions), name: name("act")), to: sum)
    }
  }

  /// Tensors joined along an axis; whole blocks of channels half of the time, and parts in parts.
  mutating func addConcatenation() {
    guard let image = image(), let sizes = image.shape?.sizes else { return }
    let axis = random.one(of: [2, 2, 2, 2, -1, 0, 1])
    var parts: [Tensor] = random.chance(60) ? [] : [image]
    for _ in 0..<random.number(1...3) {
      if axis == 2 || axis == -1 {
        if random.chance(60) {
          // A branch of its own.
          let channels = random.chance(60) ? 16 * random.number(1...2) : random.number(1...35)
          guard
            let branch = apply(
              Convolution(
                kernel: (random.one(of: [1, 3]), 1), channels: channels, activation: activation(),
                name: name("branch")), to: image)
          else { return }
          parts.append(branch)
        } else if let neighbor = neighbor(of: image) {
          parts.append(neighbor)
        }
      } else if let twin = twin(of: image) {
        parts.append(twin)
      } else {
        parts.append(image)
      }
    }
    guard !parts.isEmpty else { return }
    let joined = parts.chained(
      to: ForgeLayers.Concatenate(axis: axis, name: name("joined")))
    guard keep(joined), random.chance(50) else { return }
    if random.chance(50) {
      apply(
        Convolution(
          kernel: (3, 3), channels: random.one(of: Self.channels), activation: .relu,
          name: name("conv")), to: joined)
    } else {
      // Joined once more with something of the same size.
      let channels = random.chance(60) ? 16 : sizes[2]
      guard
        let more = apply(
          PointwiseConvolution(channels: channels, name: name("more")), to: joined)
      else { return }
      keep(
        (random.chance(50) ? [joined, more] : [more, joined]).chained(
          to: ForgeLayers.Concatenate(name: name("nested"))))
    }
  }

  /// One layer at two places, sharing its parameters by name.
  mutating func addShared() {
    guard let image = image(), let sizes = image.shape?.sizes else { return }
    let shared = Convolution(
      kernel: (3, 3), channels: sizes[2], activation: activation(), name: uniqueName("shared"))
    guard let first = apply(shared, to: image) else { return }
    apply(shared, to: twin(of: image) ?? first)
  }
}
