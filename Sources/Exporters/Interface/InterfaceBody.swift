import Forge
import ForgeShapes

/// The lines of a typed interface.
struct InterfaceBody {
  let typeName: String
  let metadata: ModelMetadata
  let inputs: [InterfacePort]
  let outputs: [InterfacePort]
  /// The sizes that each prediction chooses.
  let sizes: [InterfaceSize]
  /// Whether outputs have sizes that follow those.
  let isOpen: Bool
  /// The sizes with which the file is imported.
  let importSizes: [String: [InputSize]]
  /// The names of outputs, and of functions that rank them.
  var names: SwiftNames

  /// The inputs that take a picture.
  private var pictures: [InterfacePort] {
    inputs.filter { $0.picture != nil && $0.isFixed && $0.shape.isImage && !$0.isInteger }
  }

  /// All lines.
  var lines: [String] {
    head + inputLines + outputLines + opening + checking + predicting + ["}"] + pictureLines
  }

  // MARK: Head

  private var head: [String] {
    var lines = [
      "// The interface of a model file, written by Forge.", "", "import Forge",
    ]
    if !pictures.isEmpty { lines.append("import ForgeImages") }
    lines += [
      "import ForgeImporters", "",
    ]
    lines += SwiftFile.comment(metadata) + ["struct \(typeName): Sendable {"]
    if !metadata.labels.isEmpty {
      lines.append("  /// The labels of the file.")
      lines += SwiftLists.declaration(
        "labels",
        SwiftLists.List(element: "String", literals: metadata.labels.map(SwiftText.literal)))
      lines.append("")
    }
    return lines
  }

  // MARK: Inputs and outputs

  private var inputLines: [String] {
    var lines = ["  /// What a prediction takes.", "  struct Inputs: Sendable {"]
    for port in inputs {
      lines += [
        "    /// `\(SwiftText.comment(port.name))`: \(port.shape).",
        "    var \(port.property): [\(port.element)]",
      ]
    }
    for size in sizes {
      lines += [
        "    /// A size of this prediction: \(SwiftText.comment(size.range)).",
        "    var \(size.property): Int",
      ]
    }
    let parameters =
      inputs.map { "\($0.property): [\($0.element)]" }
      + sizes.map { "\($0.property): Int = \($0.largest)" }
    lines += ["", "    /// Creates inputs."]
    lines += Self.function("init", parameters, " {", indent: 4)
    lines += (inputs.map(\.property) + sizes.map(\.property)).map { "      self.\($0) = \($0)" }
    lines += ["    }", "", "    fileprivate var tensors: [String: TensorValues] {", "      ["]
    for port in inputs {
      lines.append(
        "        \(SwiftText.literal(port.name)): TensorValues("
          + "shape: \(port.shapeText), elements: \(port.property)),")
    }
    return lines + ["      ]", "    }", "  }", ""]
  }

  private var outputLines: [String] {
    var lines = ["  /// The results of a prediction.", "  struct Outputs: Sendable {"]
    for port in outputs {
      let shape = isOpen ? "" : ": \(port.shape)"
      lines += [
        "    /// `\(SwiftText.comment(port.name))`\(shape).",
        "    let \(port.property): \(isOpen ? "TensorValues" : "[Float]")",
      ]
    }
    lines += ["", "    fileprivate init(_ predictions: Predictions) throws {"]
    for port in outputs {
      let values = isOpen ? "" : ".values"
      lines.append(
        "      \(port.property) = try \(typeName).tensor(\(SwiftText.literal(port.name)), "
          + "in: predictions)\(values)")
    }
    lines.append("    }")
    var names = names
    for port in outputs where isRanked(port) {
      let function = names.unique(
        "top" + port.property.prefix(1).uppercased() + port.property.dropFirst())
      lines += [
        "", "    /// The largest values of `\(SwiftText.comment(port.name))` with their labels.",
        "    func \(function)(_ k: Int = 5) -> [RankedClass] {",
        "      \(port.property).top(k: k, labels: \(typeName).labels)", "    }",
      ]
    }
    return lines + ["  }", ""]
  }

  private func isRanked(_ port: InterfacePort) -> Bool {
    !metadata.labels.isEmpty && port.shape.elementCount == metadata.labels.count && !isOpen
  }

  // MARK: Opening

  private var opening: [String] {
    var lines = [
      "  /// The network.", "  let network: CompiledModel",
      "  private let runner: Runner<CompiledModel>", "",
      "  /// Opens a file and checks that it has these inputs and outputs.",
      "  ///",
      "  /// - Parameters:", "  ///   - path: the model file.",
      "  ///   - weights: a file of the weights, where the format has one.",
      "  ///   - options: the options of the compile.",
      "  ///   - inflightBuffers: the most asynchronous predictions in flight.",
      "  init(",
      "    contentsOf path: String, weights: String? = nil,",
      "    options: CompileOptions = CompileOptions(), inflightBuffers: Int = 2",
      "  ) throws {",
    ]
    if importSizes.isEmpty {
      lines.append("    let file = ModelFile(path, weights: weights)")
    } else {
      lines.append("    let sizes: [String: [InputSize]] = [")
      for (name, sizes) in importSizes.sorted(by: { $0.key < $1.key }) {
        let texts = sizes.map(\.swiftText).joined(separator: ", ")
        lines.append("      \(SwiftText.literal(name)): [\(texts)],")
      }
      lines += ["    ]", "    let file = ModelFile(path, weights: weights, sizes: sizes)"]
    }
    return lines + [
      "    let network = try file.imported().model.compile(options: options)",
      "    try self.init(network, inflightBuffers: inflightBuffers)", "  }", "",
      "  /// Wraps a compiled network after a check of its inputs and outputs.",
      "  ///",
      "  /// - Parameters:", "  ///   - network: the network, such as one of a compiled file.",
      "  ///   - inflightBuffers: the most asynchronous predictions in flight.",
      "  init(_ network: CompiledModel, inflightBuffers: Int = 2) throws {",
      "    try Self.check(network)", "    self.network = network",
      "    runner = try Runner(network, inflightBuffers: inflightBuffers)", "  }", "",
    ]
  }

