import Forge
import ForgeMessages
import Foundation
import SwiftProtobuf

/// Turns a Core ML model into a model of Forge.
struct CoreMLImport {
  let file: CoreMLModel
  private let description: CoreMLDescription
  private let path: String
  private let options: ImportOptions
  private var limits: ImportLimits { options.limits }
  private var networks: CoreMLNetworkImport
  private var programs: MILProgramImport
  private var labels: [String] = []

  /// Decodes a file.
  ///
  /// - Throws: ``ImportError`` of kind `malformed`.
  init(
    _ bytes: Data, path: String, options: ImportOptions
  )
    throws(ImportError)
  {
    var decoding = BinaryDecodingOptions()
    // A model in a pipeline is three messages deeper.
    decoding.messageDepthLimit = min(max(options.limits.depth, 1), 1000).saturated(times: 4) + 16
    decoding.discardUnknownFields = true
    do { file = try CoreMLModel(serializedBytes: bytes, options: decoding) } catch {
      throw .malformedFile("this is not a Core ML model, or it is damaged", path)
    }
    description = CoreMLDescription(of: file)
    guard file.type != nil, !description.output.isEmpty else {
      throw ImportError(
        .malformed, "this is not a Core ML model", path: path,
        received: file.type == nil ? "a file without a model" : "a model without outputs")
    }
    self.path = path
    self.options = options
    let features = description.input + description.output
    for feature in features { try options.limits.check(name: feature.name, path: path) }
    guard features.count <= options.limits.nodes / 4 else {
      throw .tooLarge(
        "\(features.count) inputs and outputs", limit: "nodes", options.limits.nodes / 4, path: path
      )
    }
    programs = MILProgramImport(path: path, limits: options.limits)
    networks = CoreMLNetworkImport(
      path: path, limits: options.limits, reserved: Set(features.map(\.name)))
  }

  /// A network or an ML Program with the features around it.
  private struct Stage {
    enum Content {
      case network(CoreMLNeuralNetwork)
      case program(MILProgram)
    }

    let content: Content
    let description: CoreMLDescription
    /// What stands before the names of a program's layers, because two programs may share names.
    var prefix = ""

    /// The layers; none of a program.
    var layers: [CoreMLLayer] {
      if case .network(let network) = content { network.layers } else { [] }
    }

    /// Whether values have any rank.
    var isExact: Bool {
      if case .network(let network) = content { network.arrayInputShapeMapping == 1 } else { true }
    }

    /// The rank of an image: exact networks add a sequence axis unless they say otherwise.
    var imageRank: Int {
      guard case .network(let network) = content else { return 4 }
      return isExact && network.imageInputShapeMapping != 1 ? 5 : 4
    }
  }

  /// The model, its inputs and its outputs.
  ///
  /// - Throws: ``ImportError``.
  mutating func imported() throws(ImportError) -> ImportedModel {
    var stages: [Stage] = []
    try collect(file, depth: 0, into: &stages)
    try refuseIfAny()
    if stages.count > 1 {
      for index in stages.indices { stages[index].prefix = "\(index + 1)/" }
    }
    try options.check(against: Set(description.input.map(\.name)), path: path)
    var inputs: [CoreMLInputs.Description] = []
    for feature in description.input where options.constants[feature.name] == nil {
      let stage = stages.first { stage in
        stage.description.input.contains { $0.name == feature.name }
      }
      guard !feature.name.isEmpty, !inputs.contains(where: { $0.port.name == feature.name }) else {
        throw ImportError(
          .malformed, "an input has no name or that of another", path: path, entry: feature.name)
      }
      let sizes = options.largestSizes(of: feature.name)
      if let input = try located(
        feature.name, "input",
        { () throws in
          try CoreMLInputs.describe(
            feature, sizes: sizes, isExact: stage?.isExact ?? false,
            imageRank: stage?.imageRank ?? 4)
        })
      {
        inputs.append(input)
      }
    }
    try refuseIfAny()
    var values: [String: FileValue] = [:]
    for stage in stages { try build(stage, inputs, &values) }
    try refuseIfAny()
    return try model(inputs, values)
  }

  // MARK: Networks

  /// The layers of all networks of the file.
  ///
  /// - Throws: ``ImportError`` of kind `tooLarge` for a pipeline beyond the limits.
  func layers() throws(ImportError) -> [CoreMLLayer] {
    var copy = self
    var stages: [Stage] = []
    try copy.collect(file, depth: 0, into: &stages)
    return stages.flatMap(\.layers)
  }

