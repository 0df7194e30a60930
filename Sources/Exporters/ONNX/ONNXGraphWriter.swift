import Forge
import ForgeOperations
import ForgeShapes

/// The ONNX graph of a network while it is written, operation by operation.
///
/// Images are kept with channels first, as ONNX's operators want them, and turned where an operator
/// reads another order. Whatever no output needs is left out at the end.
struct ONNXGraphWriter: ExportGraph {
  static let format = ExportFormat.onnx

  /// The network.
  let network: LoweredNetwork
  /// The nodes so far.
  private(set) var nodes: [ONNXNodeRecord] = []
  /// The constants so far.
  private(set) var initializers: [ONNXInitializer] = []
  /// The values of the network by index.
  private var values: [Int: ONNXValue] = [:]
  /// The sequence, hidden values and cells of recurrent cells, by the index of their result.
  var recurrent: [Int: ONNXRecurrentResult] = [:]
  /// The results of quantizations as integers, by the index of the value.
  var quantized: [Int: String] = [:]
  /// The numbers of integers that are constants, by the names of these.
  var quantizedConstants: [String: String] = [:]
  /// The constants that exist, by what they hold.
  private var constants: [String: String] = [:]
  private var names: Set<String> = []
  /// The layer whose operations are written.
  private var layer = ""
  /// The result of the layer, which has its name.
  private var result: OperationGraph.Value?
  /// The node that makes each value of the network.
  private(set) var producers: [Int: OperationGraph.Node] = [:]

  init(_ network: LoweredNetwork) {
    self.network = network
    for node in network.graph.nodes { producers[node.output.index] = node }
  }

  // MARK: Names

  /// A name that no other value has.
  mutating func unique(_ name: String) -> String {
    var candidate = name
    var number = 2
    while !names.insert(candidate).inserted {
      candidate = "\(name)_\(number)"
      number += 1
    }
    return candidate
  }

  /// Begins the operations of a layer.
  mutating func begin(_ name: String, result: OperationGraph.Value?) {
    layer = name
    self.result = result
  }

  // MARK: Nodes

  /// Adds a node with one result and returns its name.
  mutating func add(
    _ type: String, _ inputs: [String], named: String? = nil,
    _ attributes: (String, ONNXNodeRecord.Attribute)...
  ) -> String {
    add(type, inputs, outputs: 1, named: named, attributes)[0]
  }

  /// Adds a node with several results and returns their names.
  mutating func add(
    _ type: String, _ inputs: [String], outputs: Int, named: String? = nil,
    _ attributes: [(String, ONNXNodeRecord.Attribute)]
  ) -> [String] {
    let base = named ?? "\(layer)/\(type)"
    let results = (0..<outputs).map { unique($0 == 0 ? base : "\(base).\($0)") }
    nodes.append(
      ONNXNodeRecord(
        type: type, name: results[0], inputs: inputs, outputs: results,
        attributes: attributes.map { (name: $0.0, value: $0.1) }))
    return results
  }

  // MARK: Constants

  /// A constant of integers.
  mutating func integers(_ values: [Int]) -> String {
    let text = values.prefix(4).map(String.init).joined(separator: "_")
    return constant("ints \(values)", named: "ints_\(text)") {
      ONNXInitializer(name: $0, sizes: [values.count], contents: .integers(values))
    }
  }

  /// A single integer.
  mutating func integer(_ value: Int) -> String {
    constant("int \(value)", named: "int_\(value)") {
      ONNXInitializer(name: $0, sizes: [], contents: .integers([value]))
    }
  }

  /// A single number.
  mutating func number(_ value: Float) -> String {
    constant("float \(value.bitPattern)", named: "number_\(value)") {
      ONNXInitializer(name: $0, sizes: [], contents: .floats(count: 1) { [value] })
    }
  }