  private var checking: [String] {
    var lines = [
      "  /// The file has different inputs, outputs or labels from this interface.",
      "  struct Mismatch: Error, CustomStringConvertible {", "    let description: String", "  }",
      "",
      "  private typealias Port = (name: String, sizes: [Int?])",
    ]
    for (name, ports) in [("inputs", inputs), ("outputs", outputs)] {
      lines.append("  private static let \(name): [Port] = [")
      lines += ports.map { "    \($0.row)," }
      lines.append("  ]")
    }
    lines += [
      "", "  private static func check(_ network: CompiledModel) throws {",
      "    try check(\"input\", inputs, network.inputNames, network.inputShapes, isClosed: true)",
      "    try check(",
      "      \"output\", outputs, network.outputNames, network.outputShapes, isClosed: false)",
    ]
    if !metadata.labels.isEmpty {
      lines += [
        "    guard network.metadata.labels == labels else {",
        "      throw Mismatch(description: \"the file has different labels\")", "    }",
      ]
    }
    return lines + [
      "  }", "",
      "  private static func check(",
      "    _ kind: String, _ ports: [Port], _ names: [String], _ shapes: [Shape], isClosed: Bool",
      "  ) throws {",
      "    for (name, sizes) in ports {",
      "      guard let place = names.firstIndex(of: name) else {",
      "        throw Mismatch(description: \"the file has no \\(kind) \\(name.debugDescription)\")",
      "      }",
      "      // A size that predictions choose is not known here.",
      "      let found = shapes[place].dimensions",
      "      guard found.count == sizes.count,",
      "        zip(found, sizes).allSatisfy({ $0 == nil || $0 == $1 })",
      "      else {",
      "        throw Mismatch(",
      "          description: \"the \\(kind) \\(name.debugDescription) of the file is \"",
      "            + \"\\(shapes[place]), not \\(Shape(sizes))\")", "      }", "    }",
      "    for name in names where isClosed && !ports.contains(where: { $0.name == name }) {",
      "      throw Mismatch(",
      "        description: \"the file has an extra \\(kind), \\(name.debugDescription)\")",
      "    }",
      "  }", "",
      "  private static func tensor(",
      "    _ name: String, in predictions: Predictions",
      "  ) throws -> TensorValues {",
      "    guard let tensor = predictions[name] else {",
      "      throw Mismatch(description: \"there is no output \\(name.debugDescription)\")",
      "    }",
      "    return tensor", "  }", "",
    ]
  }

  private var predicting: [String] {
    [
      "  /// Predicts on the calling thread.",
      "  func predict(_ inputs: Inputs) throws -> Outputs {",
      "    try Outputs(network.predict(inputs.tensors))", "  }", "",
      "  /// Predicts on a thread of the network's; the task waits without blocking a thread.",
      "  func predict(_ inputs: Inputs) async throws -> Outputs {",
      "    try await Outputs(runner.predict(inputs.tensors))", "  }",
    ]
  }

  // MARK: Pictures

  private var pictureLines: [String] {
    guard !pictures.isEmpty else { return [] }
    let prepared = Set(pictures.map(\.property))
    let parameters =
      inputs.map { port in
        prepared.contains(port.property)
          ? "\(port.property): Image" : "\(port.property): [\(port.element)]"
      } + sizes.map { "\($0.property): Int = \($0.largest)" }
    var lines = [
      "", "extension \(typeName).Inputs {",
      "  /// Creates inputs with pictures, which are prepared as the file states it.",
    ]
    lines += Self.function("init", parameters, " throws {", indent: 2)
    let arguments =
      inputs.map { "\($0.property): \(argument($0))" }
      + sizes.map { "\($0.property): \($0.property)" }
    lines.append("    try self.init(")
    lines += arguments.dropLast().map { "      \($0)," }
    if let last = arguments.last { lines.append("      \(last))") }
    return lines + ["  }", "}"]
  }

  /// A property of the inputs: what was given, or the values of a picture.
  private func argument(_ port: InterfacePort) -> String {
    guard var picture = port.picture, pictures.contains(where: { $0.property == port.property })
    else { return port.property }
    picture.width = picture.width ?? port.shape.width
    picture.height = picture.height ?? port.shape.height
    let call = SwiftMetadata.call(picture)
    return "\(port.property).values(\n"
      + "        prepared: ImagePreparation(\(call))\n      ).values"
  }

  /// A function whose parameters are in further lines if they are too long for one.
  private static func function(
    _ name: String, _ parameters: [String], _ end: String, indent: Int
  ) -> [String] {
    let space = String(repeating: " ", count: indent)
    let line = "\(space)\(name)(\(parameters.joined(separator: ", ")))\(end)"
    if line.count <= 100 { return [line] }
    var lines = ["\(space)\(name)("]
    for (place, parameter) in parameters.enumerated() {
      lines.append("\(space)  \(parameter)\(place + 1 < parameters.count ? "," : "")")
    }
    return lines + ["\(space))\(end)"]
  }
}
