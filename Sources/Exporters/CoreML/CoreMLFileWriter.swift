import Forge
import ForgeLoaders
import ForgeOperations
import ForgeShapes

/// A model as a Core ML file: its network, its inputs and outputs, and its description.
struct CoreMLFileWriter {
  /// The largest file of Protocol Buffers.
  private static let mostBytes = 1 << 31 - 1

  private let metadata: ModelMetadata
  private let options: CoreMLOptions
  private var graph: CoreMLGraphWriter
  private var inputs: [CoreMLPort] = []
  private var outputs: [CoreMLPort] = []
  /// The final names of values, by the names in the network.
  private var names: [String: String] = [:]

  /// Writes the network of a model.
  init(_ model: Model, _ options: CoreMLOptions) throws {
    let problems = ExportFormat.coreML.problems(of: model, length: options.length)
    guard problems.isEmpty else { throw ExportError(problems) }
    let network = try model.loweredNetwork(length: options.length)
    metadata = model.metadata
    self.options = options
    graph = CoreMLGraphWriter(network, hasHalfWeights: options.weights == .float16)
    try addInputs(network)
    try graph.writeNodes()
    try addOutputs(network)
  }

  // MARK: The network

  private mutating func addInputs(_ network: LoweredNetwork) throws {
    let chosen = network.graph.indexInputs
    for (index, (value, place)) in zip(
      network.graph.modelInputs, network.inference.inputs
    ).enumerated() {
      let node = network.inference.nodes[place]
      let sizes = network.graph.shape(of: value).sizes ?? []
      do throws(ExportRefusal) {
        guard (1...CoreMLGraphWriter.mostAxes).contains(sizes.count) else {
          throw ExportRefusal(what: "a tensor of \(sizes.count) axes")
        }
        let picture = options.hasImages ? metadata.pictures[node.name] : nil
        if let picture, let image = CoreMLPicture(picture, sizes: sizes) {
          let form = CoreMLValue.Form.channelsFirst
          let name = graph.unique(node.name, sizes: CoreMLValue.sizes(sizes, in: form))
          graph.begin(node.name, result: nil)
          let pixels = try image.scaled(name, &graph)
          graph.set(
            input: value,
            to: CoreMLValue(sizes: sizes, primary: form, names: [form: pixels]))
          inputs.append(CoreMLPort(name: name, about: node.name, kind: .image(image)))
          continue
        }
        let form = CoreMLValue.usualForm(sizes)
        let portSizes = CoreMLValue.sizes(sizes, in: form)
        let name = graph.unique(node.name, sizes: portSizes)
        graph.set(
          input: value, to: CoreMLValue(sizes: sizes, primary: form, names: [form: name]))
        let isInteger = chosen[index] != nil || node.isOfIntegers
        inputs.append(
          CoreMLPort(
            name: name, about: "", kind: .array(sizes: portSizes, isInteger: isInteger)))
      } catch {
        throw ExportError([ExportFormat.coreML.problem(node, error)])
      }
    }
  }

  private mutating func addOutputs(_ network: LoweredNetwork) throws {
    var sources: [(value: String, port: CoreMLPort)] = []
    var taken: Set<String> = Set(inputs.map(\.name))
    // How often a name was made unique, so that many equal names take no quadratic time.
    var repeats: [String: Int] = [:]
    for (value, index) in zip(network.graph.modelOutputs, network.inference.outputs) {
      let node = network.inference.nodes[index]
      do throws(ExportRefusal) {
        let form = CoreMLValue.usualForm(try graph.value(value).sizes)
        let source = try graph.name(of: value, in: form)
        var name = node.name
        while !taken.insert(name).inserted {
          let number = repeats[node.name, default: 1] + 1
          repeats[node.name] = number
          name = "\(node.name)_\(number)"
        }
        let port = CoreMLPort(
          name: name, about: "",
          kind: .array(sizes: graph.sizes(of: source), isInteger: false))
        sources.append((value: source, port: port))
      } catch {
        throw ExportError([ExportFormat.coreML.problem(node, error)])
      }
    }
    nameOutputs(sources)
    outputs = sources.map(\.port)
    graph.removeUnused(
      outputs: sources.map { names[$0.value] == $0.port.name ? $0.value : $0.port.name })
  }

  /// Gives values the names of the outputs that they are.
  private mutating func nameOutputs(_ sources: [(value: String, port: CoreMLPort)]) {
    let fixed = Set(inputs.map(\.name))
    var added: Set<String> = []
    var copies: [(source: String, name: String)] = []
    for (value, port) in sources {
      // An input, or a value that is two outputs, is repeated under the other name.
      if !fixed.contains(value), added.insert(value).inserted {
        names[value] = port.name
      } else {
        copies.append((value, port.name))
      }
    }
    // What else has the name of an output gets another one.
    let final = Set(sources.map(\.port.name))
    for name in final { graph.reserve(name) }
    for output in graph.layers.flatMap(\.outputs)
    where names[output] == nil && final.contains(output) {
      names[output] = graph.unique("\(output)/inner", sizes: [])
    }
    for (source, name) in copies { graph.addOutput(source, named: name) }
  }

  // MARK: The file

  /// Passes the bytes of the file on, piece by piece.
  ///
  /// - Parameter add: receives the pieces in order.
  /// - Throws: ``ExportError`` for a file that is too large; what the source of parameters throws,
  ///   and what `add` throws.
  func write(_ add: ([UInt8]) throws -> Void) throws {
    var file = CoreMLMessage()
    let description = CoreMLDescription(metadata, options, inputs: inputs, outputs: outputs)
    file.integer(1, graph.layers.reduce(4) { max($0, $1.kind.version) })
    file.message(2, description.message)
    var network = CoreMLMessage()
    for layer in graph.layers { network.message(1, layer.message(renaming: names)) }
    for input in inputs { input.preprocess(&network) }
    // Arrays have exactly the sizes that they state, and images have four axes.
    network.integer(5, 1)
    network.integer(6, 1)
    if let probabilities = description.probabilities {
      network.message(100) { list in
        for label in metadata.labels { list.text(1, label) }
      }
      network.text(200, probabilities)
    }
    file.message(description.probabilities == nil ? 500 : 403, network)
    guard file.byteCount <= Self.mostBytes else {
      throw ExportError([
        Problem(
          headline: "the file would be larger than a file of Protocol Buffers can be",
          details: [
            ("received", "\(file.byteCount) bytes"),
            ("needs", "at most \(Self.mostBytes) bytes"),
            ("remedy", "CoreMLOptions(weights: .float16)"),
          ])
      ])
    }
    try file.write(add)
  }
}
