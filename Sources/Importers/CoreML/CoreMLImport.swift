import Forge

/// Turns a Core ML model into a model of Forge.
struct CoreMLImport {
  let model: CoreMLModel
  /// What the model is.
  let content: CoreMLModel.Content
  private let description: CoreMLDescription
  /// The function that is imported; empty for the usual one.
  let function: String
  private let path: String
  private let options: ImportOptions
  private var limits: ImportLimits { options.limits }
  private var networks: CoreMLNetworkImport
  private var programs: MILProgramImport
  private var labels: [String] = []
  /// The inputs that stages read as numbers of the file.
  private var settings: Set<String> = []

  /// Reads a file.
  ///
  /// - Throws: ``ImportError``: `malformed`, `unreadable`, `tooLarge` or `unknownName`.
  init(_ file: WireFile, options: ImportOptions) throws(ImportError) {
    model = try CoreMLModel(file.message)
    path = file.path
    self.options = options
    content = try model.content(limits: options.limits)
    function = try Self.function(model, content, options, path: file.path)
    description = try model.description.of(function: function)
    guard model.typeName != nil, !description.output.isEmpty else {
      throw ImportError(
        .malformed, "this is not a Core ML model", path: path,
        received: model.typeName == nil ? "a file without a model" : "a model without outputs")
    }
    let features = description.input + description.output
    guard features.count <= options.limits.nodes / 4 else {
      throw .tooLarge(
        "\(features.count) inputs and outputs", limit: "nodes", options.limits.nodes / 4, path: path
      )
    }
    programs = MILProgramImport(path: path, limits: options.limits, files: file.files)
    networks = CoreMLNetworkImport(
      path: path, options: options, reserved: Set(features.map(\.name)))
  }

  /// The name of the function that is asked for, or of the default one.
  private static func function(
    _ model: CoreMLModel, _ content: CoreMLModel.Content, _ options: ImportOptions, path: String
  ) throws(ImportError) -> String {
    guard let wanted = options.function else { return model.description.defaultFunction }
    guard case .program(let program) = content else {
      try options.refuseFunction(path: path)
      return ""
    }
    let stated = model.description.functions.map(\.name)
    let names = stated.isEmpty ? program.names : stated.sorted()
    guard names.contains(wanted) else {
      throw ImportError(
        .unknownName, "the model has no function \"\(wanted)\"", path: path,
        needs: "one of " + names.joined(separator: ", "))
    }
    return wanted
  }

  /// The inputs that the options do not state, with the sizes that the file leaves open.
  ///
  /// - Throws: ``ImportError``: `malformed`, `unreadable` or `tooLarge`.
  static func openSizes(
    _ file: WireFile, _ options: ImportOptions, largest: Int
  ) throws(ImportError) -> [String: [InputSize]] {
    let all = try CoreMLModel(file.message).description
    let description = try all.of(function: options.function ?? all.defaultFunction)
    var sizes: [String: [InputSize]] = [:]
    for feature in description.input
    where options.sizes[feature.name] == nil && options.constants[feature.name] == nil {
      sizes[feature.name] = feature.openSizes(largest: largest)
    }
    return sizes
  }

  /// A network, ML Program or model of a class with the features around it.
  private struct Stage {
    enum Content {
      case network(CoreMLNetwork)
      case program(MILProgram, function: String)
      case custom(WireFields, CoreMLLayerBuilder)
      case other(any CoreMLStage)
    }

    let content: Content
    let description: CoreMLDescription
    /// What stands before the names of a program's layers, because two programs may share names.
    var prefix = ""

    /// The inputs that are numbers of the file.
    var settings: [String] {
      if case .other(let stage) = content { stage.settings } else { [] }
    }

    /// Whether values have any rank.
    var isExact: Bool {
      if case .network(let network) = content { network.isExact } else { true }
    }

    /// The rank of an image.
    var imageRank: Int {
      if case .network(let network) = content { network.imageRank } else { 4 }
    }
  }

