import Forge
import ForgeLayers
import ForgeShapes

/// A layer that several places of a network use, which is a constant of the source.
struct SwiftSharedLayer {
  /// The constant.
  let constant: String
  /// The type.
  let type: String
  /// The arguments.
  let arguments: [SwiftArgument]
  /// The name of the layer.
  let name: String
}

/// A model as the text of a Swift file.
struct SwiftSource {
  /// The name of the type that holds the functions.
  let typeName: String
  /// Whether the network has parameters, which a file beside the source holds.
  let hasParameters: Bool
  /// The text.
  let text: String

  /// Writes a model.
  ///
  /// - Throws: `CompileError` with every mistake of the model; ``ExportError`` with every layer
  ///   that cannot be written.
  init(_ model: Model, _ options: SwiftOptions) throws {
    let inference = try SwiftFile.inference(of: model)
    let network = try SwiftNetwork(inference, model, options)
    hasParameters = inference.nodes.contains { !$0.parameters.isEmpty }
    typeName = SwiftFile.typeName(
      options.name ?? model.metadata.name, besides: network.types.union(Self.types))

    var names = SwiftNames(reserved: Self.reserved)
    var metadata = SwiftMetadata(model.metadata)
    var lines: [String] = []
    var variables: [Int: String] = [:]
    for (place, index) in inference.inputs.enumerated() {
      let node = inference.nodes[index]
      let name = names.unique(SwiftText.identifier(node.name, fallback: "input"))
      variables[-1 - place] = name
      lines.append("    let \(name) = \(Self.input(node))")
    }
    var shared: [SwiftSharedLayer] = []
    let nodes = network.nodes { layer in
      let constant = names.unique(SwiftText.identifier(layer.name, fallback: "layer"))
      shared.append(
        SwiftSharedLayer(
          constant: constant, type: layer.type, arguments: layer.arguments, name: layer.name))
      return constant
    }
    var writer = SwiftNetworkWriter(nodes, inputs: variables, names: names)
    for layer in shared { writer.add(layer) }
    writer.addAll(hasLoops: options.hasLoops)
    lines += writer.lines
    lines += metadata.lines(labels: writer.names.unique("labels"))
    let outputs = network.outputs.map(writer.variable)
    let inputs = inference.inputs.indices.map { writer.variable(-1 - $0) }
    let ports =
      inputs.count == 1 && outputs.count == 1
      ? "input: \(inputs[0]), output: \(outputs[0])"
      : "inputs: [\(inputs.joined(separator: ", "))], outputs: [\(outputs.joined(separator: ", "))]"
    lines.append("    return Model(\(ports)\(metadata.isEmpty ? "" : ", metadata: metadata"))")

    var lists = writer.lists.lists.flatMap { [""] + SwiftLists.declaration($0.name, $0.list) }
    lists += metadata.declarations
    text =
      (Self.head(typeName, model.metadata, hasParameters: hasParameters)
      + ["  static func model() -> Model {"] + lines + ["  }"]
      + Self.compiling(typeName, hasParameters: hasParameters) + lists + ["}", ""])
      .joined(separator: "\n")
  }

  /// Names that the source uses otherwise.
  private static let reserved: Set<String> = [
    "index", "metadata", "model", "compiled", "path", "options",
  ]

  /// Types that the source uses besides those of layers.
  private static let types: Set<String> = [
    "Model", "Tensor", "Input", "Shape", "Edges", "ModelMetadata", "PicturePreparation",
    "SafeTensorsParameters", "CompileOptions", "CompiledModel", "String", "Int", "Float", "Double",
    "Forge",
  ]

  private static func head(
    _ typeName: String, _ metadata: ModelMetadata, hasParameters: Bool
  ) -> [String] {
    var lines = ["// Written by Forge.", "", "import Forge", ""] + SwiftFile.comment(metadata)
    lines += ["enum \(typeName) {"]
    lines.append(
      hasParameters
        ? "  /// The layers, without the weights." : "  /// The network.")
    return lines
  }

  private static func compiling(_ typeName: String, hasParameters: Bool) -> [String] {
    guard hasParameters else {
      return [
        "", "  /// The network, ready to predict.",
        "  static func compiled(",
        "    options: CompileOptions = CompileOptions()",
        "  ) throws -> CompiledModel {",
        "    try model().compile(options: options)", "  }",
      ]
    }
    return [
      "", "  /// The network with the weights of `\(typeName).safetensors`, ready to predict.",
      "  static func compiled(",
      "    weights path: String, options: CompileOptions = CompileOptions()",
      "  ) throws -> CompiledModel {",
      "    let weights = try SafeTensorsParameters(path, layout: .forge)",
      "    return try model().compile(parameters: weights, options: options)", "  }",
    ]
  }

  /// The call that makes an input.
  private static func input(_ node: Inference.Node) -> String {
    let name = "name: \(SwiftText.literal(node.name))"
    guard case .input(let description) = node.tensor.source else { return "Input(\(name))" }
    var sizes = description.shape.dimensions.map { $0.map { "\($0)" } }
    for axis in description.lengthAxes {
      sizes[axis.axis] = InputSize(length: axis.sizes).swiftText
    }
    for axis in description.openAxes { sizes[axis.axis] = InputSize(axis).swiftText }
    let isFixed = description.lengthAxes.isEmpty && description.openAxes.isEmpty
    guard isFixed, description.shape.isImage, let channels = sizes[2] else {
      return "Input(shape: [\(sizes.map { $0 ?? "1" }.joined(separator: ", "))], \(name))"
    }
    let width = sizes[1].map { "width: \($0), " } ?? ""
    let height = sizes[0].map { "height: \($0), " } ?? ""
    return "Input(\(width)\(height)channels: \(channels), \(name))"
  }
}
