import Forge
import ForgeOperations
import ForgeShapes

/// The graph of a Keras model while it is written, operation by operation.
///
/// Every tensor has the examples as its first axis and the channels last, as Keras wants them.
struct KerasGraphWriter: ExportGraph {
  static let format = ExportFormat.keras

  /// A value of the network: one tensor in one or several forms.
  ///
  /// The forms have the same elements in the same order and differ in their sizes.
  struct Value {
    /// The tensors by their sizes.
    var forms: [[Int]: KerasTensor]
    /// The sizes in which it was computed.
    let primary: [Int]
    /// The integers, of an input that has such.
    var integers: KerasTensor?
  }

  /// The network.
  let network: LoweredNetwork
  /// The most numbers of a constant in the description.
  let longestConstant: Int
  /// The layers and operations so far.
  var records: [KerasRecord] = []
  /// The results of recurrent cells, by the index of their value and by part.
  var recurrent: [Int: [RecurrentRule.Part: KerasTensor]] = [:]
  private var values: [Int: Value] = [:]
  /// The values of the network that are the results of a layer, by its index.
  private var holders: [Int: [OperationGraph.Value]] = [:]
  /// The layers with parameters, by what they are.
  private var shared: [String: Int] = [:]
  /// The layer whose operations are written.
  private var layer = ""
  /// The result of the layer, which has its name.
  private var result: OperationGraph.Value?
  /// The node that makes each value of the network.
  private(set) var producers: [Int: OperationGraph.Node] = [:]
  /// The nodes that read each value of the network.
  private(set) var readers: [Int: [OperationGraph.Node]] = [:]
  /// The values that the network returns.
  private let returned: Set<Int>

  init(_ network: LoweredNetwork, longestConstant: Int) {
    self.network = network
    self.longestConstant = longestConstant
    returned = Set(network.graph.modelOutputs.map(\.index))
    for node in network.graph.nodes {
      producers[node.output.index] = node
      for input in Set(node.inputs) { readers[input.index, default: []].append(node) }
    }
  }

  /// The sizes that a value has in Keras: a pixel is a vector there.
  static func kerasSizes(_ sizes: [Int]) -> [Int] {
    sizes.count == 3 && sizes[0] == 1 && sizes[1] == 1 ? [sizes[2]] : sizes
  }

  /// Begins the operations of a layer.
  mutating func begin(_ name: String, result: OperationGraph.Value?) {
    layer = KerasText.name(name)
    self.result = result
  }

  // MARK: Layers

  /// Adds a call of a layer or an operation and returns its outputs.
  ///
  /// - Parameters:
  ///   - kind: what it is.
  ///   - arguments: the arguments of the call without names.
  ///   - keywords: those with names.
  ///   - config: its arguments in Keras, without the name.
  ///   - weights: its parameters in the order of Keras.
  ///   - place: where the parameters are below the layer.
  ///   - outputs: the sizes of each output.
  ///   - types: the element type of each output; single precision beyond the list.
  ///   - isResult: whether it should have the name of the layer of the network.
  /// - Returns: the outputs.
  mutating func add(
    _ kind: KerasRecord.Kind, _ arguments: [KerasArgument],
    keywords: [(name: String, value: KerasArgument)] = [],
    config: [(name: String, value: KerasJSON)], weights: [KerasRecord.Weight] = [],
    place: [String] = [], outputs: [[Int]], types: [String] = [], named isResult: Bool = false
  ) -> [KerasTensor] {
    let call = KerasRecord.Call(arguments: arguments, keywords: keywords)
    var index = records.count
    var number = 0
    let key = weights.isEmpty ? nil : Self.key(kind, config, weights)
    if let key, let known = shared[key] {
      index = known
      number = records[known].calls.count
      records[known].calls.append(call)
    } else {
      if let key { shared[key] = index }
      let base = isResult ? layer : "\(layer)_\(KerasNames.snakeCase(kind.name))"
      records.append(
        KerasRecord(
          kind: kind, name: base, config: config, weights: weights, place: place,
          sizes: outputs, calls: [call]))
    }
    return outputs.enumerated().map { output, sizes in
      KerasTensor(
        layer: index, call: number, output: output, sizes: sizes,
        type: types.indices.contains(output) ? types[output] : "float32")
    }
  }

  /// Adds a call with one output.
  mutating func one(
    _ kind: KerasRecord.Kind, _ arguments: [KerasArgument],
    keywords: [(name: String, value: KerasArgument)] = [],
    _ config: [(name: String, value: KerasJSON)] = [], weights: [KerasRecord.Weight] = [],
    sizes: [Int], type: String = "float32", named isResult: Bool = false
  ) -> KerasTensor {
    add(
      kind, arguments, keywords: keywords, config: config, weights: weights, outputs: [sizes],
      types: [type], named: isResult)[0]
  }

  /// Adds a layer of one tensor that has one output.
  mutating func layer(
    _ name: String, _ x: KerasTensor, _ config: [(name: String, value: KerasJSON)] = [],
    weights: [KerasRecord.Weight] = [], sizes: [Int], named isResult: Bool = false
  ) -> KerasTensor {
    one(.layer(name), [.tensor(x)], config, weights: weights, sizes: sizes, named: isResult)
  }

