import Forge
import ForgeTestSupport

extension SplitMix64 {
  /// A number from 0 to `count` − 1.
  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(max(count, 1))) }

  /// A number of a range.
  mutating func number(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.count)
  }

  /// True in `percent` of all cases.
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// One of several.
  mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
}

/// Puts a random network together, layer by layer; equal seeds give equal networks.
///
/// Layers that do not fit, or that would make the reference executor slow, are left out again.
struct NetworkBuilder {
  var random: SplitMix64
  /// Everything made so far that depends on an input.
  private(set) var tensors: [Tensor] = []
  private var made = 0

  /// Numbers of channels below, at and above the width of a block, and of two.
  static let channels = [1, 2, 3, 5, 8, 15, 16, 16, 17, 24, 31, 32, 32, 33, 48, 64, 65]
  init(seed: UInt64) {
    random = SplitMix64(seed: seed &* 0x9E37_79B9 &+ 0x5851)
  }

  /// A name in most cases; unnamed layers get theirs from the graph.
  mutating func name(_ stem: String) -> String? {
    made += 1
    return random.chance(60) ? "\(stem)\(made)" : nil
  }

  /// A name that no other layer has.
  mutating func uniqueName(_ stem: String) -> String {
    made += 1
    return "\(stem)\(made)"
  }

  mutating func activation() -> ActivationFunction {
    random.chance(50) ? .linear : random.one(of: LayerCase.functions)
  }

  mutating func padding(kernel: (width: Int, height: Int)) -> Padding {
    switch random.below(4) {
    case 0: .valid
    case 1:
      .explicit(
        top: random.below(kernel.height), left: random.below(kernel.width),
        bottom: random.below(kernel.height), right: random.below(kernel.width))
    default: .same
    }
  }

  /// Adds an input.
  mutating func addInput(_ shape: Shape, name: String) {
    tensors.append(Input(shape: shape.sizes ?? [], name: name))
  }

  /// Keeps a tensor whose shape is known and not too large; whether it was kept.
  @discardableResult
  mutating func keep(_ tensor: Tensor) -> Bool {
    guard let count = tensor.shape?.elementCount, count <= 12_000,
      (tensor.shape?.channels ?? 1) <= 400
    else { return false }
    tensors.append(tensor)
    return true
  }

  /// A layer applied to tensors, kept when it fits and is cheap.
  @discardableResult
  mutating func apply(_ layer: some Layer, to inputs: Tensor...) -> Tensor? {
    let shapes = inputs.compactMap(\.shape)
    guard let cost = try? layer.multiplyAdds(for: shapes), cost <= 1_500_000 else { return nil }
    let tensor = inputs.chained(to: layer)
    return keep(tensor) ? tensor : nil
  }

  /// One of the latest images, or any earlier one.
  mutating func image() -> Tensor? {
    let images = tensors.filter { $0.shape?.isImage ?? false }
    guard !images.isEmpty else { return nil }
    return random.chance(65) ? random.one(of: images.suffix(3)) : random.one(of: images)
  }

  /// Any tensor.
  mutating func anything() -> Tensor { random.one(of: tensors) }

  /// Another tensor of the same shape, when there is one.
  mutating func twin(of tensor: Tensor) -> Tensor? {
    let twins = tensors.filter { $0.shape == tensor.shape && $0 !== tensor }
    return twins.isEmpty ? nil : random.one(of: twins)
  }

  /// Another image of the same width and height, when there is one.
  mutating func neighbor(of tensor: Tensor) -> Tensor? {
    let neighbors = tensors.filter {
      $0.shape?.isImage ?? false && $0.shape?.width == tensor.shape?.width
        && $0.shape?.height == tensor.shape?.height
    }
    return neighbors.isEmpty ? nil : random.one(of: neighbors)
  }
}

/// A random network of up to 30 layers, most of them on images, with one to six outputs.
struct RandomNetwork {
  let seed: UInt64
  let model: Model

  init(seed: UInt64) {
    self.seed = seed
    var builder = NetworkBuilder(seed: seed)
    let sizes = [1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 15]
    for index in 0..<(builder.random.chance(25) ? 2 : 1) {
      let shape = Shape(
        width: builder.random.one(of: sizes), height: builder.random.one(of: sizes),
        channels: builder.random.one(of: NetworkBuilder.channels))
      builder.addInput(shape, name: "input\(index)")
    }
    let wanted = builder.tensors.count + builder.random.number(6...26)
    for _ in 0..<300 where builder.tensors.count < wanted { builder.addSomething() }
    model = Self.model(of: &builder)
  }

  /// The network that ends in the last tensors nothing reads, and up to two others.
  private static func model(of builder: inout NetworkBuilder) -> Model {
    let read = Set(builder.tensors.flatMap { $0.inputs.map(ObjectIdentifier.init) })
    let ends = builder.tensors.filter { !read.contains(ObjectIdentifier($0)) }
    var outputs = Array(ends.suffix(4))
    for _ in 0..<builder.random.below(3) {
      // One that others read, an input, or the same tensor twice.
      outputs.append(builder.anything())
    }
    var reached: Set<ObjectIdentifier> = []
    var inputs: [Tensor] = []
    var pending = outputs
    while let tensor = pending.popLast() {
      guard reached.insert(ObjectIdentifier(tensor)).inserted else { continue }
      if case .input = tensor.source { inputs.append(tensor) }
      pending += tensor.inputs
    }
    return Model(inputs: inputs, outputs: outputs)
  }
}
