import Forge
import ForgeOperations
import ForgeShapes

/// A layer of a Core ML network to write.
struct CoreMLLayerRecord {
  let kind: CoreMLKind
  let name: String
  let inputs: [String]
  let outputs: [String]
  /// The fields of the layer's own parameters.
  let parameters: CoreMLMessage

  /// The layer as a message, with other names for some values.
  func message(renaming names: [String: String]) -> CoreMLMessage {
    var layer = CoreMLMessage()
    layer.text(1, names[name] ?? name)
    for input in inputs { layer.text(2, names[input] ?? input) }
    for output in outputs { layer.text(3, names[output] ?? output) }
    layer.message(kind.field, parameters)
    return layer
  }
}

/// The Core ML network of a model while it is written, operation by operation.
///
/// Images are kept with channels first, as Core ML's layers want them, and turned where a layer
/// reads another order. Whatever no output needs is left out at the end.
struct CoreMLGraphWriter: ExportGraph {
  static let format = ExportFormat.coreML

  /// The most axes of a tensor, and of a constant.
  static let mostAxes = 5, mostConstantAxes = 4

  /// The network.
  let network: LoweredNetwork
  /// Whether weights are written in half precision.
  let hasHalfWeights: Bool
  /// The layers so far.
  private(set) var layers: [CoreMLLayerRecord] = []
  /// The values of the network by index.
  private var values: [Int: CoreMLValue] = [:]
  /// The results of recurrent cells, by the index of their result.
  var recurrent: [Int: CoreMLRecurrentResult] = [:]
  /// The constants that exist, by what they hold.
  private var constants: [String: String] = [:]
  /// The sizes of the file's values by name.
  private var valueSizes: [String: [Int]] = [:]
  /// How often a name was made unique, so that many equal names take no quadratic time.
  private var repeats: [String: Int] = [:]
  /// The layer whose operations are written.
  private(set) var layer = ""
  /// The result of the layer, which has its name.
  private var result: OperationGraph.Value?
  /// The node that makes each value of the network.
  private(set) var producers: [Int: OperationGraph.Node] = [:]
  /// The results of recurrent cells of which the cells are read, by index.
  private(set) var readCells: Set<Int> = []

  init(_ network: LoweredNetwork, hasHalfWeights: Bool) {
    self.network = network
    self.hasHalfWeights = hasHalfWeights
    for node in network.graph.nodes {
      producers[node.output.index] = node
      if case .recurrentPart(_, .cells) = node.primitive { readCells.insert(node.inputs[0].index) }
    }
  }

  /// The sizes of a value of the file.
  func sizes(of name: String) -> [Int] { valueSizes[name] ?? [] }

  // MARK: Names

  /// A name that no other value has.
  mutating func unique(_ name: String, sizes: [Int]) -> String {
    var candidate = name
    while valueSizes[candidate] != nil {
      let number = repeats[name, default: 1] + 1
      repeats[name] = number
      candidate = "\(name)_\(number)"
    }
    valueSizes[candidate] = sizes
    return candidate
  }

  /// Keeps a name from being given to another value.
  mutating func reserve(_ name: String) { valueSizes[name] = valueSizes[name] ?? [] }

  /// Begins the operations of a layer.
  mutating func begin(_ name: String, result: OperationGraph.Value?) {
    layer = name
    self.result = result
  }

  /// The name that the result of an operation should have; `nil` if it is not that of its layer.
  func name(for value: OperationGraph.Value) -> String? { value == result ? layer : nil }

  // MARK: Layers

  /// Adds a layer with one result and returns its name.
  mutating func add(
    _ kind: CoreMLKind, _ inputs: [String], sizes: [Int], named: String? = nil,
    _ fill: (inout CoreMLMessage) -> Void = { _ in }
  ) throws(ExportRefusal) -> String {
    try add(kind, inputs, outputs: [sizes], named: named, fill)[0]
  }

  /// Adds a layer with several results and returns their names.
  mutating func add(
    _ kind: CoreMLKind, _ inputs: [String], outputs: [[Int]], named: String? = nil,
    _ fill: (inout CoreMLMessage) -> Void = { _ in }
  ) throws(ExportRefusal) -> [String] {
    for sizes in outputs where !(1...Self.mostAxes).contains(sizes.count) {
      throw ExportRefusal(what: "a tensor of \(sizes.count) axes")
    }
    let base = named ?? "\(layer)/\(kind.name)"
    var results: [String] = []
    for (index, sizes) in outputs.enumerated() {
      results.append(unique(index == 0 ? base : "\(base).\(index)", sizes: sizes))
    }
    var parameters = CoreMLMessage()
    fill(&parameters)
    layers.append(
      CoreMLLayerRecord(
        kind: kind, name: results[0], inputs: inputs, outputs: results, parameters: parameters))
    return results
  }

