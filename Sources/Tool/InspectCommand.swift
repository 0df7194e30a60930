import ArgumentParser
import Forge
import ForgeImporters
import ForgeToolSupport

/// Lists the contents of a model file or of a weight file.
struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Lists what a model file, a compiled file or a weight file holds.",
    discussion: """
      Model files: \(ModelFile.formatNames.joined(separator: ", ")). Weight files: \
      HDF5, safetensors, NumPy, Keras archives, folders of .npy or .bin. A file that is both is \
      listed as a model; --weights-only lists its weights.

      EXAMPLES
        forge inspect net.onnx
        forge inspect mobilenet.safetensors
      """)

  @Argument(help: "The file.", completion: .file())
  var file: String

  @OptionGroup var importing: ImportArguments

  @Flag(help: "List the arrays of a file that also holds a network.")
  var weightsOnly = false

  func run() throws {
    if NetworkArgument.isCompiled(file) { return try inspectCompiledFile() }
    if !weightsOnly, try inspectModel() { return }
    try inspectWeights()
  }

  /// Lists a compiled file.
  private func inspectCompiledFile() throws {
    guard !weightsOnly else { throw ToolError.noLayers(in: file) }
    let network = try NetworkArgument.file(path: file).opened(
      importing, NetworkOptions(CompileOptions()))
    let compiled = try network.compiled()
    Self.show(ModelFact("format", "a compiled file of Forge"))
    Self.show(
      ModelFact(
        "plan",
        "\(LoadError.counted(compiled.report.steps.count, "step")) for "
          + "\(compiled.instructionSet.rawValue), \(compiled.report.precision.argument), "
          + "at most \(LoadError.counted(compiled.threads, "thread")) and "
          + LoadError.counted(compiled.maximumBatch, "example")))
    for fact in network.metadata.facts { Self.show(fact) }
    Self.show(network.interface, network.metadata)
    Self.show(network.outline)
  }

  /// Lists a model; returns whether the file is one.
  private func inspectModel() throws -> Bool {
    let model = try importing.modelFile(file)
    guard (try? model.format()) != nil else {
      // What holds no weights either has the better error here.
      if (try? WeightFile(file)) == nil { _ = try model.format() }
      return false
    }
    let imported: ImportedModel
    do {
      imported = try Progress.during("importing \(file)") { try model.imported() }
    } catch {
      if (try? WeightFile(file)) != nil, (try? model.facts())?.count ?? 0 <= 1 { return false }
      if let facts = try? model.facts() { facts.forEach(Self.show) }
      throw error
    }
    let facts = try model.facts()
    for fact in facts { Self.show(fact) }
    // What the format says in its own words is not said again.
    for fact in imported.metadataFacts
    where !facts.contains(where: { $0.label == fact.label || $0.text.contains(fact.text) }) {
      Self.show(fact)
    }
    Self.show(FileInterface(imported), imported.model.metadata)
    Self.show(NetworkOutline(Inference(imported.model)))
    return true
  }

  /// Shows the inputs and outputs, and what is known of them.
  private static func show(_ interface: FileInterface, _ metadata: ModelMetadata) {
    for (label, ports) in [("input", interface.inputs), ("output", interface.outputs)] {
      for port in ports {
        let batch = port.batchSize.map { ", batches of \($0)" } ?? ""
        let sizes = port.sizesText + batch
        let about = port.about.map { "\n\($0.printable)" } ?? ""
        show(
          ModelFact(label, "\(port.name.printable)  \(sizes)  \(port.elementType.rawValue)\(about)")
        )
      }
    }
    for constant in interface.constants {
      let sizes = StoredTensor.text(of: constant.values.sizes)
      let type = constant.values.elementType.rawValue
      show(ModelFact("output", "\(constant.name.printable)  \(sizes)  \(type)  constant"))
    }
    for name in interface.ignoredInputs {
      show(ModelFact("input", "\(name.printable)  does not affect any output"))
    }
    for (name, stated) in metadata.pictures.sorted(by: { $0.key < $1.key }) {
      show(ModelFact("pictures", "\(name.printable): \(stated)"))
    }
    if !metadata.labels.isEmpty { show(ModelFact("labels", "\(metadata.labels.count)")) }
  }

  /// Shows the numbers of a network, and its layers by type.
  private static func show(_ outline: NetworkOutline) {
    show(ModelFact("network", outline.line))
    var counts: [String: Int] = [:]
    for node in outline.nodes where !node.isInput { counts[node.type, default: 0] += 1 }
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let layers = sorted.map { "\($0.key) ×\($0.value)" }.joined(separator: ", ")
    if !layers.isEmpty { show(ModelFact("layers", layers)) }
  }

  private static func show(_ fact: ModelFact) {
    let label = fact.label.padding(to: 9)
    print("\(label)  \(fact.text.replacing("\n", with: "\n           "))")
  }

  private func inspectWeights() throws {
    let weights = try WeightFile(file)
    for entry in weights.entries {
      print(entry)
      if let problem = entry.problem { print("  \(problem)".replacing("\n", with: "\n  ")) }
    }
    let count = weights.entries.count
    let entries = count == 1 ? "1 entry" : "\(count) entries"
    let bytes = weights.entries.reduce(0) { $0 + $1.byteCount }
    print("\(weights.format.rawValue): \(entries), \(LoadError.bytes(bytes))")
    let isDamaged = weights.entries.contains { [.damaged, .wrongSize].contains($0.problem?.kind) }
    if isDamaged { throw ExitCode.failure }
  }
}
