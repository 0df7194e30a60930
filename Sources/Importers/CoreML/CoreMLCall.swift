import Forge
import ForgeMessages

/// One layer with the values of its inputs, and the place for those of its outputs.
///
/// Networks of the first versions see every value as [sequence, batch, channels, height, width];
/// here it is [sequence, channels, height, width], because a batch is Forge's own. Later networks
/// have values of any rank, and the layers of images use the last three axes. So both are the same
/// but for the rank.
struct CoreMLCall {
  /// The layer.
  let layer: CoreMLLayer
  /// The unique name for the layer in the model.
  let name: String
  /// Whether values have any rank.
  let isExact: Bool
  /// The values of the inputs.
  let inputs: [FileValue]
  /// The results, as many as the layer has outputs.
  private(set) var outputs: [FileValue?]
  /// The parameters of the model's layers by name and type.
  private(set) var parameters: [ImportedParameters.Key: ImportedParameters.Entry] = [:]

  init(_ layer: CoreMLLayer, name: String, isExact: Bool, inputs: [FileValue]) {
    self.layer = layer
    self.name = name
    self.isExact = isExact
    self.inputs = inputs
    outputs = Array(repeating: nil, count: layer.output.count)
  }

  /// The axis of the times of a sequence, counted from the last one.
  var sequenceAxis: Int64 { isExact ? -5 : -4 }

  // MARK: Inputs

  /// An input.
  func value(_ index: Int = 0) throws -> FileValue {
    guard inputs.indices.contains(index) else {
      throw NodeFailure.invalid("input \(index + 1) is missing")
    }
    return inputs[index]
  }

  /// An input as a tensor of the network; a known one becomes a constant.
  func network(_ index: Int = 0) throws -> FileTensor {
    switch try value(index) {
    case .network(let tensor): tensor
    case .host(let tensor):
      try Self.constant(tensor, layout: FileTensor.usualLayout(tensor.sizes))
    case .length: throw FileValue.followsLength
    }
  }

  /// All inputs as tensors of the network.
  func networks(atLeast count: Int = 1) throws -> [FileTensor] {
    guard inputs.count >= count else {
      throw NodeFailure.invalid("\(inputs.count) inputs of at least \(count)")
    }
    return try inputs.indices.map { try network($0) }
  }

  /// A constant of the network with its axes in a layout.
  static func constant(_ host: HostTensor, layout: [Int?]) throws -> FileTensor {
    let order = layout.compactMap { $0 }
    // Axes that the layout lacks have size 1, so that their place does not matter.
    let missing = host.sizes.indices.filter { !order.contains($0) }
    try ImportBudget.keep(host.count, width: MemoryLayout<Float>.size)
    let values = try host.transposed(missing + order).floats()
    let shape = layout.map { $0.map { host.sizes[$0] } ?? 1 }
    let tensor = Tensor.applying(Constant(values, shape: Shape(sizes: shape)), to: [])
    return FileTensor(tensor, sizes: host.sizes, layout: layout)
  }

  /// The layout of an image of the last three axes: height, width, channels.
  static func imageLayout(rank: Int) -> [Int?] { [rank - 2, rank - 1, rank - 3] }

  /// An input as an image: its last three axes are channels, height and width.
  func image(_ index: Int = 0) throws -> FileTensor {
    let input = try network(index)
    guard input.rank >= 3 else { throw NodeFailure.unsupported("an input of rank \(input.rank)") }
    guard input.sizes.dropLast(3).allSatisfy({ $0 == 1 }) else {
      throw NodeFailure.unsupported("a batch or sequence, \(input.sizes)")
    }
    return input.arranged(as: Self.imageLayout(rank: input.rank))
  }

  /// An axis counted from 0.
  static func axis(_ axis: Int64, rank: Int) throws -> Int {
    guard (-Int64(rank)..<Int64(rank)).contains(axis) else {
      throw NodeFailure.invalid("axis \(axis) of a tensor of rank \(rank)")
    }
    return Int(axis) + (axis < 0 ? rank : 0)
  }

  /// Axes counted from 0, each once.
  static func axes(_ axes: [Int64], rank: Int) throws -> [Int] {
    let result = try axes.map { try axis($0, rank: rank) }
    guard Set(result).count == result.count else {
      throw NodeFailure.invalid("axes \(axes), of which one is repeated")
    }
    return result
  }

  /// A size, within the bounds of sizes.
  static func size(_ value: UInt64) throws -> Int {
    guard let size = Int(exactly: value), size <= Shape.maximumElementCount else {
      throw NodeFailure.invalid("the size \(value)")
    }
    return size
  }

