import Forge
import ForgeMessages

/// Turns an ONNX graph into a model, node by node.
struct ONNXGraphImport {
  private let file: OnnxModel
  private let weights: [Int: Range<Int>]
  private let path: String
  private let options: ImportOptions
  private let reader: ONNXTensorReader
  private let opsets: [String: Int]
  private let graphOutputs: Set<String>
  private var values: [String: FileValue] = [:]
  /// Values that are known for every length of a sequence.
  private var families: [String: ONNXLengthFamily] = [:]
  /// Values that only casts to truth values read.
  private let usedAsTruth: Set<String>
  /// The largest magnitudes of integers that the network computes.
  private var integerBounds: [String: Int] = [:]
  private var parameters: [ImportedParameters.Key: ImportedParameters.Entry] = [:]
  private var unsupported: [UnsupportedNode] = []
  /// The names of inputs, initializers and results so far.
  private var made: Set<String> = []
  /// Initializers of types that are not supported, as long as nothing has read them.
  private var unreadable: [String: UnsupportedNode] = [:]
  /// Values that do not exist because a node before them is not supported.
  private var missing: Set<String> = []
  private var ports: [ImportedModel.Port] = []
  private var inputs: [Tensor] = []
  /// Inputs without elements, whose values are therefore known.
  private var emptyInputs: [String] = []
  /// Where the examples of an open batch are.
  private var batch = ONNXOpenAxes(base: 1)
  /// The selections, whose numbers of rows predictions choose.
  private var selections = ONNXSelectedRows()
  /// The names of classes, and the values that stand for texts.
  private var classes = ONNXClassNames()
  /// How many nodes still read a value; outputs of the graph are read once more.
  private var readers: [String: Int]

  init(_ file: ONNXFile, path: String, options: ImportOptions) {
    self.file = file.model
    weights = file.weights
    self.path = path
    self.options = options
    reader = ONNXTensorReader(path: path)
    graphOutputs = Set(file.model.graph.output.map(\.name))
    readers = Self.readers(of: file.model.graph)
    usedAsTruth = Self.usedAsTruth(file.model.graph)
    opsets = Dictionary(
      file.model.opsetImport.map { ($0.domain == "ai.onnx" ? "" : $0.domain, Int($0.version)) }
    ) { first, _ in first }
  }

  /// The model, its inputs and its outputs.
  mutating func imported() throws(ImportError) -> ImportedModel {
    try readConstants()
    try readInputs()
    for stored in file.graph.node {
      let node = ONNXNode(stored)
      let place = SourcePlace(file: path, entry: "\(node.type) \"\(node.name)\"")
      try SourcePlace.describing(for: place) { () throws(ImportError) in try importNode(node) }
    }
    unsupported += file.graph.output.compactMap { unreadable.removeValue(forKey: $0.name) }
    try computeUnreachedOutputs()
    let constants = try constantOutputs()
    let known = Set(constants.map(\.name))
    for info in file.graph.output {
      let isLength = if case .length? = values[info.name] { true } else { false }
      guard isLength || families[info.name] != nil else { continue }
      unsupported.append(
        UnsupportedNode(
          type: "output", detail: "a number that depends on the length of a sequence",
          name: info.name))
    }
    for info in file.graph.output {
      do throws(ONNXRowMixture) { _ = try selections.rows(of: info.name) } catch {
        if !unsupported.contains(error.node) { unsupported.append(error.node) }
      }
    }
    let names = file.graph.output.map(\.name)
    unsupported += names.filter { known.contains($0) && classes.isText($0) }.map(
      ONNXClassNames.refusal)
    guard unsupported.isEmpty else { throw .unsupported(unsupported, path: path) }
    var outputs: [Tensor] = []
    var outputPorts: [ImportedModel.Port] = []
    var used: Set<String> = []
    var counts: [Tensor] = []
    var mixture: ONNXMixture?
    for info in file.graph.output {
      guard !known.contains(info.name) else {
        // It has one value for any number of examples, unless it follows that number.
        if let state = batch.states[info.name] { mixture = mixture ?? state.mixture(of: info.name) }
        continue
      }
      let made = try output(info, isFirst: used.insert(info.name).inserted)
      var port = made.1
      if let (rows, count) = try? selections.rows(of: info.name) {
        port.rows = rows
        if !counts.contains(where: { $0 === count }) { counts.append(count) }
      }
      if !batch.isEmpty {
        switch batch.states[info.name] {
        case .along(let place)? where place.outer == 1: port.examples = .along(place.axis)
        case let state?: mixture = mixture ?? state.mixture(of: info.name)
        case nil: port.examples = .shared
        }
      }
      outputs.append(made.0)
      outputPorts.append(port)
    }
    var metadata = ModelMetadata(
      name: file.graph.name.isEmpty ? nil : file.graph.name,
      about: file.graph.name.isEmpty && file.docString.isEmpty ? nil : file.docString)
    metadata.exampleMixer = mixture?.description
    metadata.labels = classes.labels(of: outputPorts) ?? metadata.labels
    if !batch.isEmpty {
      for index in ports.indices {
        ports[index].examples = batch.states[ports[index].name] == nil ? .shared : .along(0)
      }
    }
    outputs += counts
    let reached = Tensor.ancestors(of: outputs)
    let isUsed = inputs.map { reached.contains(ObjectIdentifier($0)) }
    var model = Model(
      inputs: zip(inputs, isUsed).filter(\.1).map(\.0), outputs: outputs, metadata: metadata)
    model.parameters = ImportedParameters(parameters, origin: path)
    return ImportedModel(
      model: model, inputs: zip(ports, isUsed).filter(\.1).map(\.0), outputs: outputPorts,
      constants: constants,
      ignoredInputs: emptyInputs + zip(ports, isUsed).filter { !$0.1 }.map(\.0.name))
  }