  /// Numbers of any sizes.
  mutating func numbers(_ values: [Float], sizes: [Int], named name: String) -> String {
    let name = unique("\(layer).\(name)")
    initializers.append(
      ONNXInitializer(
        name: name, sizes: sizes, contents: .floats(count: values.count) { values }))
    return name
  }

  /// A constant of the network in other sizes, with its elements in another order.
  ///
  /// - Parameters:
  ///   - value: the constant.
  ///   - sizes: the sizes in the file.
  ///   - form: what is done to the elements, for constants that are used several times.
  ///   - arrange: returns the elements in the order of the file, whose number may be larger.
  /// - Returns: the name.
  /// - Throws: ``ExportRefusal`` when it is computed.
  mutating func parameter(
    _ value: OperationGraph.Value, sizes: [Int], as form: String = "",
    _ arrange: @escaping ([Float]) -> [Float] = { $0 }
  ) throws(ExportRefusal) -> String {
    guard let recipe = network.graph.constant(value) else {
      throw ExportRefusal(what: "weights that are computed")
    }
    let network = network
    return constant("value \(value.index) \(sizes) \(form)", named: name(of: recipe)) { name in
      ONNXInitializer(
        name: name, sizes: sizes,
        contents: .floats(count: Shape.product(of: sizes) ?? 0) {
          arrange(try network.values(of: recipe))
        })
    }
  }

  /// The values of a small constant, or `nil` if it is computed.
  func literal(_ value: OperationGraph.Value) -> [Float]? {
    guard case .literal(let values)? = network.graph.constant(value) else { return nil }
    return values
  }

  /// What a constant is called.
  func name(of recipe: ConstantRecipe) -> String {
    switch recipe {
    case .parameter(let index):
      let spec = network.parameters[index]
      return "\(spec.layer).\(spec.type.name)"
    case .literal, .joined: return "\(layer).constant"
    case .scaled(let recipe, _, _, _), .rounded(let recipe, _), .strided(let recipe, _, _, _, _):
      return name(of: recipe) + ".part"
    }
  }

  /// A constant, which exists once for what it holds.
  mutating func constant(
    _ key: String, named name: String, _ make: (String) -> ONNXInitializer
  ) -> String {
    if let known = constants[key] { return known }
    let name = unique(name)
    initializers.append(make(name))
    constants[key] = name
    return name
  }

  // MARK: Values

  /// Records an input of the network.
  mutating func set(input value: OperationGraph.Value, to result: ONNXValue) {
    values[value.index] = result
  }

  /// Records what a node of the network has computed.
  mutating func set(
    _ value: OperationGraph.Value, _ form: ONNXValue.Form, _ name: String, isBatched: Bool
  ) {
    values[value.index] = ONNXValue(
      sizes: sizes(value), primary: form, names: [form: name], isBatched: isBatched)
  }

  /// Lets a value be another one.
  mutating func alias(_ value: OperationGraph.Value, _ other: ONNXValue) {
    values[value.index] = other
  }

  /// The name that the result of an operation should have; `nil` if it is not that of its layer.
  func name(for value: OperationGraph.Value) -> String? {
    value == result ? layer : nil
  }

  /// A value, which may be a constant.
  mutating func value(_ value: OperationGraph.Value) throws(ExportRefusal) -> ONNXValue {
    if let known = values[value.index] { return known }
    let sizes = sizes(value)
    guard network.graph.constant(value) != nil else {
      throw ExportRefusal(what: "the result of an earlier layer that is not written")
    }
    let name = try parameter(value, sizes: [1] + sizes)
    let constant = ONNXValue(
      sizes: sizes, primary: .plain, names: [.plain: name], isBatched: false)
    values[value.index] = constant
    return constant
  }

