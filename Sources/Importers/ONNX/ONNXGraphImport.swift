import Forge

/// Turns an ONNX graph into a model, node by node.
///
/// Values are kept by unique names; see ``ONNXScope``.
struct ONNXGraphImport {
  let model: ONNXModel
  let path: String
  let options: ImportOptions
  /// The versions of the operator sets by domain.
  let opsets: [String: Int]
  let graphOutputs: Set<String>
  /// How many channels lie side by side in rearranged weights.
  let channelBlock: Int?
  var values: [String: FileValue] = [:]
  /// Values that are known for every length of a sequence.
  var families: [String: ONNXLengthFamily] = [:]
  /// Sequences of tensors: the names of their values.
  var lists: [String: [String]] = [:]
  /// The functions that the file defines.
  let functions: [ONNXFunction.Key: ONNXFunction]
  /// The number of names that graphs inside nodes have taken.
  var expansions = 0
  /// The number of nodes that graphs inside nodes, loops and functions have added.
  var expandedNodes = 0
  /// Who reads the values.
  var uses = ONNXUses()
  /// The largest magnitudes of integers that the network computes.
  var integerBounds: [String: Int] = [:]
  var parameters: [ImportedParameters.Key: ImportedParameters.Entry] = [:]
  var unsupported: [UnsupportedNode] = []
  /// The names of inputs, initializers and results so far.
  var made: Set<String> = []
  /// Initializers of types that are not supported, as long as nothing has read them.
  var unreadable: [String: UnsupportedNode] = [:]
  /// Values that do not exist because a node before them is not supported.
  var missing: Set<String> = []
  var ports: [ImportedModel.Port] = []
  var inputs: [Tensor] = []
  /// Inputs without elements, whose values are therefore known.
  var emptyInputs: [String] = []
  /// The batch that the file fixes, if the network computes one of its examples.
  let fileBatch: Int?
  /// Where the examples of a batch are.
  var batch: ONNXOpenAxes
  /// Whether the caller states a size of 1 for the batch of an input.
  var isBatchStated = false
  /// The selections, whose numbers of rows predictions choose.
  var selections = ONNXSelectedRows()
  /// The names of classes, and the values that stand for texts.
  var classes = ONNXClassNames()

  /// The model's graph.
  var graph: ONNXGraph { model.graph }

  /// The import of a file.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - options: the options of the import.
  ///   - fileBatch: the batch that the file fixes and that is taken as open; `nil` to import the
  ///     file as it is.
  init(_ file: ONNXFile, options: ImportOptions, fileBatch: Int? = nil) {
    self.fileBatch = fileBatch
    batch = fileBatch.map { ONNXOpenAxes(base: 1, factor: $0) } ?? ONNXOpenAxes(base: 1)
    model = file.model
    path = file.path
    self.options = options
    graphOutputs = Set(file.model.graph.outputs.map(\.name))
    opsets = ONNXOperatorSet.versions(file.model.operatorSets)
    channelBlock = ONNXChannelBlocks.size(of: file.model.graph)
    functions = Self.functions(of: file.model)
  }

  /// The model, its inputs and its outputs.
  mutating func imported() throws(ImportError) -> ImportedModel {
    try readConstants()
    try readInputs()
    var scope = ONNXScope.model(opsets)
    try importNodes(graph.nodes, keeping: graph.outputs.map(\.name), in: &scope)
    unsupported += graph.outputs.compactMap { unreadable.removeValue(forKey: $0.name) }
    try computeUnreachedOutputs()
    let constants = try constantOutputs()
    checkOutputs()
    unsupported += constants.map(\.name).filter { classes.isText($0) }.map(ONNXClassNames.refusal)
    guard unsupported.isEmpty else { throw .unsupported(unsupported, path: path) }
    dropStatedBatch()
    var made = try outputs(except: Set(constants.map(\.name)))
    var metadata = ModelMetadata(model)
    metadata.exampleMixer = made.mixture?.description
    metadata.labels = classes.labels(of: made.ports) ?? metadata.labels
    if !batch.isEmpty {
      for index in ports.indices {
        ports[index].examples = batch.states[ports[index].name] == nil ? .shared : .along(0)
      }
    }
    if let fileBatch { try stateBatch(fileBatch, &made.ports, constants) }
    let reached = Tensor.ancestors(of: made.tensors)
    let isUsed = inputs.map { reached.contains(ObjectIdentifier($0)) }
    var model = Model(
      inputs: zip(inputs, isUsed).filter(\.1).map(\.0), outputs: made.tensors, metadata: metadata)
    model.parameters = ImportedParameters(parameters, origin: path)
    let usedPorts = zip(ports, isUsed).filter(\.1).map(\.0)
    model.metadata.stateONNXPictures(usedPorts.map(\.name), model)
    return ImportedModel(
      model: model, inputs: usedPorts, outputs: made.ports,
      constants: constants,
      ignoredInputs: emptyInputs + zip(ports, isUsed).filter { !$0.1 }.map(\.0.name))
  }

  /// Collects what is not supported; throws what is wrong.
  mutating func report(
    _ error: any Error, type: String, name: String
  ) throws(ImportError) {
    switch error {
    case NodeFailure.unsupported(let detail):
      unsupported.append(UnsupportedNode(type: type, detail: detail, name: name))
    case NodeFailure.invalid(let text):
      throw ImportError(
        .invalidNode, "node \"\(name)\" (\(type)) does not fit its inputs", path: path,
        received: text)
    case let failure as ONNXTensor.Failure where failure.isUnsupported:
      unsupported.append(UnsupportedNode(type: type, detail: failure.text, name: name))
    case let failure as ONNXTensor.Failure:
      throw ImportError(.malformed, "\(type) \"\(name)\": \(failure.text)", path: path)
    case let error as ImportError:
      throw error
    default:
      throw ImportError(
        .unreadable, "the values of \(type) \"\(name)\" cannot be read", path: path, cause: error)
    }
  }
}