  // MARK: Inputs and constants

  private mutating func readConstants() throws(ImportError) {
    for (index, stored) in file.graph.initializer.enumerated() {
      do {
        values[stored.name] = .host(try reader.tensor(stored, place: weights[index]))
      } catch let failure as ONNXTensorReader.Failure where failure.isUnsupported {
        if let places = classes.add(stored) {
          values[stored.name] = .host(places)
          continue
        }
        unreadable[stored.name] = UnsupportedNode(
          type: "initializer", detail: failure.text, name: stored.name)
        missing.insert(stored.name)
      } catch {
        try report(error, type: "initializer", name: stored.name)
        missing.insert(stored.name)
      }
    }
    for stored in file.graph.sparseInitializer {
      unsupported.append(
        UnsupportedNode(type: "sparse initializer", detail: nil, name: stored.values.name))
      missing.insert(stored.values.name)
    }
    let names = Set(file.graph.input.map(\.name))
    try options.check(against: names, path: path, takesLengths: true)
    made = names.union(file.graph.initializer.map(\.name))
    for (name, constant) in options.constants { values[name] = .host(HostTensor(constant)) }
  }

  private mutating func readInputs() throws(ImportError) {
    let layouts = ONNXInputLayout(file.graph)
    for info in file.graph.input where values[info.name] == nil && !missing.contains(info.name) {
      guard case .tensorType(let stored)? = info.type.value,
        let type = ElementType(onnx: stored.elemType), type != .float64
      else {
        unsupported.append(
          UnsupportedNode(type: "input", detail: Self.text(info.type), name: info.name))
        missing.insert(info.name)
        continue
      }
      if options.sizes[info.name] == nil, let sizes = Self.emptySizes(stored) {
        emptyInputs.append(info.name)
        values[info.name] = .host(HostTensor(type: type, sizes: sizes))
        continue
      }
      let sizes = try sizes(of: info.name, stored)
      let layout = layouts.layout(of: info.name, sizes: sizes)
      let stated = options.sizes[info.name] ?? sizes.map { .exactly($0) }
      var input = Input(shape: layout.map { $0.map { stated[$0] } ?? 1 }, name: info.name)
      if type.isWideInteger {
        input = input.ofIntegers
        integerBounds[info.name] = ONNXIntegerBounds.largest - 1
      }
      inputs.append(input)
      ports.append(
        .init(
          name: info.name, elementType: type, sizes: sizes, axes: layout,
          lengthAxes: ImportedModel.Port.lengthAxes(of: input, layout),
          about: info.docString.isEmpty ? nil : info.docString))
      let value = FileTensor(input, sizes: sizes, layout: layout, type: type)
      values[info.name] = .network(value)
      if options.sizes[info.name] == nil, Self.hasOpenBatch(stored) {
        batch.add(info.name, value, along: 0)
      }
    }
  }

