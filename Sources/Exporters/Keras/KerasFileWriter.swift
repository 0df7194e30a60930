import Forge
import ForgeLoaders
import ForgeOperations
import ForgeShapes

/// A model as a Keras file: its description and its weights.
struct KerasFileWriter {
  /// The version of Keras whose form the file has.
  private static let version = "3.15.1"
  /// The room for the description beside the weights.
  private static let descriptionBytes = 1 << 28
  /// The room for the parts of the archive around both.
  private static let otherBytes = 1 << 12

  private var graph: KerasGraphWriter
  private let title: String
  private var inputs: [KerasTensor] = []
  private var outputs: [KerasTensor] = []
  private let order: KerasOrder
  /// The name of each layer.
  private let names: [String]

  /// Writes the graph of a model.
  init(_ model: Model, _ options: KerasOptions) throws {
    let problems = ExportFormat.keras.problems(of: model, length: options.length)
    guard problems.isEmpty else { throw ExportError(problems) }
    let network = try model.loweredNetwork(length: options.length)
    title = model.metadata.name ?? "functional"
    graph = KerasGraphWriter(network, longestConstant: options.longestConstant)
    inputs = Self.addInputs(network, &graph)
    try graph.writeNodes()
    var taken: [Int: String] = [:]
    outputs = try Self.addOutputs(network, &graph, &taken)
    order = KerasOrder(graph.records, outputs: outputs)
    names = Self.names(graph.records, order.layers + inputs.map(\.layer), taken)
  }

  // MARK: The graph

  private static func addInputs(
    _ network: LoweredNetwork, _ graph: inout KerasGraphWriter
  ) -> [KerasTensor] {
    let chosen = network.graph.indexInputs
    var inputs: [KerasTensor] = []
    for (index, (value, place)) in zip(
      network.graph.modelInputs, network.inference.inputs
    ).enumerated() {
      let node = network.inference.nodes[place]
      let sizes = KerasGraphWriter.kerasSizes(graph.sizes(value))
      let isInteger = chosen[index] != nil || node.isOfIntegers
      let type = isInteger ? "int32" : "float32"
      graph.begin(node.name, result: value)
      let tensor = graph.one(
        .layer("InputLayer"), [],
        [
          ("batch_shape", .list([.null] + sizes.map { .integer($0) })), ("dtype", .text(type)),
        ], sizes: sizes, type: type, named: true)
      graph.inputs[tensor.layer] = tensor
      inputs.append(tensor)
      if isInteger {
        graph.set(value, to: graph.cast(tensor), integers: tensor)
      } else {
        graph.set(value, to: tensor)
      }
    }
    return inputs
  }

  /// Finds the outputs, each of which is a layer of its own; `taken` gets their names.
  private static func addOutputs(
    _ network: LoweredNetwork, _ graph: inout KerasGraphWriter, _ taken: inout [Int: String]
  ) throws -> [KerasTensor] {
    var outputs: [KerasTensor] = []
    for (value, index) in zip(network.graph.modelOutputs, network.inference.outputs) {
      let node = network.inference.nodes[index]
      graph.begin(node.name, result: value)
      do throws(ExportRefusal) {
        let sizes = KerasGraphWriter.kerasSizes(graph.sizes(value))
        var tensor = try graph.tensor(value, sizes: sizes.isEmpty ? [1] : sizes)
        let record = graph.records[tensor.layer]
        let isNamed = record.calls.count == 1 && record.sizes.count == 1 && !record.isInput
        if !isNamed || taken[tensor.layer] != nil {
          tensor = graph.layer("Identity", tensor, sizes: tensor.sizes, named: true)
        }
        taken[tensor.layer] = node.name
        outputs.append(tensor)
      } catch {
        throw ExportError([ExportFormat.keras.problem(node, error)])
      }
    }
    return outputs
  }

  /// A name for each layer that is written: inputs and outputs come first.
  private static func names(
    _ records: [KerasRecord], _ written: [Int], _ outputs: [Int: String]
  ) -> [String] {
    var names = Array(repeating: "", count: records.count)
    var used: Set<String> = []
    // How often a name was made unique, so that many equal names take no quadratic time.
    var repeats: [String: Int] = [:]
    func give(_ index: Int, _ name: String) {
      let safe = KerasText.name(name)
      var candidate = safe
      while !used.insert(candidate).inserted {
        let number = repeats[safe, default: 1] + 1
        repeats[safe] = number
        candidate = "\(safe)_\(number)"
      }
      names[index] = candidate
    }
    for index in records.indices where records[index].isInput { give(index, records[index].name) }
    for (index, name) in outputs.sorted(by: { $0.key < $1.key }) { give(index, name) }
    for index in written where names[index].isEmpty { give(index, records[index].name) }
    return names
  }

