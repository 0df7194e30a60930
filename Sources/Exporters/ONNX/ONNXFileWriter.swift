import Forge
import ForgeLoaders
import ForgeOperations
import ForgeShapes

/// A model as an ONNX file: its graph, its inputs and outputs, and its constants.
struct ONNXFileWriter {
  /// The version of the operators, and that of the format that came with it.
  private static let operators: Int64 = 20, format: Int64 = 9
  /// The largest file of Protocol Buffers.
  private static let mostBytes = 1 << 31 - 1
  /// Constants below this size stay in the file.
  private static let leastExternal = 1024

  /// An input or output of the file.
  private struct Port {
    let name: String
    let type: Int64
    let sizes: [Int]
  }

  private let metadata: ModelMetadata
  private let batch: ONNXOptions.Batch
  private var graph: ONNXGraphWriter
  private var inputs: [Port] = []
  private var outputs: [Port] = []
  /// The final names of values, by the names in the graph.
  private var names: [String: String] = [:]

  /// Writes the graph of a model.
  init(_ model: Model, _ options: ONNXOptions) throws {
    let problems = Self.problems(of: model, options)
    guard problems.isEmpty else { throw ExportError(problems) }
    var network = try model.loweredNetwork(length: options.length)
    network =
      try options.quantization.map { try network.quantized(by: $0) }
      ?? network.recognizingQuantizations()
    metadata = model.metadata
    batch = options.batch
    graph = ONNXGraphWriter(network)
    addInputs(network)
    try graph.writeNodes()
    try addOutputs(network)
  }

  /// The mistakes that are known before any operation is written.
  private static func problems(of model: Model, _ options: ONNXOptions) -> [Problem] {
    var problems = ExportFormat.onnx.problems(of: model, length: options.length)
    if case .exactly(let count) = options.batch, count < 1 {
      problems.append(
        Problem(
          headline: "the number of examples is out of range",
          details: [("received", "\(count)"), ("needs", "1 or more")]))
    }
    return problems
  }

  // MARK: The graph

  private mutating func addInputs(_ network: LoweredNetwork) {
    let chosen = network.graph.indexInputs
    for (index, (value, place)) in zip(
      network.graph.modelInputs, network.inference.inputs
    ).enumerated() {
      let node = network.inference.nodes[place]
      let sizes = network.graph.shape(of: value).sizes ?? []
      let isVector = sizes.count == 3 && sizes[0] == 1 && sizes[1] == 1
      let form: ONNXValue.Form =
        isVector ? .flat : sizes.count == 3 ? .channelsFirst : .plain
      let name = graph.unique(node.name)
      var result = ONNXValue(
        sizes: sizes, primary: form, names: [form: name], isBatched: true)
      let isInteger = chosen[index] != nil || node.isOfIntegers
      inputs.append(
        Port(name: name, type: isInteger ? 7 : 1, sizes: result.sizes(in: form)))
      if isInteger {
        let numbers = graph.add("Cast", [name], named: "\(name)/float", ("to", .int(1)))
        result = ONNXValue(
          sizes: sizes, primary: form, names: [form: numbers], isBatched: true)
      }
      graph.set(input: value, to: result)
    }
  }

  private mutating func addOutputs(_ network: LoweredNetwork) throws {
    var sources: [(value: String, port: Port)] = []
    var taken: Set<String> = Set(inputs.map(\.name))
    for (value, index) in zip(network.graph.modelOutputs, network.inference.outputs) {
      let node = network.inference.nodes[index]
      do throws(ExportRefusal) {
        let result = try graph.value(value)
        let form: ONNXValue.Form =
          result.isVector ? .flat : result.isImage ? .channelsFirst : .plain
        let source = try graph.name(of: value, in: form)
        var name = node.name
        var number = 2
        while !taken.insert(name).inserted {
          name = "\(node.name)_\(number)"
          number += 1
        }
        let port = Port(name: name, type: 1, sizes: result.sizes(in: form))
        sources.append((value: source, port: port))
      } catch {
        throw ExportError([ExportFormat.onnx.problem(node, error)])
      }
    }
    nameOutputs(sources)
    outputs = sources.map(\.port)
    graph.removeUnused(
      outputs: sources.map { names[$0.value] == $0.port.name ? $0.value : $0.port.name })
  }

  /// Gives values the names of the outputs that they are.
  private mutating func nameOutputs(_ sources: [(value: String, port: Port)]) {
    let fixed = Set(inputs.map(\.name))
    let initializers = Set(graph.initializers.map(\.name))
    var added: Set<String> = []
    for (value, port) in sources {
      // An input, a constant, or a value that is two outputs, is repeated under the other name.
      if !fixed.contains(value), !initializers.contains(value), added.insert(value).inserted {
        names[value] = port.name
      } else {
        graph.addOutput(value, named: port.name)
      }
    }
    // What else has the name of an output gets another one.
    let final = Set(sources.map(\.port.name))
    for node in graph.nodes {
      for output in node.outputs
      where names[output] == nil && final.contains(output) && node.name != "\(output)/output" {
        names[output] = graph.unique("\(output)/inner")
      }
    }
    for name in initializers where final.contains(name) { names[name] = graph.unique(name) }
  }

