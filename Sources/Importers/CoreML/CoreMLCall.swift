import Forge

/// One layer with the values of its inputs, and the place for those of its outputs.
///
/// Layers are translated to operators of ONNX, which the ONNX importer's operations import.
///
/// Networks of the first versions see every value as [sequence, batch, channels, height, width];
/// here it is [sequence, channels, height, width], because a batch is Forge's own. Later networks
/// have values of any rank, and the layers of images use the last three axes. So both are the same
/// except for the rank.
struct CoreMLCall: ONNXTranslation {
  /// The layer's own parameters.
  let fields: WireFields
  /// Whether values have any rank.
  let isExact: Bool
  /// The values of the inputs.
  let inputs: [FileValue]
  /// The results, as many as the layer has outputs.
  private(set) var outputs: [FileValue?]
  /// The unique name for the layer in the model.
  let name: String
  // Values have other names than layers.
  let modelOutputs: Set<String> = []
  let isOfNumbers = true
  var parameters: [ImportedParameters.Key: ImportedParameters.Entry] = [:]
  var nodeCount = 0

  init(_ layer: CoreMLLayer, name: String, isExact: Bool, inputs: [FileValue]) throws {
    fields = try layer.parameters()
    self.isExact = isExact
    self.inputs = inputs
    outputs = Array(repeating: nil, count: layer.outputs.count)
    self.name = name
  }

  /// The axis of the times of a sequence, counted from the last one.
  var sequenceAxis: Int { isExact ? -5 : -4 }

  // MARK: Inputs

  /// An input.
  func value(_ index: Int = 0) throws -> FileValue {
    guard inputs.indices.contains(index) else {
      throw NodeFailure.invalid("input \(index + 1) is missing")
    }
    return inputs[index]
  }

  /// All inputs.
  func values(atLeast count: Int = 1) throws -> [FileValue] {
    guard inputs.count >= count else {
      throw NodeFailure.invalid("\(inputs.count) inputs of at least \(count)")
    }
    return inputs
  }

  /// An input as a tensor of the network; a known one becomes a constant.
  func network(_ index: Int = 0) throws -> FileTensor {
    switch try value(index) {
    case .network(let tensor): tensor
    case .host(let tensor):
      try ONNXCall.constant(tensor, layout: FileTensor.usualLayout(tensor.sizes))
    case .length: throw FileValue.followsLength
    }
  }

  /// An input as an image [1, channels, height, width]: its last three axes.
  func image(_ index: Int = 0) throws -> FileValue {
    let input = try value(index)
    guard input.sizes.count >= 3 else {
      throw NodeFailure.unsupported("an input of rank \(input.sizes.count)")
    }
    guard input.sizes.dropLast(3).allSatisfy({ $0 == 1 }) else {
      throw NodeFailure.unsupported("a batch or sequence, \(input.sizes)")
    }
    return input.withRank(4)
  }

  // MARK: Parameters

  /// An axis in a field, counted from 0.
  func axis(_ field: Int, rank: Int) throws -> Int {
    try ONNXCall.axis(try fields.int(field), rank: rank)
  }

  /// Axes counted from 0, each once.
  static func axes(_ axes: [Int], rank: Int) throws -> [Int] {
    let result = try axes.map { try ONNXCall.axis($0, rank: rank) }
    guard Set(result).count == result.count else {
      throw NodeFailure.invalid("axes \(axes), of which one is repeated")
    }
    return result
  }

  /// A size in a field.
  func size(_ field: Int) throws -> Int { try Self.size(try fields.int(field)) }

  /// A size, within the bounds of sizes.
  static func size(_ value: Int) throws -> Int {
    guard (0...Shape.maximumElementCount).contains(value) else {
      throw NodeFailure.invalid("the size \(UInt(bitPattern: value))")
    }
    return value
  }

  /// Sizes in a field, within the bounds of tensors.
  func sizes(_ field: Int) throws -> [Int] {
    let sizes = try fields.ints(field).map { try Self.size($0) }
    guard !sizes.contains(0), Shape.product(of: sizes) != nil, sizes.count <= Shape.maximumRank
    else { throw NodeFailure.invalid("the sizes \(sizes)") }
    return sizes
  }