  // MARK: The file

  /// Passes the bytes of the file on, piece by piece.
  ///
  /// - Throws: ``ExportError`` for a file that is too large; what the source of parameters throws,
  ///   and what `add` throws.
  func write(_ add: ([UInt8]) throws -> Void) throws {
    let weights = KerasWeightsFile(self.weights)
    let mostWeights = ZipWriter.mostBytes - Self.descriptionBytes - Self.otherBytes
    guard weights.byteCount <= mostWeights else {
      throw Self.tooLarge("\(weights.byteCount) bytes of weights", most: mostWeights)
    }
    var zip = ZipWriter()
    try add(zip.begin("metadata.json"))
    let version = KerasJSON.object([("keras_version", .text(Self.version))])
    try KerasTextWriter.write(version) { try add(zip.part($0)) }
    try add(zip.end())
    try add(zip.begin("config.json"))
    let mostDescription = Self.descriptionBytes
    var described = 0
    try KerasTextWriter.write(description) { bytes in
      described += bytes.count
      guard described <= mostDescription else {
        throw Self.tooLarge("more bytes of constants and layers", most: mostDescription)
      }
      try add(zip.part(bytes))
    }
    try add(zip.end())
    try add(zip.begin("model.weights.h5"))
    try weights.write { try add(zip.part($0)) }
    try add(zip.end())
    try add(zip.directory())
  }

  /// The error for a part that an archive without extensions cannot hold.
  private static func tooLarge(_ received: String, most: Int) -> ExportError {
    ExportError([
      Problem(
        headline: "the file would be larger than an archive without extensions can be",
        details: [("received", received), ("needs", "at most \(most) bytes of them")])
    ])
  }

  /// The description of the model.
  private var description: KerasJSON {
    let used = Set(order.layers)
    let unused = inputs.map(\.layer).filter { !used.contains($0) }
    let layers = (order.layers + unused).map { index in
      graph.records[index].json(graph.records, names, index: index) { layer, call in
        graph.records[layer].isInput ? 0 : order.calls[layer]?[call]
      }
    }
    func reference(_ tensors: [KerasTensor]) -> KerasJSON {
      let all = tensors.map { tensor in
        KerasJSON.list([
          .text(names[tensor.layer]), .integer(order.calls[tensor.layer]?[tensor.call] ?? 0),
          .integer(tensor.output),
        ])
      }
      return all.count == 1 ? all[0] : .list(all)
    }
    return .object([
      ("module", .text("keras.src.models.functional")), ("class_name", .text("Functional")),
      (
        "config",
        .object([
          ("name", .text(KerasText.name(title))), ("trainable", .flag(true)),
          ("layers", .list(layers)), ("input_layers", reference(inputs)),
          ("output_layers", reference(outputs)),
        ])
      ), ("registered_name", .text("Functional")),
    ])
  }

  /// The weights in the groups in which Keras looks for them.
  private var weights: KerasWeightsFile.Group {
    var root = KerasWeightsFile.Group()
    root[["layers"]] = KerasWeightsFile.Group()
    var counts: [String: Int] = [:]
    for index in order.layers {
      let record = graph.records[index]
      guard !record.kind.isOperation else { continue }
      let container = KerasNames.snakeCase(record.kind.name)
      let number = counts[container, default: 0]
      counts[container] = number + 1
      guard !record.weights.isEmpty else { continue }
      let path = ["layers", number == 0 ? container : "\(container)_\(number)"]
      root[(path + ["vars"])[...]].text = names[index]
      let values = (path + record.place + ["vars"])[...]
      if !record.place.isEmpty { root[values].text = "\(container)_cell" }
      for (place, weight) in record.weights.enumerated() {
        root[values].datasets["\(place)"] = KerasWeightsFile.Dataset(
          sizes: weight.sizes, values: weight.values)
      }
    }
    return root
  }
}

/// Texts that every back end of Keras takes.
enum KerasText {
  /// The longest name: HDF5 has room for 64 KiB in an attribute.
  private static let mostCharacters = 1024

  /// A name of ASCII letters, digits, `_` and `-`, which begins with a letter or digit.
  ///
  /// TensorFlow and PyTorch refuse other names of layers with weights. Longer names are cut.
  static func name(_ name: String) -> String {
    let safe = name.unicodeScalars.map { scalar -> Character in
      let isSafe =
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      return isSafe || scalar == "-" ? Character(scalar) : "_"
    }
    let start = safe.drop { $0 == "_" || $0 == "-" }
    // A generated name is between two pairs of underscores.
    let isGenerated = name.hasPrefix("__") && name.hasSuffix("__") && start.count > 2
    let inner = isGenerated ? start.dropLast(2) : start
    return inner.isEmpty ? "layer" : String(inner.prefix(mostCharacters))
  }
}