  /// The sizes of an input of which one is 0 and all are stated; `nil` for other inputs.
  private static func emptySizes(_ type: OnnxTensorType) -> [Int]? {
    let sizes = type.shape.dim.compactMap { dimension -> Int? in
      if case .dimValue(let size)? = dimension.value { return Int(exactly: size) }
      return nil
    }
    guard sizes.count == type.shape.dim.count, sizes.contains(0), sizes.allSatisfy({ $0 >= 0 }),
      sizes.count <= Shape.maximumRank, Shape.product(of: sizes) != nil
    else { return nil }
    return sizes
  }

  /// Whether the first of several axes has no size, so that it counts examples.
  private static func hasOpenBatch(_ type: OnnxTensorType) -> Bool {
    guard type.shape.dim.count > 1, let first = type.shape.dim.first else { return false }
    if case .dimValue(let size)? = first.value { return size <= 0 }
    return true
  }

  /// The sizes of an input: those of the options, or of the file with an open batch size of 1.
  private func sizes(
    of name: String, _ type: OnnxTensorType
  ) throws(ImportError) -> [Int] {
    if let sizes = options.largestSizes(of: name) {
      guard sizes.allSatisfy({ $0 >= 1 }), Shape.product(of: sizes) != nil,
        sizes.count <= Shape.maximumRank
      else {
        throw ImportError(
          .unknownSize, "the sizes of input \"\(name)\" are out of range", path: path,
          received: "\(sizes)")
      }
      return sizes
    }
    guard type.hasShape else {
      throw ImportError(
        .unknownSize, "the file does not state the sizes of input \"\(name)\"", path: path,
        remedy: ImportOptions.remedy(forOpenSizesOf: name, nil))
    }
    let dimensions = type.shape.dim
    let sizes = dimensions.enumerated().map { index, dimension in
      if case .dimValue(let size)? = dimension.value, size > 0 { return Int(size) }
      return index == 0 && dimensions.count > 1 ? 1 : 0
    }
    guard !sizes.contains(0), Shape.product(of: sizes) != nil, sizes.count <= Shape.maximumRank
    else {
      let text = sizes.map { $0 == 0 ? "?" : "\($0)" }.joined(separator: "×")
      throw ImportError(
        .unknownSize, "the file leaves a size of input \"\(name)\" open", path: path,
        received: text.isEmpty ? "no axes" : text,
        remedy: ImportOptions.remedy(forOpenSizesOf: name, sizes.map { $0 == 0 ? nil : $0 }))
    }
    return sizes
  }

  // MARK: Nodes

  /// The values that only casts to truth values read.
  private static func usedAsTruth(_ graph: OnnxGraph) -> Set<String> {
    var truth: Set<String> = []
    var others = Set(graph.output.map(\.name))
    for node in graph.node {
      let isTruth =
        node.opType == "Cast"
        && ElementType(onnx: Int32(clamping: ONNXNode(node).int("to"))) == .bool
      if isTruth { truth.formUnion(node.input) } else { others.formUnion(node.input) }
    }
    return truth.subtracting(others)
  }

  private mutating func importNode(_ node: ONNXNode) throws(ImportError) {
    for name in node.outputs where !name.isEmpty {
      guard made.insert(name).inserted else {
        throw ImportError(
          .malformed, "node \"\(node.name)\" makes a value that exists already", path: path,
          received: "\"\(name)\"", needs: "a name for each value")
      }
    }
    let blocked = node.inputs.contains { missing.contains($0) }
    unsupported += node.inputs.compactMap { unreadable.removeValue(forKey: $0) }
    guard let found = ONNXOperators.find(node) else {
      let type = node.domain.isEmpty ? node.type : "\(node.domain).\(node.type)"
      unsupported.append(UnsupportedNode(type: type, detail: nil, name: node.name))
      missing.formUnion(node.outputs)
      return
    }
    guard !blocked else {
      missing.formUnion(node.outputs)
      return
    }
    var inputs: [FileValue?] = []
    for name in node.inputs {
      guard !name.isEmpty, families[name] == nil else {
        inputs.append(nil)
        continue
      }
      guard let value = values[name] else {
        throw ImportError(
          .malformed, "node \"\(node.name)\" reads a value that no earlier node makes", path: path,
          received: "\"\(name)\"")
      }
      inputs.append(value)
    }
    var call = ONNXCall(
      node, opset: opsets[""] ?? 1, inputs: inputs, reader: reader,
      graphOutputs: graphOutputs)
    call.families = node.inputs.map { families[$0] }
    call.isUsedAsTruth = node.outputs.allSatisfy { usedAsTruth.contains($0) }
    do {
      try classes.check(node)
      if try foldedForEveryLength(&call) { return }
      call.integerBound = try ONNXIntegerBounds.bound(call, integerBounds)
      var stated = call
      if try !ONNXLengths.run(&call), try !ONNXFolding.fold(&call) { try found.import(&call) }
      try ONNXLengths.check(call)
      try finish(call)
      stated.outputs = call.outputs
      batch.follow(stated)
      try selections.follow(stated)
      classes.follow(call)
      if let name = node.outputs.first { integerBounds[name] = call.integerBound }
    } catch {
      try report(error, type: node.type, name: node.name)
      missing.formUnion(node.outputs)
    }
    release(node.inputs)
  }