  /// Lists the networks of a model in their order.
  private mutating func collect(
    _ model: CoreMLModel, depth: Int, into stages: inout [Stage]
  ) throws(ImportError) {
    guard depth < limits.depth, stages.count < limits.nodes else {
      throw .tooLarge("deeper or longer pipelines", limit: "depth", limits.depth, path: path)
    }
    let network: CoreMLNeuralNetwork
    switch model.type {
    case .neuralNetwork(let found), .neuralNetworkClassifier(let found),
      .neuralNetworkRegressor(let found):
      network = found
    case .mlProgram(let program):
      stages.append(
        Stage(content: .program(program), description: CoreMLDescription(of: model)))
      return
    case .pipeline(let pipeline):
      for part in pipeline.models { try collect(part, depth: depth + 1, into: &stages) }
      return
    case .pipelineClassifier(let holder), .pipelineRegressor(let holder):
      for part in holder.pipeline.models { try collect(part, depth: depth + 1, into: &stages) }
      return
    case let other:
      let type = other.flatMap { Mirror(reflecting: $0).children.first?.label } ?? "no model"
      networks.unsupported.append(
        UnsupportedNode(type: type, detail: nil, name: model.description_p.output.first?.name ?? "")
      )
      return
    }
    switch network.classLabels {
    case .stringClassLabels(let strings)?: labels = strings.values
    case .int64ClassLabels(let numbers)?: labels = numbers.values.map { "\($0)" }
    case nil: break
    }
    stages.append(Stage(content: .network(network), description: model.description_p))
  }

  /// Builds a network on the inputs of the model and the results of earlier networks.
  private mutating func build(
    _ stage: Stage, _ inputs: [CoreMLInputs.Description], _ values: inout [String: FileValue]
  ) throws(ImportError) {
    var own: [String: FileValue] = [:]
    for feature in stage.description.input {
      if let value = values[feature.name] {
        own[feature.name] = value
        continue
      }
      if let constant = options.constants[feature.name] {
        own[feature.name] = try located(feature.name, "input") { () throws in
          try CoreMLInputs.bound(constant, feature, isExact: stage.isExact)
        }
        continue
      }
      guard let input = inputs.first(where: { $0.port.name == feature.name }) else {
        throw ImportError(
          .malformed, "a network reads an input that the model does not have", path: path,
          received: "\"\(feature.name)\"")
      }
      var steps: [CoreMLPreprocessing] = []
      if case .network(let network) = stage.content {
        // A preprocessing without a name is that of the only image.
        steps = network.preprocessing.filter {
          $0.featureName == feature.name || $0.featureName.isEmpty
        }
      }
      let prepared = try located(feature.name, "input") { () throws in
        try CoreMLInputs.prepared(input, steps)
      }
      if let prepared { own[feature.name] = .network(prepared) }
    }
    switch stage.content {
    case .program(let program):
      let results = try programs.build(
        program, function: stage.description.defaultFunctionName, on: own, prefix: stage.prefix)
      values.merge(results) { $1 }
      if !programs.labels.isEmpty { labels = programs.labels }
    case .network(let network):
      let results = try networks.build(network, on: own)
      for feature in stage.description.output { values[feature.name] = results[feature.name] }
      // Probabilities have a name of their own.
      let probabilities = stage.description.predictedProbabilitiesName
      let source = network.labelProbabilityLayerName
      let last = network.layers.last?.output.first ?? ""
      if !probabilities.isEmpty {
        values[probabilities] = results[source.isEmpty ? last : source]
      } else if network.classLabels != nil, !source.isEmpty {
        values[source] = results[source]
      }
    }
  }

  // MARK: Result