  // MARK: The file

  /// Writes the file, and a second one for large constants if they are too many for it.
  func write(to path: String, inlineBytes: Int) throws {
    let total = graph.initializers.reduce(0) { $0.addingSaturated($1.byteCount) }
    let isExternal = total > max(inlineBytes, 0)
    let data = isExternal ? path + ".data" : nil
    if let data {
      try FileReplacement.replace(data) { file in
        for constant in graph.initializers where constant.byteCount >= Self.leastExternal {
          try constant.bytes().withUnsafeBytes { try file.add($0) }
        }
      }
    }
    let location = data.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
    try FileReplacement.replace(path) { file in
      try write(external: location) { bytes in try bytes.withUnsafeBytes { try file.add($0) } }
    }
  }

  /// Hands the bytes of the file over, piece by piece.
  ///
  /// - Parameters:
  ///   - external: the name of the file of large constants, if there is one.
  ///   - add: receives the pieces in order.
  /// - Throws: ``ExportError`` for a file that is too large; what the source of parameters throws,
  ///   and what `add` throws.
  func write(external: String?, _ add: ([UInt8]) throws -> Void) throws {
    // The length of the graph comes before it, so that all pieces but the values are made first.
    let (before, after) = graphFields
    var constants: [(header: [UInt8], values: ONNXInitializer?)] = []
    var offset = 0
    var count = before.count.addingSaturated(after.count)
    for constant in graph.initializers {
      let isExternal = external != nil && constant.byteCount >= Self.leastExternal
      var tensor = constant.header(name: names[constant.name] ?? constant.name)
      if isExternal, let external {
        for (key, text) in [
          ("location", external), ("offset", "\(offset)"), ("length", "\(constant.byteCount)"),
        ] {
          tensor.message(13) {
            $0.text(1, key)
            $0.text(2, text)
          }
        }
        tensor.integer(14, 1)
        offset += constant.byteCount
      } else {
        tensor.prefix(9, count: constant.byteCount)
      }
      let values = isExternal ? 0 : constant.byteCount
      var field = WireWriter()
      field.prefix(5, count: tensor.bytes.count + values)
      count = count.addingSaturated(field.bytes.count + tensor.bytes.count)
        .addingSaturated(values)
      constants.append((field.bytes + tensor.bytes, isExternal ? nil : constant))
    }
    var model = header
    model.prefix(7, count: count)
    guard count.addingSaturated(model.bytes.count) <= Self.mostBytes else {
      throw ExportError([
        Problem(
          headline: "the file would be larger than a file of Protocol Buffers can be",
          details: [
            ("received", "\(count) bytes"), ("needs", "at most \(Self.mostBytes) bytes"),
            ("remedy", "write to a path, with inlineBytes below this"),
          ])
      ])
    }
    try add(model.bytes)
    try add(before)
    for (header, values) in constants {
      try add(header)
      if let values { try add(try values.bytes()) }
    }
    try add(after)
  }

  /// The fields of the model before the graph.
  private var header: WireWriter {
    var model = WireWriter()
    model.integer(1, Self.format)
    model.text(2, "Forge")
    if let about = metadata.about { model.text(6, about) }
    model.message(8) { $0.integer(2, Self.operators) }
    for (key, text) in properties.sorted(by: { $0.key < $1.key }) {
      model.message(14) {
        $0.text(1, key)
        $0.text(2, text)
      }
    }
    return model
  }

  /// The metadata by the keys that ONNX proposes.
  private var properties: [String: String] {
    var properties = metadata.values
    if let author = metadata.author { properties["model_author"] = author }
    if let license = metadata.license { properties["model_license"] = license }
    if let version = metadata.version { properties["version"] = version }
    if !metadata.labels.isEmpty { properties["labels"] = ExportedText.json(metadata.labels) }
    return properties
  }

  /// The fields of the graph before the constants and after them.
  private var graphFields: (before: [UInt8], after: [UInt8]) {
    var before = WireWriter()
    for node in graph.nodes { before.bytes(1, node.message(renaming: names)) }
    before.text(2, metadata.name ?? "network")
    var after = WireWriter()
    for port in inputs { after.bytes(11, message(port)) }
    for port in outputs { after.bytes(12, message(port)) }
    return (before.bytes, after.bytes)
  }

  /// An input or output as a message.
  private func message(_ port: Port) -> [UInt8] {
    var info = WireWriter()
    info.text(1, port.name)
    info.message(2) { type in
      type.message(1) { tensor in
        tensor.integer(1, port.type)
        tensor.message(2) { shape in
          shape.message(1) { dimension in
            switch batch {
            case .open: dimension.text(2, "N")
            case .exactly(let count): dimension.integer(1, Int64(count))
            }
          }
          for size in port.sizes { shape.message(1) { $0.integer(1, Int64(size)) } }
        }
      }
    }
    return info.bytes
  }
}
