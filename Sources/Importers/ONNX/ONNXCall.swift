import Forge

/// One node with the values of its inputs, and the place for those of its outputs.
struct ONNXCall {
  /// The node.
  let node: FileNode
  /// The version of the operator set.
  let opset: Int
  /// The values of the inputs; `nil` for one that is left out.
  var inputs: [FileValue?]
  /// The inputs that are known for every length of a sequence.
  var families: [ONNXLengthFamily?] = []
  /// The largest magnitude of the result, if it is an integer and small enough for Float32.
  var integerBound: Int?
  /// Whether only casts to Booleans read the result.
  var isUsedAsTruth = false
  /// Whether only the sizes of what the network computes matter, so one example stands for
  /// all.
  var isOutline = false
  /// How many channels lie side by side in weights that ONNX Runtime has rearranged; `nil` if the
  /// file does not say.
  var channelBlock: Int?
  /// The rows of the results that the values choose.
  var chosenRows: ONNXChosenRows?
  /// The names of the classes that the results count or are the probabilities of.
  var classNames: [String]?
  /// Whether the first result is the place of a text among the class names.
  var isText = false
  /// The names of the graph's outputs.
  let graphOutputs: Set<String>
  /// The results, as many as the node has outputs.
  var outputs: [FileValue?]
  /// The parameters of layers by layer name and type.
  var parameters: [ImportedParameters.Key: ImportedParameters.Entry] = [:]

  init(
    _ node: FileNode, opset: Int, inputs: [FileValue?], graphOutputs: Set<String>
  ) {
    self.graphOutputs = graphOutputs
    self.node = node
    self.opset = opset
    self.inputs = inputs
    outputs = Array(repeating: nil, count: max(node.outputs.count, 1))
  }

  // MARK: Inputs

  /// Whether an input is given.
  func has(_ index: Int) -> Bool { index < inputs.count && inputs[index] != nil }

  /// An input.
  func value(_ index: Int) throws -> FileValue {
    guard index < inputs.count, let value = inputs[index] else {
      throw NodeFailure.invalid("input \(index) is missing")
    }
    return value
  }

  /// The values of an input that is known while importing; `nil` if it is left out or computed.
  func host(_ index: Int) -> HostTensor? {
    guard index < inputs.count, case .host(let tensor)? = inputs[index] else { return nil }
    return tensor
  }

  /// An input that is known for every length of a sequence.
  func family(_ index: Int) -> ONNXLengthFamily? {
    families.indices.contains(index) ? families[index] : nil
  }

  /// Integers that must be known while importing, such as axes; `nil` if they are left out.
  func knownInts(_ index: Int, _ what: String) throws -> [Int]? {
    guard has(index) else { return nil }
    guard let tensor = host(index) else {
      throw NodeFailure.unsupported("\(what) computed at run time")
    }
    return try tensor.integers().map { Int($0) }
  }

  /// Numbers that must be known while importing; `nil` if they are left out.
  func knownFloats(_ index: Int, _ what: String) throws -> [Float]? {
    guard has(index) else { return nil }
    guard let tensor = host(index) else {
      throw NodeFailure.unsupported("\(what) computed at run time")
    }
    return try tensor.floats()
  }

  /// Integers from an attribute of earlier operator sets or an input of later ones.
  func ints(_ attribute: String, input index: Int) throws -> [Int]? {
    try node.ints(attribute) ?? knownInts(index, attribute)
  }

  /// An input as a tensor of the network; a known one becomes a constant.
  func network(_ index: Int) throws -> FileTensor {
    switch try value(index) {
    case .network(let tensor): return tensor
    case .host(let tensor):
      return try Self.constant(tensor, layout: FileTensor.usualLayout(tensor.sizes))
    case .length:
      throw NodeFailure.unsupported("a number that depends on the length of a sequence")
    }
  }

  /// Refuses arithmetic on integers, which Forge does in Float32, unless its results are small.
  func refuseIntegers(_ index: Int = 0) throws {
    guard integerBound == nil else { return }
    let type = try value(index).type
    if type.isInteger, type != .bool {
      throw NodeFailure.unsupported("arithmetic on \(type.rawValue)")
    }
  }

  /// Refuses features of float64: a threshold between two of them may lie on the other side of
  /// their nearest Float32.
  func refuseDoubles() throws {
    for case .network(let tensor)? in inputs where tensor.type == .float64 {
      throw NodeFailure.unsupported("features in double precision")
    }
  }