  private func model(
    _ inputs: [CoreMLInputs.Description], _ values: [String: FileValue]
  ) throws(ImportError) -> ImportedModel {
    var outputs: [Tensor] = []
    var ports: [ImportedModel.Port] = []
    for feature in description.output {
      guard let value = values[feature.name] else {
        // The name of the class follows from the probabilities.
        if feature.name == description.predictedFeatureName { continue }
        throw ImportError(
          .malformed, "no layer makes an output of the model", path: path,
          received: "\"\(feature.name)\"")
      }
      guard !ports.contains(where: { $0.name == feature.name }) else {
        throw ImportError(
          .malformed, "two outputs have the same name", path: path, received: "\"\(feature.name)\"")
      }
      guard case .network(let result) = value else {
        throw .unsupported(
          [UnsupportedNode(type: "output", detail: "a constant", name: feature.name)], path: path)
      }
      let (tensor, port) = output(result, feature)
      outputs.append(tensor)
      ports.append(port)
    }
    guard !outputs.isEmpty else {
      throw ImportError(.malformed, "the model has no outputs that are numbers", path: path)
    }
    let reached = Tensor.ancestors(of: outputs)
    let isUsed = inputs.map { reached.contains(ObjectIdentifier($0.tensor)) }
    let used = zip(inputs, isUsed).filter(\.1).map(\.0)
    let metadata = file.description_p.metadata
    let about = [metadata.shortDescription, metadata.author, metadata.license]
      .filter { !$0.isEmpty }.joined(separator: "\n")
    var model = Model(
      inputs: used.map(\.tensor), outputs: outputs,
      metadata: ModelMetadata(about: about.isEmpty ? nil : about, labels: labels))
    let parameters = networks.parameters.merging(programs.parameters) { first, _ in first }
    model.parameters = ImportedParameters(parameters, origin: path)
    do { try model.check() } catch {
      throw ImportError(.invalidNode, "the network does not fit together", path: path, cause: error)
    }
    return ImportedModel(
      model: model, inputs: described(used.map(\.port), description.input),
      outputs: described(ports, description.output),
      ignoredInputs: zip(inputs, isUsed).filter { !$0.1 }.map(\.0.port.name))
  }

  /// Ports with what the file says about them.
  private func described(
    _ ports: [ImportedModel.Port], _ features: [CoreMLFeature]
  ) -> [ImportedModel.Port] {
    let texts = Dictionary(features.map { ($0.name, $0.shortDescription) }) { first, _ in first }
    return ports.map { port in
      var port = port
      port.about = texts[port.name].flatMap { $0.isEmpty ? nil : $0 }
      return port
    }
  }

  /// Whether the file holds an ML Program.
  private var isProgram: Bool {
    if case .mlProgram? = file.type { true } else { false }
  }

  /// An output under its name; that of a network has Forge's usual order of axes.
  private func output(
    _ result: FileTensor, _ feature: CoreMLFeature
  ) -> (Tensor, ImportedModel.Port) {
    let layout = isProgram ? result.layout : FileTensor.usualLayout(result.sizes)
    let tensor = result.tensor(as: layout)
      .chained(to: Activation(.linear, name: feature.name))
    var port = ImportedModel.Port(
      name: feature.name, elementType: isProgram ? feature.elementType : .float32,
      sizes: result.sizes, axes: layout)
    guard !isProgram else { return (tensor, port) }
    // The first versions state [C] or [C, H, W].
    let stated = feature.type.multiArrayType.shape.map { Int($0) }
    if result.rank == 4, result.sizes[0] == 1, Shape.product(of: stated) == result.count {
      if stated.count == 1, result.sizes[1] == stated[0] {
        port = .init(name: feature.name, sizes: stated, axes: [nil, nil, 0])
      } else if stated == Array(result.sizes[1...]) {
        port = .init(name: feature.name, sizes: stated, axes: [1, 2, 0])
      }
    }
    return (tensor, port)
  }

  // MARK: Errors

  private func refuseIfAny() throws(ImportError) {
    let unsupported = networks.unsupported + programs.unsupported
    guard unsupported.isEmpty else { throw .unsupported(unsupported, path: path) }
  }

  /// Runs `body`; collects what is not supported and names what is wrong.
  private mutating func located<Value>(
    _ name: String, _ type: String, _ body: () throws -> Value
  ) throws(ImportError) -> Value? {
    do { return try body() } catch NodeFailure.unsupported(let detail) {
      networks.unsupported.append(UnsupportedNode(type: type, detail: detail, name: name))
      return nil
    } catch NodeFailure.invalid(let text) {
      throw ImportError(
        .invalidNode, "an \(type) of the model is not valid", path: path, entry: name,
        received: text)
    } catch {
      throw ImportError(
        .unreadable, "an \(type) of the model cannot be read", path: path, entry: name,
        cause: error)
    }
  }
}

extension CoreMLDescription {
  /// The features of a model, or of its default function if it has several.
  init(of model: CoreMLModel) {
    self = model.description_p
    let name = defaultFunctionName
    guard let function = functions.first(where: { $0.name == name }) else { return }
    input = function.input
    output = function.output
    predictedFeatureName = function.predictedFeatureName
    predictedProbabilitiesName = function.predictedProbabilitiesName
  }
}

extension CoreMLFeature {
  /// The element type of an array; that of other features is Float32.
  var elementType: ElementType {
    switch type.multiArrayType.dataType {
    case 65_552: .float16
    case 65_600: .float64
    case 131_104: .int32
    case 131_080: .int8
    default: .float32
    }
  }
}