  /// How many nodes read each value, and that outputs of the graph are read in the end.
  private static func readers(of graph: OnnxGraph) -> [String: Int] {
    var readers: [String: Int] = [:]
    for node in graph.node { for name in node.input { readers[name, default: 0] += 1 } }
    for info in graph.output { readers[info.name, default: 0] += 1 }
    return readers
  }

  /// Releases computed constants that no later node reads.
  private mutating func release(_ names: [String]) {
    for name in names {
      readers[name, default: 1] -= 1
      guard readers[name] == 0, case .host(let tensor)? = values[name], tensor.held != nil else {
        continue
      }
      values[name] = nil
    }
  }

  /// Computes a node for every length if its inputs are known; returns whether the result is kept.
  ///
  /// If they are not, the families among them become tensors of the network.
  private mutating func foldedForEveryLength(_ call: inout ONNXCall) throws -> Bool {
    if call.families.allSatisfy({ $0 == nil }), try ONNXLengthFolding.fold(&call) {
      try finish(call)
      return true
    }
    guard let name = call.node.outputs.first else { return false }
    switch try ONNXLengthFamily.fold(call) {
    case .value(let value)?:
      call.set(value)
      try finish(call)
      return true
    case .family(let family)?:
      families[name] = family
      return true
    case nil: break
    }
    // Sizes are known even where values are no parts of the longest.
    if call.node.domain.isEmpty, call.node.type == "Shape", let family = call.family(0) {
      call.set(try ONNXLengths.shape(of: family.sizes, call.node, family.maximum))
      try finish(call)
      return true
    }
    for (index, family) in call.families.enumerated() {
      guard let family else { continue }
      guard let tensor = try family.network() else {
        throw NodeFailure.unsupported(
          "values that follow the length of a sequence, but not as parts of the longest")
      }
      call.inputs[index] = .network(tensor)
    }
    return false
  }

  /// Takes over the results of a node.
  private mutating func finish(_ call: ONNXCall) throws(ImportError) {
    for (key, entry) in call.parameters { parameters[key] = entry }
    for (name, value) in zip(call.node.outputs, call.outputs) where !name.isEmpty {
      guard let value else {
        // Second outputs such as the mask of a Dropout exist only for training.
        missing.insert(name)
        unsupported.append(
          UnsupportedNode(type: call.node.type, detail: "output \"\(name)\"", name: call.node.name))
        continue
      }
      values[name] = value
    }
  }

  /// Collects what is not supported; throws what is wrong.
  private mutating func report(
    _ error: any Error, type: String, name: String
  ) throws(ImportError) {
    switch error {
    case NodeFailure.unsupported(let detail):
      unsupported.append(UnsupportedNode(type: type, detail: detail, name: name))
    case NodeFailure.invalid(let text):
      throw ImportError(
        .invalidNode, "node \"\(name)\" (\(type)) does not fit its inputs", path: path,
        received: text)
    case let failure as ONNXTensorReader.Failure where failure.isUnsupported:
      unsupported.append(UnsupportedNode(type: type, detail: failure.text, name: name))
    case let failure as ONNXTensorReader.Failure:
      throw ImportError(.malformed, "\(type) \"\(name)\": \(failure.text)", path: path)
    case let error as ImportError:
      throw error
    default:
      throw ImportError(
        .unreadable, "the values of \(type) \"\(name)\" cannot be read", path: path, cause: error)
    }
  }

  // MARK: Outputs