  /// A constant of the network with its axes in a layout.
  static func constant(_ host: HostTensor, layout: [Int?]) throws -> FileTensor {
    let shape = layout.map { $0.map { host.sizes[$0] } ?? 1 }
    guard !shape.contains(0), let count = Shape.product(of: shape), count == host.count else {
      throw NodeFailure.unsupported("an empty tensor")
    }
    if case .repeated = host.storage { try checkConstant(host.sizes) }
    if host.isInteger { try checkExact(host) }
    // Axes that the layout lacks have size 1, so their place does not matter.
    let order = layout.compactMap { $0 }
    let missing = host.sizes.indices.filter { !order.contains($0) }
    try ImportBudget.keep(count, width: MemoryLayout<Float>.size)
    let values = try host.transposed(missing + order).floats()
    return FileTensor(
      Tensor.applying(Constant(values, shape: Shape(sizes: shape)), to: []), sizes: host.sizes,
      layout: layout,
      type: host.type)
  }

  /// Refuses integers that Float32, in which networks compute, does not have.
  ///
  /// The largest of a type stands for infinity: Float32 has none between it and the next power of
  /// two, which becomes the largest again in an output.
  static func checkExact(_ host: HostTensor) throws {
    let largest: Int64 = host.type == .int32 ? Int64(Int32.max) : .max
    for value in try host.integers()
    where value.magnitude > 1 << 24 && Int64(exactly: Float(value)) != value && value != largest {
      throw NodeFailure.unsupported("the integer \(value), which f32 does not hold exactly")
    }
  }

  /// Refuses the sizes of a constant that is larger than any model needs.
  static func checkConstant(_ sizes: [Int], limit: Int = 1 << 24) throws {
    guard let count = Shape.product(of: sizes), count <= limit else {
      throw NodeFailure.unsupported("a constant of \(sizes)")
    }
  }

  /// A value with its axes in the order of the file.
  static func plain(_ value: FileValue) throws -> Tensor {
    let layout = FileTensor.fileLayout(value.sizes)
    switch value {
    case .host(let host): return try constant(host, layout: layout).tensor
    case .network(let file): return file.tensor(as: layout)
    case .length:
      throw NodeFailure.unsupported("a number that depends on the length of a sequence")
    }
  }

  /// An axis counted from 0.
  static func axis(_ axis: Int, rank: Int) throws -> Int {
    guard (-rank..<rank).contains(axis) else {
      throw NodeFailure.invalid("axis \(axis) of a tensor of rank \(rank)")
    }
    return axis < 0 ? axis + rank : axis
  }

  /// An index of an axis of a size, counted from 0.
  static func place(_ index: Int, of size: Int) throws -> Int {
    guard (-size..<size).contains(index) else {
      throw NodeFailure.invalid("index \(index) on an axis of size \(size)")
    }
    return index < 0 ? index + size : index
  }

  /// A tensor that an attribute holds; `nil` if it is not there.
  func stored(_ attribute: String) throws -> HostTensor? {
    try node.tensor(attribute)?.host()
  }

  // MARK: Layers and results

  /// The name of the layer with the node's parameters: that of its first output.
  ///
  /// An output of the graph gives its name to its last layer alone.
  var layerName: String {
    let name = node.outputs.first { !$0.isEmpty } ?? node.name
    return graphOutputs.contains(name) ? "\(name)/\(node.type)" : name
  }

  /// Applies a layer to tensors of the network.
  func apply(_ layer: some Layer, to tensors: Tensor...) throws -> Tensor {
    try apply(layer, to: tensors)
  }

  /// Applies a layer to tensors of the network.
  ///
  /// - Throws: ``NodeFailure`` with the violated rule.
  func apply(_ layer: some Layer, to tensors: [Tensor]) throws -> Tensor {
    try Self.applied(layer, to: tensors)
  }

  /// Applies a layer to tensors of the network.
  ///
  /// - Throws: ``NodeFailure`` with the violated rule.
  static func applied(_ layer: some Layer, to tensors: [Tensor]) throws -> Tensor {
    let result = Tensor(.layer(layer), inputs: tensors)
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

  /// Sets a result with the sizes and layout of another value.
  mutating func set(_ tensor: Tensor, like other: FileTensor, type: ElementType? = nil) {
    set(
      FileTensor(tensor, sizes: other.sizes, layout: other.layout, type: type ?? other.type))
  }

  /// States a parameter of a layer, which reads its tensor in the order of the file unless the
  /// values are not ordered so: then it reads an image that the file flattens before it.
  mutating func parameter(
    _ type: ParameterType, of layer: String, _ values: HostTensor,
    layout: ParameterLayout = .pytorch, isOrdered: Bool = true
  ) {
    parameters[.init(layer: layer, type: type)] = .init(
      values: values, layout: layout, isOrdered: isOrdered)
  }
}