  /// Changes an argument of a layer that is called once.
  ///
  /// - Returns: the output of another layer, if one has the same arguments and parameters and is
  ///   called a second time instead.
  mutating func share(
    _ index: Int, with argument: (name: String, value: KerasJSON)
  ) -> KerasTensor? {
    shared[Self.key(records[index].kind, records[index].config, records[index].weights)] = nil
    for place in records[index].config.indices
    where records[index].config[place].name == argument.name {
      records[index].config[place].value = argument.value
    }
    let record = records[index]
    let key = Self.key(record.kind, record.config, record.weights)
    guard let known = shared[key], let sizes = record.sizes.first else {
      shared[key] = index
      return nil
    }
    records[known].calls += record.calls
    return KerasTensor(
      layer: known, call: records[known].calls.count - 1, output: 0, sizes: sizes)
  }

  /// What a layer with parameters is, for layers that are called several times.
  private static func key(
    _ kind: KerasRecord.Kind, _ config: [(name: String, value: KerasJSON)],
    _ weights: [KerasRecord.Weight]
  ) -> String {
    "\(kind) \(config) \(weights.map { "\($0.key) \($0.sizes)" })"
  }

  // MARK: Constants

  /// Whether a value is a constant.
  func isConstant(_ value: OperationGraph.Value) -> Bool { network.graph.constant(value) != nil }

  /// The values of a small constant, or `nil` if it is read from parameters.
  func literal(_ value: OperationGraph.Value) -> [Float]? {
    guard case .literal(let values)? = network.graph.constant(value) else { return nil }
    return values
  }

  /// A constant of the network as a parameter of a layer.
  ///
  /// - Parameters:
  ///   - value: the constant.
  ///   - sizes: the sizes in Keras.
  ///   - form: what is done to the elements.
  ///   - arrange: returns the elements in the order of Keras.
  /// - Returns: the parameter, whose values are computed when they are written.
  /// - Throws: ``ExportRefusal`` when it is computed.
  func weight(
    _ value: OperationGraph.Value, sizes: [Int], as form: String = "",
    _ arrange: @escaping ([Float]) -> [Float] = { $0 }
  ) throws(ExportRefusal) -> KerasRecord.Weight {
    guard let recipe = network.graph.constant(value) else {
      throw ExportRefusal(what: "weights that are computed")
    }
    let network = network
    return KerasRecord.Weight(sizes: sizes, key: "\(value.index) \(form)") {
      arrange(try network.values(of: recipe))
    }
  }

  /// A constant of the network as a parameter, with its axes in another order.
  func weight(
    _ value: OperationGraph.Value, from sizes: [Int], order: [Int], to target: [Int]? = nil
  ) throws(ExportRefusal) -> KerasRecord.Weight {
    try weight(
      value, sizes: target ?? order.map { sizes[$0] }, as: "\(sizes) \(order)"
    ) { Self.permuted($0, sizes, order) }
  }

  /// Values of these sizes with their axes in another order.
  static func permuted(_ values: [Float], _ sizes: [Int], _ order: [Int]) -> [Float] {
    guard order != Array(sizes.indices), values.count == sizes.reduce(1, *) else { return values }
    let strides = Shape.strides(of: sizes)
    var result: [Float] = []
    result.reserveCapacity(values.count)
    var index = Array(repeating: 0, count: sizes.count)
    var source = 0
    for _ in values.indices {
      result.append(values[source])
      for place in order.indices.reversed() {
        let axis = order[place]
        index[place] += 1
        source += strides[axis]
        if index[place] < sizes[axis] { break }
        source -= sizes[axis] * strides[axis]
        index[place] = 0
      }
    }
    return result
  }

  /// Numbers of the writer as a constant of the description.
  func numbers(_ values: [Float], sizes: [Int]) -> KerasArgument {
    .json(.array(KerasArray(sizes: sizes) { values }))
  }

  /// Integers of the writer as a constant of the description.
  func integers(_ values: [Int]) -> KerasArgument {
    .json(.integerArray(values))
  }

  /// A constant of the network in the description.
  ///
  /// - Parameters:
  ///   - value: the constant.
  ///   - sizes: its sizes there.
  /// - Returns: the argument of a call.
  /// - Throws: ``ExportRefusal`` when it is too large.
  func constant(
    _ value: OperationGraph.Value, sizes: [Int]
  ) throws(ExportRefusal) -> KerasArgument {
    guard let recipe = network.graph.constant(value) else {
      throw ExportRefusal(what: "a constant that is computed")
    }
    let count = sizes.reduce(1) { $0.multipliedSaturated(by: $1) }
    if count == 1, let number = literal(value)?.first { return .json(.number(number)) }
    guard count <= longestConstant else {
      throw ExportRefusal(
        what: "a constant of \(count) numbers, which no layer of Keras has as its weights",
        remedy: "raise KerasOptions.longestConstant")
    }
    let network = network
    return .json(
      .array(KerasArray(sizes: sizes) { try network.values(of: recipe) }))
  }