  // MARK: Constants

  /// A constant, which exists once for what it holds.
  private mutating func constant(
    _ key: String, named name: String, sizes: [Int], _ numbers: CoreMLNumbers
  ) throws(ExportRefusal) -> String {
    if let known = constants[key] { return known }
    guard sizes.count <= Self.mostConstantAxes else {
      // A constant has four axes at most.
      let count = Shape.product(of: sizes) ?? 0
      let list = try constant("\(key) as a list", named: "\(name).list", sizes: [count], numbers)
      let constant = try reshaped(list, to: sizes)
      constants[key] = constant
      return constant
    }
    let constant = try add(.constant, [], sizes: sizes, named: name) {
      $0.integers(1, sizes)
      $0.numbers(2, numbers)
    }
    constants[key] = constant
    return constant
  }

  /// Stored numbers as a constant of their own.
  mutating func loaded(
    _ numbers: CoreMLNumbers, sizes: [Int]
  ) throws(ExportRefusal) -> String {
    try constant("layer \(layers.count)", named: numbers.name, sizes: sizes, numbers)
  }

  /// A single number, [1].
  mutating func number(_ value: Float) throws(ExportRefusal) -> String {
    try constant(
      "number \(value.bitPattern)", named: "number_\(value)", sizes: [1],
      CoreMLNumbers(name: "\(value)", count: 1, isHalf: false) { [value] })
  }

  /// Numbers of any sizes.
  mutating func numbers(
    _ values: [Float], sizes: [Int], named name: String
  ) throws(ExportRefusal) -> String {
    let name = "\(layer).\(name)"
    let bits = values.count > 64 ? "\(name) \(layers.count)" : "\(values.map(\.bitPattern))"
    return try constant(
      "numbers \(sizes) \(bits)", named: name, sizes: sizes,
      CoreMLNumbers(name: name, count: values.count, isHalf: false) { values })
  }

  /// Numbers that are computed when they are written, and exist once for a key.
  mutating func computed(
    _ key: String, sizes: [Int], _ compute: @escaping () -> [Float]
  ) throws(ExportRefusal) -> String {
    guard let count = Shape.product(of: sizes), count <= Shape.maximumElementCount else {
      throw ExportRefusal(what: "a constant of the sizes \(sizes)")
    }
    return try constant(
      "computed \(key) \(sizes)", named: "\(layer).\(key)", sizes: sizes,
      CoreMLNumbers(name: key, count: count, isHalf: false, compute: compute))
  }

  /// Indices, which a layer reads as numbers.
  mutating func indices(_ values: [Int], sizes: [Int]) throws(ExportRefusal) -> String {
    guard values.allSatisfy({ $0 <= 1 << 24 }) else {
      throw ExportRefusal(what: "an index above \(1 << 24), which no number of 32 bits holds")
    }
    return try numbers(values.map { Float($0) }, sizes: sizes, named: "indices")
  }

  /// The values of a constant of the network as stored numbers, with another order.
  ///
  /// - Parameters:
  ///   - value: the constant.
  ///   - count: how many numbers there are in the file.
  ///   - arrange: returns the elements in the order of the file, whose number may be larger.
  /// - Returns: the numbers.
  /// - Throws: ``ExportRefusal`` when it is computed.
  func stored(
    _ value: OperationGraph.Value, count: Int,
    _ arrange: @escaping ([Float]) -> [Float] = { $0 }
  ) throws(ExportRefusal) -> CoreMLNumbers {
    guard let recipe = network.graph.constant(value) else {
      throw ExportRefusal(what: "weights that are computed")
    }
    let network = network
    return CoreMLNumbers(
      name: name(of: recipe), count: count, isHalf: hasHalfWeights && Self.isWeight(recipe)
    ) { arrange(try network.values(of: recipe)) }
  }

