import Forge
import ForgeShapes

/// The typed interface of a model file: a structure with named inputs and outputs.
struct SwiftInterface {
  /// The name of the type.
  let typeName: String
  /// The text.
  let text: String

  /// Writes the interface of a model.
  ///
  /// - Throws: `CompileError` with every mistake of the model; ``ExportError`` for inputs of any
  ///   size.
  init(_ model: Model, _ options: SwiftInterfaceOptions) throws {
    let inference = try SwiftFile.inference(of: model)
    typeName = SwiftFile.typeName(options.name ?? model.metadata.name, besides: Self.types)
    var names = SwiftNames(reserved: Self.reservedInputs)
    var sizes = InterfaceSizes()
    let inputs = try Self.inputs(inference, model, &names, &sizes)
    var outputNames = SwiftNames(reserved: Self.reservedOutputs)
    let isOpen = !sizes.sizes.isEmpty
    let outputs = inference.outputs.map { index in
      let node = inference.nodes[index]
      return InterfacePort(
        name: node.name,
        property: outputNames.unique(SwiftText.identifier(node.name, fallback: "output")),
        sizes: [], shape: node.shape ?? Shape([]), isInteger: false, picture: nil)
    }
    let body = InterfaceBody(
      typeName: typeName, metadata: model.metadata, inputs: inputs, outputs: outputs,
      sizes: sizes.sizes, isOpen: isOpen, importSizes: options.sizes, names: outputNames)
    text = body.lines.joined(separator: "\n") + "\n"
  }

  /// Types that the interface uses.
  private static let types: Set<String> = [
    "Shape", "TensorValues", "Predictions", "CompiledModel", "CompileOptions", "ModelFile",
    "Runner", "Image", "ImagePreparation", "PicturePreparation", "RankedClass", "Inputs",
    "Outputs", "Mismatch", "String", "Int", "Float", "Error", "Sendable", "Forge", "ForgeImages",
    "ForgeImporters",
  ]
  private static let reservedInputs: Set<String> = ["tensors", "picture"]
  private static let reservedOutputs: Set<String> = ["predictions", "values", "k", "labels"]

  private static func inputs(
    _ inference: Inference, _ model: Model, _ names: inout SwiftNames,
    _ sizes: inout InterfaceSizes
  ) throws(ExportError) -> [InterfacePort] {
    var problems: [Problem] = []
    var ports: [InterfacePort] = []
    for (place, index) in inference.inputs.enumerated() {
      let node = inference.nodes[index]
      let property = names.unique(SwiftText.identifier(node.name, fallback: "input"))
      let shape = node.shape ?? Shape([])
      var axes: [InterfacePort.Size] = []
      for size in shape.dimensions {
        if let size { axes.append(.fixed(size)) }
      }
      if axes.count != shape.rank {
        problems.append(
          Problem(
            place: node.place, layer: node.reference,
            headline: "the input has sizes without bounds",
            details: [("remedy", "import the file with sizes, such as --size")]))
        continue
      }
      for axis in node.lengthAxes {
        axes[axis.axis] = .open(sizes.length(axis.sizes, &names))
      }
      for axis in inference.openSizes?.axes[place] ?? [] {
        axes[axis.axis] = .open(sizes.open(axis, &names))
      }
      ports.append(
        InterfacePort(
          name: node.name, property: property, sizes: axes, shape: shape,
          isInteger: node.isOfIntegers, picture: model.metadata.pictures[node.name]))
    }
    guard problems.isEmpty else { throw ExportError(problems) }
    return ports
  }
}

/// The sizes that each prediction chooses.
struct InterfaceSizes {
  /// The sizes in order of first use.
  private(set) var sizes: [InterfaceSize] = []
  private var lengths: [SizeProgression: String] = [:]
  private var open: [String: String] = [:]

  /// The property of a length.
  mutating func length(_ progression: SizeProgression, _ names: inout SwiftNames) -> String {
    if let property = lengths[progression] { return property }
    let property = names.unique("length")
    lengths[progression] = property
    sizes.append(
      InterfaceSize(property: property, range: progression.text, largest: progression.last))
    return property
  }

  /// The property of an open size.
  mutating func open(_ axis: OpenAxis, _ names: inout SwiftNames) -> String {
    if let property = open[axis.name] { return property }
    let property = names.unique(SwiftText.identifier(axis.name, fallback: "size"))
    open[axis.name] = property
    sizes.append(
      InterfaceSize(property: property, range: axis.sizes.text, largest: axis.sizes.last))
    return property
  }
}