  /// The outputs that no input changes.
  private func constantOutputs() throws(ImportError) -> [ImportedModel.Constant] {
    var constants: [ImportedModel.Constant] = []
    for info in file.graph.output {
      guard case .host(let tensor)? = values[info.name] else { continue }
      do { constants.append(.init(name: info.name, values: try tensor.stored())) } catch {
        throw ImportError(
          .unreadable, "the values of the output \"\(info.name)\" cannot be read", path: path,
          cause: error)
      }
    }
    return constants
  }

  /// The tensor and the port of an output.
  private func output(
    _ info: OnnxValueInfo, isFirst: Bool
  ) throws(ImportError) -> (Tensor, ImportedModel.Port) {
    guard case .network(let result)? = values[info.name] else {
      throw ImportError(
        .malformed, "no node makes the output \"\(info.name)\"", path: path)
    }
    // A layer that already has the name of the output needs no other.
    let isNamed = isFirst && result.tensor.givenName == info.name && !result.tensor.inputs.isEmpty
    // An input may be an output too, but a network has each name once.
    let isInput = inputs.contains { $0.givenName == info.name }
    let name = isInput ? "\(info.name)/output" : info.name
    let tensor = isNamed ? result.tensor : result.tensor.chained(to: Identity(name: name))
    return (
      tensor,
      .init(
        name: info.name, elementType: result.type, sizes: result.sizes, axes: result.layout,
        lengthAxes: ImportedModel.Port.lengthAxes(of: tensor, result.layout),
        about: info.docString.isEmpty ? nil : info.docString)
    )
  }

  /// Computes the outputs that no input reaches.
  private mutating func computeUnreachedOutputs() throws(ImportError) {
    let dependent = tensorsThatDependOnInputs()
    let names = file.graph.output.map(\.name).filter { !dependsOnInput($0, dependent) }
    let tensors = names.compactMap { name -> FileTensor? in
      if case .network(let tensor)? = values[name] { tensor } else { nil }
    }
    let rest = names.filter { if case .network? = values[$0] { true } else { false } }
    // The values could follow an open length through the shape of an input.
    let isOpen = options.sizes.values.contains { $0.contains(where: \.varies) }
    let detail = isOpen ? "no way from an input of open length" : "a selection among constants"
    for name in rest where isOpen || (try? selections.rows(of: name)) != nil {
      unsupported.append(UnsupportedNode(type: "output", detail: detail, name: name))
    }
    guard !tensors.isEmpty, unsupported.isEmpty else { return }
    let limit = options.limits.foldedElements
    let source = ImportedParameters(parameters, origin: path)
    guard let results = Self.values(of: tensors, source, limit: limit) else {
      unsupported += rest.map {
        UnsupportedNode(type: "output", detail: "a constant that is not computed", name: $0)
      }
      return
    }
    for ((name, tensor), result) in zip(zip(rest, tensors), results) {
      let kept = tensor.layout.compactMap { $0 }
      let missing = tensor.sizes.indices.filter { !kept.contains($0) }
      let order = missing + kept
      var own = HostTensor(floats: result.values, sizes: order.map { tensor.sizes[$0] })
      own.held = try ImportBudget.hold(own.count, width: MemoryLayout<Float>.size)
      do {
        let moved = try own.transposed(tensor.sizes.indices.map { order.firstIndex(of: $0) ?? 0 })
        values[name] = .host(try moved.cast(to: tensor.type))
      } catch { try report(error, type: "output", name: name) }
    }
  }

  /// The tensors of outputs, and those they are computed from, that depend on an input.
  private func tensorsThatDependOnInputs() -> Set<ObjectIdentifier> {
    let ends = file.graph.output.compactMap { info -> Tensor? in
      if case .network(let tensor)? = values[info.name] { tensor.tensor } else { nil }
    }
    var dependent = Set(inputs.map { ObjectIdentifier($0) })
    // Operands are older than what is made of them.
    for tensor in Tensor.reached(from: ends).sorted(by: { $0.order < $1.order })
    where tensor.inputs.contains(where: { dependent.contains(ObjectIdentifier($0)) }) {
      dependent.insert(ObjectIdentifier(tensor))
    }
    return dependent
  }

  /// Whether an output is computed from an input, or missing for another reason.
  private func dependsOnInput(_ name: String, _ dependent: Set<ObjectIdentifier>) -> Bool {
    switch values[name] {
    case .host?: false
    case .network(let tensor)?: dependent.contains(ObjectIdentifier(tensor.tensor))
    case .length?, nil: true
    }
  }
}