  /// Sizes within the bounds of tensors.
  static func sizes(_ values: [UInt64]) throws -> [Int] {
    let sizes = try values.map { try size($0) }
    guard !sizes.contains(0), Shape.product(of: sizes) != nil, sizes.count <= Shape.maximumRank
    else { throw NodeFailure.invalid("the sizes \(values)") }
    return sizes
  }

  /// The epsilon of a layer; 0 stands for the usual one.
  static func epsilon(_ stated: Float, usual: Float = 1e-6) -> Float {
    stated == 0 ? usual : stated
  }

  /// Two numbers for height and width; `absent` where the list is empty.
  static func pair(
    _ values: [UInt64], _ absent: Int, _ what: String
  ) throws -> (height: Int, width: Int) {
    guard !values.isEmpty else { return (absent, absent) }
    guard values.count == 2 else {
      throw NodeFailure.invalid("\(values.count) numbers of \(what), which needs 2")
    }
    return (try size(values[0]), try size(values[1]))
  }

  // MARK: Layers and results

  /// Applies a layer to tensors of the network.
  ///
  /// - Throws: ``NodeFailure`` with the violated rule.
  func apply(_ layer: any Layer, to tensors: Tensor...) throws -> Tensor {
    try apply(layer, to: tensors)
  }

  /// Applies a layer to tensors of the network.
  ///
  /// - Throws: ``NodeFailure`` with the violated rule.
  func apply(_ layer: any Layer, to tensors: [Tensor]) throws -> Tensor {
    let result = tensors.count == 1 ? tensors[0].chained(to: layer) : tensors.chained(to: layer)
    if case .failed(let error) = result.outcome {
      let text = [error.headline] + error.details.map { "\($0.label) \($0.text)" }
      throw NodeFailure.invalid(text.joined(separator: "; "))
    }
    return result
  }

  /// Sets a result.
  mutating func set(_ value: FileValue, output index: Int = 0) {
    if outputs.indices.contains(index) { outputs[index] = value }
  }

  /// Sets a result of the network.
  mutating func set(_ tensor: FileTensor, output index: Int = 0) {
    set(.network(tensor), output: index)
  }

  /// Sets a result with the layout of another value.
  mutating func set(_ tensor: Tensor, like other: FileTensor) {
    set(FileTensor(tensor, layout: other.layout, rank: other.rank))
  }

  /// Sets a result that is an image.
  mutating func setImage(_ tensor: Tensor, rank: Int) {
    set(FileTensor(tensor, layout: Self.imageLayout(rank: rank), rank: rank))
  }

  /// Applies a layer to the first input, whose elements keep their places.
  mutating func map(_ layers: any Layer...) throws {
    let input = try network()
    set(try layers.reduce(input.tensor) { try apply($1, to: $0) }, like: input)
  }

  /// Applies a layer to the first input as an image.
  mutating func mapImage(_ layer: any Layer) throws {
    let input = try image()
    setImage(try apply(layer, to: input.tensor), rank: input.rank)
  }

  /// States a parameter of a layer of the model.
  ///
  /// Tensors have the order of the file, also behind a flattened image. Only a layer that reads the
  /// image in place of what the file flattens needs values in another order.
  mutating func parameter(
    _ type: ParameterType, _ values: HostTensor, layout: ParameterLayout = .pytorch,
    isOrdered: Bool = true, of layer: String? = nil
  ) {
    parameters[.init(layer: layer ?? name, type: type)] = .init(
      values: values, layout: layout, isOrdered: isOrdered)
  }
}

extension FileTensor {
  /// A layout that has the given axes even if their size is 1.
  func layout(with axes: [Int]) -> [Int?] {
    let missing = axes.filter { !layout.contains($0) }
    return missing.isEmpty ? layout : missing + layout.compactMap { $0 }
  }

  /// A layout whose last axis is the given one.
  func layout(endingIn axis: Int) -> [Int?] {
    layout.last == axis ? layout : layout.compactMap { $0 }.filter { $0 != axis } + [axis]
  }

  /// The same tensor of a higher rank, with axes of size 1 in front.
  func raised(to rank: Int) -> FileTensor {
    let added = rank - self.rank
    guard added > 0 else { return self }
    return relabelled(
      sizes: Array(repeating: 1, count: added) + sizes, axes: sizes.indices.map { $0 + added })
  }

  /// The tensor whose axis `i` is axis `order[i]` of this one.
  func permuted(_ order: [Int]) -> FileTensor {
    relabelled(sizes: order.map { sizes[$0] }, axes: sizes.indices.map { order.firstIndex(of: $0) })
  }
}