  /// The name of a value in a form, which is computed once.
  mutating func name(
    of value: OperationGraph.Value, in form: ONNXValue.Form
  ) throws(ExportRefusal) -> String {
    let stored = try self.value(value)
    if let name = stored.names[form] { return name }
    let name: String
    if !stored.isBatched, network.graph.constant(value) != nil, form == .channelsFirst {
      let (height, width, channels) = (stored.sizes[0], stored.sizes[1], stored.sizes[2])
      name = try parameter(
        value, sizes: [1, channels, height, width], as: "channels first"
      ) { Self.channelsFirst($0, pixels: height * width, channels: channels) }
    } else if let from = stored.ordered,
      form != .channelsFirst || stored.isVector || stored.sizes[2] == 1,
      let source = stored.names[from]
    {
      // The elements keep their order.
      let target = integers([0] + stored.sizes(in: form))
      name = add("Reshape", [source, target], named: "\(source)/\(form)")
    } else {
      let source = stored.names[stored.primary] ?? stored.names.values.min() ?? ""
      let order = form == .channelsFirst ? [0, 3, 1, 2] : [0, 2, 3, 1]
      let turned = add(
        "Transpose", [source], named: "\(source)/\(form)", ("perm", .ints(order)))
      guard form != .flat else {
        name = add("Reshape", [turned, integers([0] + stored.sizes(in: .flat))])
        values[value.index]?.names[form] = name
        return name
      }
      name = turned
    }
    values[value.index]?.names[form] = name
    return name
  }

  /// The form in which an operation on several values is best computed, of which smaller ones are
  /// repeated along the axes of larger ones.
  mutating func form(of operands: [OperationGraph.Value]) throws(ExportRefusal) -> ONNXValue.Form {
    var forms: [ONNXValue.Form] = []
    var allImages = true
    var allVectors = true
    for operand in operands {
      if let image = constantImage(operand) {
        allVectors = allVectors && image[0] == 1 && image[1] == 1
        continue
      }
      let value = try value(operand)
      allImages = allImages && value.isImage
      allVectors = allVectors && value.isVector
      forms.append(value.primary)
    }
    if allImages, forms.contains(.channelsFirst) { return .channelsFirst }
    return allImages && allVectors && forms.contains(.flat) ? .flat : .plain
  }

  /// Where an axis of the network's tensor is in a form, examples included.
  func place(of axis: Int, in form: ONNXValue.Form) -> Int {
    switch form {
    case .plain: axis + 1
    case .channelsFirst: [2, 3, 1][axis]
    case .flat: 1
    }
  }

  /// A value in a form, repeated for each example of another if it has one for all.
  mutating func repeated(
    _ value: OperationGraph.Value, in form: ONNXValue.Form, like other: String
  ) throws(ExportRefusal) -> String {
    let stored = try self.value(value)
    let name = try name(of: value, in: form)
    guard !stored.isBatched else { return name }
    let count = add("Shape", [other], ("start", .int(0)), ("end", .int(1)))
    let sizes = integers(stored.sizes(in: form))
    let target = add("Concat", [count, sizes], ("axis", .int(0)))
    return add("Expand", [name, target])
  }

  /// Whether one of the operands has the examples of the batch.
  mutating func isBatched(_ operands: [OperationGraph.Value]) throws(ExportRefusal) -> Bool {
    for operand in operands where try value(operand).isBatched { return true }
    return false
  }

  // MARK: The end

  /// Leaves out the nodes and constants that no output needs.
  mutating func removeUnused(outputs: [String]) {
    var needed = Set(outputs)
    var kept: [ONNXNodeRecord] = []
    for node in nodes.reversed() where node.outputs.contains(where: needed.contains) {
      needed.formUnion(node.inputs)
      kept.append(node)
    }
    nodes = kept.reversed()
    initializers.removeAll { !needed.contains($0.name) }
  }

  /// Adds a node whose result has a name that is free, or becomes so.
  mutating func addOutput(_ source: String, named name: String) {
    nodes.append(
      ONNXNodeRecord(
        type: "Identity", name: "\(name)/output", inputs: [source], outputs: [name],
        attributes: []))
  }
}