  /// The model, its inputs and its outputs.
  ///
  /// - Throws: ``ImportError``.
  mutating func imported() throws(ImportError) -> ImportedModel {
    var stages: [Stage] = []
    try collect(model, content, function, depth: 0, into: &stages)
    try refuseIfAny()
    if stages.count > 1 {
      for index in stages.indices { stages[index].prefix = "\(index + 1)/" }
    }
    try options.check(
      against: Set(description.input.map(\.name)), path: path, hasFunctions: true)
    var inputs: [CoreMLInputs.Description] = []
    settings = Set(stages.flatMap(\.settings))
    for feature in description.input
    where options.constants[feature.name] == nil && !settings.contains(feature.name) {
      let stage = stages.first { stage in
        stage.description.input.contains { $0.name == feature.name }
      }
      guard !feature.name.isEmpty, !inputs.contains(where: { $0.port.name == feature.name }) else {
        throw ImportError(
          .malformed, "an input has no name or the name of another input", path: path,
          entry: feature.name)
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

  /// The networks of the file in their order.
  ///
  /// - Throws: ``ImportError`` of kind `tooLarge` for a pipeline beyond the limits.
  private func stages() throws(ImportError) -> [Stage] {
    var copy = self
    var stages: [Stage] = []
    try copy.collect(model, content, function, depth: 0, into: &stages)
    return stages
  }

  /// What becomes of the pixels of each image input.
  ///
  /// - Throws: ``ImportError`` of kind `tooLarge` for a pipeline beyond the limits.
  func preparations() throws(ImportError) -> [ModelFact] {
    let stages = try stages()
    return description.input.compactMap { feature in
      let reader = stages.first { $0.description.input.contains { $0.name == feature.name } }
      guard case .network(let network)? = reader?.content else { return feature.preparation([]) }
      return feature.preparation(network.preprocessing)
    }
  }

  /// The layers of all networks of the file by type.
  ///
  /// - Throws: ``ImportError`` of kind `tooLarge` for a pipeline beyond the limits.
  func layerCounts() throws(ImportError) -> [String: Int] {
    var counts: [String: Int] = [:]
    for case .network(let network) in try stages().map(\.content) {
      for layer in network.layers { counts[try networks.typeName(layer), default: 0] += 1 }
    }
    return counts
  }

  /// Lists the networks of a model in their order.
  private mutating func collect(
    _ model: CoreMLModel, _ content: CoreMLModel.Content, _ function: String, depth: Int,
    into stages: inout [Stage]
  ) throws(ImportError) {
    guard depth < limits.depth, stages.count < limits.nodes else {
      throw .tooLarge("deeper or longer pipelines", limit: "depth", limits.depth, path: path)
    }
    let description = try model.description.of(function: function)
    switch content {
    case .network(let network):
      if let classLabels = network.labels { labels = classLabels }
      stages.append(Stage(content: .network(network), description: description))
    case .program(let program):
      stages.append(
        Stage(content: .program(program, function: function), description: description))
    case .pipeline(let parts):
      for part in parts {
        let model = try CoreMLModel(part)
        try collect(
          model, model.content(limits: limits), model.description.defaultFunction,
          depth: depth + 1, into: &stages)
      }
    case .custom(let fields):
      let name = try CoreMLCustomLayer.className(fields)
      guard let build = options.coreMLLayers[name] else {
        return refuse("customModel" + (name.isEmpty ? "" : " \(name)"), description)
      }
      stages.append(Stage(content: .custom(fields, build), description: description))
    case .stage(let stage):
      if let named = stage as? CoreMLSuppressionStage, !named.labels.isEmpty {
        labels = named.labels
      }
      stages.append(Stage(content: .other(stage), description: description))
    case .other: refuse(model.typeName ?? "no model", description)
    }
  }

  private mutating func refuse(_ type: String, _ description: CoreMLDescription) {
    networks.unsupported.append(
      UnsupportedNode(type: type, detail: nil, name: description.output.first?.name ?? ""))
  }

  /// Builds a network on the inputs of the model and the results of earlier networks.
  private mutating func build(
    _ stage: Stage, _ inputs: [CoreMLInputs.Description], _ values: inout [String: FileValue]
  ) throws(ImportError) {
    var stageValues: [String: FileValue] = [:]
    for feature in stage.description.input where !stage.settings.contains(feature.name) {
      if let value = values[feature.name] {
        stageValues[feature.name] = value
        continue
      }
      if let constant = options.constants[feature.name] {
        stageValues[feature.name] = try located(feature.name, "input") { () throws in
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
        steps = network.preprocessing.filter { $0.input == feature.name || $0.input.isEmpty }
      }
      let prepared = try located(feature.name, "input") { () throws in
        try CoreMLInputs.prepared(input, steps)
      }
      if let prepared { stageValues[feature.name] = .network(prepared) }
    }
    switch stage.content {
    case .program(let program, let function):
      let results = try programs.build(
        program, function: function, on: stageValues, prefix: stage.prefix)
      values.merge(results) { $1 }
      if !programs.labels.isEmpty { labels = programs.labels }
    case .network(let network):
      for (name, value) in stageValues { stageValues[name] = try? value.asNumbers() }
      let results = try networks.build(network, on: stageValues)
      for feature in stage.description.output { values[feature.name] = results[feature.name] }
      // Probabilities have a name of their own.
      let probabilities = stage.description.predictedProbabilitiesName
      let source = network.probabilities
      let last = network.layers.last?.outputs.first ?? ""
      if !probabilities.isEmpty {
        values[probabilities] = results[source.isEmpty ? last : source]
      } else if network.labels != nil, !source.isEmpty {
        values[source] = results[source]
      }
    case .custom(let fields, let build):
      let features = stage.description
      let name = features.output.first?.name ?? ""
      let results = try located(name, "customModel") { () throws in
        let custom = try CoreMLCustomLayer(
          fields, name: name, outputCount: features.output.count)
        return try custom.built(
          by: build,
          on: features.input.map { input in
            guard case .network(let tensor)? = stageValues[input.name] else {
              throw NodeFailure.unsupported("an input that is a constant")
            }
            return tensor
          })
      }
      for (feature, result) in zip(features.output, results ?? []) {
        values[feature.name] = .network(result)
      }
    case .other(let other):
      let name = stage.prefix + (stage.description.output.first?.name ?? "")
      let constants = options.constants
      var call = CoreMLStageCall(name: name + "/stage")
      let results = try located(name, "stage") { () throws in
        var numbers: [String: Float] = [:]
        for name in stage.settings {
          numbers[name] = try constants[name].flatMap { try HostTensor($0).floats().first }
        }
        return try other.values(stageValues, stage.description, numbers: numbers, &call)
      }
      networks.parameters.merge(call.parameters) { first, _ in first }
      values.merge(results ?? [:]) { $1 }
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
    var model = Model(
      inputs: used.map(\.tensor), outputs: outputs,
      metadata: ModelMetadata(self.model.description.metadata, labels: labels))
    for input in used where input.isImage {
      model.metadata.pictures[input.port.name] = input.picture
    }
    let parameters = networks.parameters.merging(programs.parameters) { first, _ in first }
    model.parameters = ImportedParameters(parameters, origin: path)
    do { try model.check() } catch {
      throw ImportError(
        .invalidNode, "the layers of the network do not fit each other", path: path, cause: error)
    }
    return ImportedModel(
      model: model, inputs: described(used.map(\.port), description.input),
      outputs: described(ports, description.output),
      ignoredInputs: zip(inputs, isUsed).filter { !$0.1 }.map(\.0.port.name)
        + self.model.description.input.map(\.name).filter {
          settings.contains($0) && options.constants[$0] == nil
        })
  }

  /// Ports with what the file says about them.
  private func described(
    _ ports: [ImportedModel.Port], _ features: [CoreMLFeature]
  ) -> [ImportedModel.Port] {
    let texts = Dictionary(features.map { ($0.name, $0.about) }) { first, _ in first }
    return ports.map { port in
      var port = port
      port.about = texts[port.name].flatMap { $0.isEmpty ? nil : $0 }
      return port
    }
  }

  /// Whether outputs have the axes of the file: those of programs and models of a class.
  private var keepsAxes: Bool {
    switch content {
    case .program, .custom: true
    default: false
    }
  }

  /// An output under its name; that of a network has Forge's usual order of axes.
  private func output(
    _ result: FileTensor, _ feature: CoreMLFeature
  ) -> (Tensor, ImportedModel.Port) {
    let layout = keepsAxes ? result.layout : FileTensor.usualLayout(result.sizes)
    let tensor = result.tensor(as: layout)
      .chained(to: Activation(.linear, name: feature.name))
    var port = ImportedModel.Port(
      name: feature.name, elementType: keepsAxes ? feature.elementType : .float32,
      sizes: result.sizes, axes: layout)
    guard !keepsAxes else { return (tensor, port) }
    // The first versions state [C] or [C, H, W].
    let stated = feature.sizes
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

extension ModelMetadata {
  /// What a Core ML file says about itself.
  init(_ stored: CoreMLMetadata, labels: [String]) {
    func text(_ value: String) -> String? { value.isEmpty ? nil : value }
    self.init(about: text(stored.about), labels: labels)
    author = text(stored.author)
    license = text(stored.license)
    version = text(stored.version)
    producer = stored.values["com.github.apple.coremltools.version"].map { "coremltools \($0)" }
    values = stored.values
  }
}