  /// A constant of the network in other sizes, with its elements in another order.
  ///
  /// - Parameters:
  ///   - value: the constant.
  ///   - sizes: the sizes in the file.
  ///   - form: what is done to the elements, for constants that are used several times.
  ///   - arrange: returns the elements in the order of the file.
  /// - Returns: the name.
  /// - Throws: ``ExportRefusal`` when it is computed.
  mutating func parameter(
    _ value: OperationGraph.Value, sizes: [Int], as form: String = "",
    _ arrange: @escaping ([Float]) -> [Float] = { $0 }
  ) throws(ExportRefusal) -> String {
    let numbers = try stored(value, count: Shape.product(of: sizes) ?? 0, arrange)
    return try constant(
      "value \(value.index) \(sizes) \(form)", named: numbers.name, sizes: sizes, numbers)
  }

  /// Whether a constant is made of the parameters of layers.
  private static func isWeight(_ recipe: ConstantRecipe) -> Bool {
    switch recipe {
    case .parameter: true
    case .literal: false
    case .scaled(let recipe, _, _, _), .rounded(let recipe, _), .strided(let recipe, _, _, _, _):
      isWeight(recipe)
    case .joined(let recipes, _): recipes.contains(where: isWeight)
    }
  }

  /// What a constant is called.
  private func name(of recipe: ConstantRecipe) -> String {
    switch recipe {
    case .parameter(let index):
      let spec = network.parameters[index]
      return "\(spec.layer).\(spec.type.name)"
    case .literal, .joined: return "\(layer).constant"
    case .scaled(let recipe, _, _, _), .rounded(let recipe, _), .strided(let recipe, _, _, _, _):
      return name(of: recipe) + ".part"
    }
  }

  // MARK: Values

  /// Records an input of the network.
  mutating func set(input value: OperationGraph.Value, to result: CoreMLValue) {
    values[value.index] = result
  }

  /// Records what a node of the network has computed.
  mutating func set(
    _ value: OperationGraph.Value, _ form: CoreMLValue.Form, _ name: String
  ) {
    values[value.index] = CoreMLValue(sizes: sizes(value), primary: form, names: [form: name])
  }

  /// Lets a value be another one.
  mutating func alias(_ value: OperationGraph.Value, _ other: CoreMLValue) {
    values[value.index] = other
  }

  /// A value, which may be a constant.
  mutating func value(_ value: OperationGraph.Value) throws(ExportRefusal) -> CoreMLValue {
    if let known = values[value.index] { return known }
    let sizes = sizes(value)
    guard network.graph.constant(value) != nil else {
      throw ExportRefusal(what: "the result of an earlier layer that is not written")
    }
    let name = try parameter(value, sizes: sizes)
    let constant = CoreMLValue(sizes: sizes, primary: .plain, names: [.plain: name])
    values[value.index] = constant
    return constant
  }

  /// The name of a value in a form, which is computed once.
  mutating func name(
    of value: OperationGraph.Value, in form: CoreMLValue.Form
  ) throws(ExportRefusal) -> String {
    let stored = try self.value(value)
    if let name = stored.names[form] { return name }
    let name: String
    let target = stored.sizes(in: form)
    if network.graph.constant(value) != nil, form == .channelsFirst {
      let (pixels, channels) = (stored.sizes[0] * stored.sizes[1], stored.sizes[2])
      name = try parameter(value, sizes: target, as: "channels first") {
        Self.channelsFirst($0, pixels: pixels, channels: channels)
      }
    } else if let from = stored.ordered, let source = stored.names[from],
      form != .channelsFirst || stored.isVector || stored.sizes[2] == 1
    {
      // The elements keep their order.
      name = try reshaped(source, to: target, named: "\(source)/\(form)")
    } else {
      let source = stored.names[stored.primary] ?? stored.names.values.min() ?? ""
      let three = try reshaped(source, to: Array(sizes(of: source).suffix(3)))
      let order = form == .channelsFirst ? [2, 0, 1] : [1, 2, 0]
      let turned = try transposed(three, order)
      name = try reshaped(turned, to: target, named: "\(source)/\(form)")
    }
    var known = stored
    known.names[form] = name
    values[value.index] = known
    return name
  }

  // MARK: The end

  /// Leaves out the layers that no output needs.
  mutating func removeUnused(outputs: [String]) {
    var needed = Set(outputs)
    var kept: [CoreMLLayerRecord] = []
    for layer in layers.reversed() where layer.outputs.contains(where: needed.contains) {
      needed.formUnion(layer.inputs)
      kept.append(layer)
    }
    layers = kept.reversed()
  }

  /// Adds a layer that repeats a value under a name that is free, or becomes so.
  mutating func addOutput(_ source: String, named name: String) {
    layers.append(
      CoreMLLayerRecord(
        kind: .copy, name: "\(name)/output", inputs: [source], outputs: [name],
        parameters: CoreMLMessage()))
  }
}
