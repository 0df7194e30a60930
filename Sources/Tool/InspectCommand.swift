import ArgumentParser
import Forge
import ForgeImporters
import ForgeToolSupport

/// Lists the contents of a model file or of a weight file.
struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Lists what a model file or a weight file holds.",
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
    if !weightsOnly, try inspectModel() { return }
    try inspectWeights()
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
    for (label, ports) in [("input", imported.inputs), ("output", imported.outputs)] {
      for port in ports {
        let batch = port.batchSize.map { ", batches of \($0)" } ?? ""
        let sizes = port.sizesText + batch
        let about = port.about.map { "\n\($0.printable)" } ?? ""
        Self.show(
          ModelFact(label, "\(port.name.printable)  \(sizes)  \(port.elementType.rawValue)\(about)")
        )
      }
    }
    for constant in imported.constants {
      let sizes = StoredTensor.text(of: constant.values.sizes)
      let type = constant.values.elementType.rawValue
      Self.show(ModelFact("output", "\(constant.name.printable)  \(sizes)  \(type)  constant"))
    }
    for name in imported.ignoredInputs {
      Self.show(ModelFact("input", "\(name.printable)  changes no output"))
    }
    for (name, stated) in imported.model.metadata.pictures.sorted(by: { $0.key < $1.key }) {
      Self.show(ModelFact("pictures", "\(name.printable): \(stated)"))
    }
    let labels = imported.model.metadata.labels
    if !labels.isEmpty { Self.show(ModelFact("labels", "\(labels.count)")) }
    Self.show(ModelFact("network", ModelFacts(imported.model).line))
    var counts: [String: Int] = [:]
    for node in NetworkGraph(imported.model, title: file).nodes where node.role != .input {
      counts[node.type, default: 0] += 1
    }
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let layers = sorted.map { "\($0.key) ×\($0.value)" }.joined(separator: ", ")
    if !layers.isEmpty { Self.show(ModelFact("layers", layers)) }
    return true
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