  /// Numbers for height and width; `absent` where the list is empty.
  func pair(_ field: Int, _ absent: Int, _ what: String) throws -> [Int] {
    let values = try fields.ints(field)
    guard !values.isEmpty else { return [absent, absent] }
    guard values.count == 2 else {
      throw NodeFailure.invalid("\(values.count) numbers of \(what), which needs 2")
    }
    return try values.map { try Self.size($0) }
  }

  /// The epsilon in a field; 0 stands for the usual one.
  func epsilon(_ field: Int, usual: Float = 1e-6) throws -> Float {
    let stated = try fields.float(field)
    return stated == 0 ? usual : stated
  }

  /// Stored numbers in a field.
  func weights(_ field: Int) throws -> CoreMLWeights { try CoreMLWeights(fields.message(field)) }

  /// The amounts around an image as ONNX states them: top, left, bottom, right.
  static func borders(_ amounts: WireFields?) throws -> [Int] {
    let edges = try amounts?.list(10) ?? []
    guard !edges.isEmpty else { return [0, 0, 0, 0] }
    guard edges.count == 2 else {
      throw NodeFailure.invalid("\(edges.count) border amounts, which need 2")
    }
    return try [1, 2].flatMap { end in try edges.map { try size(try $0.int(end)) } }
  }

  // MARK: Results

  /// Sets a result.
  mutating func set(_ value: FileValue, output index: Int = 0) {
    if outputs.indices.contains(index) { outputs[index] = value }
  }

  /// Sets the result to that of a node on the first input and others.
  mutating func map(
    _ type: String, _ further: [FileValue?] = [], _ attributes: [String: NodeAttribute] = [:]
  ) throws {
    set(try node(type, [try value()] + further, attributes))
  }

  /// Sets the result to an image, with the rank of the first input.
  mutating func set(image: FileValue) throws {
    set(image.withRank(try value().sizes.count))
  }

  /// Sets the result to that of a node on the first input as an image.
  mutating func mapImage(
    _ type: String, _ further: [FileValue?] = [], _ attributes: [String: NodeAttribute] = [:],
    operation: ONNXOperators.Operation = ONNXOperators.run
  ) throws {
    try set(image: try node(type, [try image()] + further, attributes, operation: operation))
  }

  /// Gives a result without axes one of size 1, because Core ML has no tensor without axes.
  mutating func keepOneAxis() throws {
    if let value = outputs.first ?? nil, value.sizes.isEmpty { set(try value.reshaped(to: [1])) }
  }

  /// States a parameter of a layer of the model, with values in the order of the file.
  mutating func parameter(
    _ type: ParameterType, _ values: HostTensor, layout: ParameterLayout = .pytorch,
    of layer: String
  ) {
    parameters[.init(layer: layer, type: type)] = .init(
      values: values, layout: layout, isOrdered: true)
  }
}

extension FileTensor {
  /// The tensor with a different number of axes of size 1 in front.
  func withRank(_ rank: Int) -> FileTensor {
    let added = rank - self.rank
    let new = Array(repeating: 1, count: max(added, 0)) + sizes.dropFirst(max(-added, 0))
    var result = relabelled(
      sizes: new, axes: sizes.indices.map { $0 + added < 0 ? nil : $0 + added })
    result.flattened = flattened
    return result
  }
}

extension FileValue {
  /// The value with a different number of axes of size 1 in front.
  func withRank(_ rank: Int) -> FileValue {
    let added = rank - sizes.count
    guard added != 0, sizes.prefix(max(-added, 0)).allSatisfy({ $0 == 1 }) else { return self }
    switch self {
    case .host(let tensor):
      let ones = Array(repeating: 1, count: max(added, 0))
      return .host(tensor.reshaped(ones + tensor.sizes.dropFirst(max(-added, 0))))
    case .network(let tensor): return .network(tensor.withRank(rank))
    case .length: return self
    }
  }

  /// The value with other sizes; where only axes of size 1 differ nothing is moved.
  func placed(in new: [Int]) throws -> FileValue {
    let (from, to) = (sizes.indices.filter { sizes[$0] != 1 }, new.indices.filter { new[$0] != 1 })
    guard case .network(let tensor) = self, from.map({ sizes[$0] }) == to.map({ new[$0] }) else {
      return try reshaped(to: new)
    }
    let axes = Dictionary(uniqueKeysWithValues: zip(from, to))
    var result = tensor.relabelled(sizes: new, axes: sizes.indices.map { axes[$0] })
    result.flattened = tensor.flattened
    return .network(result)
  }
}