  // MARK: Values

  /// Records a value of the network.
  mutating func set(_ value: OperationGraph.Value, to tensor: KerasTensor) {
    holders[tensor.layer, default: []].append(value)
    values[value.index] = Value(forms: [tensor.sizes: tensor], primary: tensor.sizes)
  }

  /// Records an input of integers.
  mutating func set(
    _ value: OperationGraph.Value, to tensor: KerasTensor, integers: KerasTensor
  ) {
    values[value.index] = Value(
      forms: [tensor.sizes: tensor], primary: tensor.sizes, integers: integers)
  }

  /// Lets a value be another one, possibly with other sizes.
  mutating func alias(
    _ value: OperationGraph.Value, _ other: OperationGraph.Value
  ) throws(ExportRefusal) {
    let stored = try self.value(other)
    if let tensor = stored.forms[stored.primary] {
      holders[tensor.layer, default: []].append(value)
    }
    values[value.index] = stored
  }

  /// Whether a value is the result of its layer, and has its name.
  func isResult(_ value: OperationGraph.Value) -> Bool { value == result }

  /// A value; a constant is repeated for each example.
  mutating func value(_ value: OperationGraph.Value) throws(ExportRefusal) -> Value {
    if let known = values[value.index] { return known }
    guard isConstant(value) else {
      throw ExportRefusal(what: "the result of an earlier layer that is not written")
    }
    let sizes = Self.kerasSizes(sizes(value))
    let numbers = try constant(value, sizes: sizes.isEmpty ? [1] : sizes)
    let zero = zeros(rank: max(sizes.count, 1))
    let tensor = one(
      .numpy("Add"), [.tensor(zero), numbers], sizes: sizes.isEmpty ? [1] : sizes)
    set(value, to: tensor)
    return values[value.index]
      ?? Value(forms: [tensor.sizes: tensor], primary: tensor.sizes)
  }

  /// A zero for each example, with this number of axes.
  mutating func zeros(rank: Int) -> KerasTensor {
    let input = records.firstIndex { $0.isInput } ?? 0
    let given = inputs[input] ?? KerasTensor(layer: input, call: 0, output: 0, sizes: [1])
    let flat = reshaped(given, to: [given.sizes.reduce(1, *)])
    let first = one(
      .numpy("GetItem"),
      [.tensor(flat), .list([.json(.slice(nil, nil, nil)), .json(.slice(0, 1, 1))])], sizes: [1],
      type: flat.type)
    let zero = one(.numpy("ZerosLike"), [.tensor(first)], [("dtype", .text("float32"))], sizes: [1])
    return reshaped(zero, to: Array(repeating: 1, count: rank))
  }

  /// The inputs by their record.
  var inputs: [Int: KerasTensor] = [:]

  /// A tensor with other sizes.
  mutating func reshaped(
    _ x: KerasTensor, to sizes: [Int], named isResult: Bool = false
  ) -> KerasTensor {
    guard x.sizes != sizes else { return x }
    var made =
      sizes.count == 1
      ? layer("Flatten", x, sizes: sizes, named: isResult)
      : layer("Reshape", x, [("target_shape", .integers(sizes))], sizes: sizes, named: isResult)
    made.type = x.type
    return made
  }

  /// A value with its elements in these sizes.
  mutating func tensor(
    _ value: OperationGraph.Value, sizes: [Int]
  ) throws(ExportRefusal) -> KerasTensor {
    let stored = try self.value(value)
    if let known = stored.forms[sizes] { return known }
    guard let source = stored.forms[stored.primary] else {
      throw ExportRefusal(what: "a value without a form")
    }
    let made = reshaped(source, to: sizes)
    values[value.index]?.forms[sizes] = made
    return made
  }

  /// A value with the sizes that it has in the network.
  mutating func plain(_ value: OperationGraph.Value) throws(ExportRefusal) -> KerasTensor {
    let sizes = sizes(value)
    return try tensor(value, sizes: sizes.isEmpty ? [1] : sizes)
  }

  /// A value in the sizes in which it was computed.
  mutating func primary(_ value: OperationGraph.Value) throws(ExportRefusal) -> KerasTensor {
    try tensor(value, sizes: try self.value(value).primary)
  }

  /// A value in sizes of which the last one is that of the network.
  mutating func rows(_ value: OperationGraph.Value) throws(ExportRefusal) -> KerasTensor {
    let primary = try self.value(value).primary
    return primary.last == sizes(value).last
      ? try tensor(value, sizes: primary) : try plain(value)
  }

  /// Whether an activation of a layer may become part of the layer that makes its operand: nothing
  /// else reads what that makes, under any of its names.
  func isReadOnce(_ tensor: KerasTensor) -> Bool {
    holders[tensor.layer, default: []].allSatisfy { value in
      !returned.contains(value.index) && readers[value.index, default: []].count == 1
    }
  }

  /// The name of the layer whose operations are written.
  var layerName: String { layer }
}
