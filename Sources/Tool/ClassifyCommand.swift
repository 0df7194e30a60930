import ArgumentParser
import Forge
import ForgeHub
import ForgeImages

/// Classifies texts or pictures with a folder of the Hub, or pictures with a model file.
struct ClassifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "classify",
    abstract: """
      Prints labels or entities of texts, or labels of pictures, with a model folder of the \
      Hugging Face Hub; or labels of pictures with a model file.
      """,
    discussion: """
      A folder for token classification prints entities; any other prints the labels with the \
      highest scores, one line per text. With ViT, DINOv2 or CLIP the arguments are picture files; \
      CLIP takes its labels from --label. A model file, or a ready architecture, classifies \
      pictures; --preset says what it was trained with.

      EXAMPLES
        forge classify sentiment "What a fine day!"
        forge classify bert-base-NER --lines letters.txt
        forge classify vit-base-patch16-224 cat.jpg dog.png --top 3
        forge classify clip-vit-base cat.jpg --label "a cat" --label "a dog"
        forge classify net.onnx cat.jpg --preset torch --crop center --labels imagenet.txt
      """)

  @Argument(
    help: ArgumentHelp(
      "The folder, or for pictures a model file or a compiled file.", valueName: "folder|file"),
    completion: .file())
  var folder: String

  @OptionGroup var texts: TextArguments
  @OptionGroup var importing: ImportArguments
  @OptionGroup var pictures: PictureArguments
  @OptionGroup var caching: CacheArguments

  @Option(help: LabelsFile.help)
  var labels: String?

  @Flag(help: "The outputs of a model file are scores; a softmax turns them into probabilities.")
  var softmax = false

  @Option(help: "The labels of each text or picture.")
  var top = 1

  @Option(
    help: ArgumentHelp("A label of pictures, for CLIP; can be repeated.", valueName: "text"))
  var label: [String] = []

  @Option(help: "Threads for the texts, or for the prediction of a picture.")
  var threads: Int?

  func validate() throws {
    guard threads ?? 1 >= 1 else { throw ValidationError("threads must be 1 or more") }
    guard top >= 1 else { throw ValidationError("top must be 1 or more") }
  }

  func run() throws {
    let texts = try texts.all()
    if let argument = NetworkArgument(argument: folder), !argument.isFolder {
      return try classify(texts, by: argument)
    }
    guard caching.given.isEmpty else { throw ValidationError("--cache is for model files") }
    if let pictures = try PictureClassifier(folder, labels: label) {
      return try pictures.forEach(texts) { ranks in
        print(ranks.prefix(top).map { "\($0)" }.joined(separator: "  "))
      }
    }
    guard label.isEmpty else { throw ValidationError("--label needs pictures and a CLIP network") }
    if try HubModel(contentsOf: folder).head == .tokenClassification {
      return try printEntities(of: texts)
    }
    let classifier = try Progress.during("compiling \(folder)") {
      try TextClassifier(contentsOf: folder, threads: threads)
    }
    for ranks in try classifier.classify(texts) {
      print(ranks.prefix(top).map { "\($0)" }.joined(separator: "  "))
    }
  }

  /// Classifies picture files by a model file.
  private func classify(_ files: [String], by argument: NetworkArgument) throws {
    guard label.isEmpty else { throw ValidationError("--label needs pictures and a CLIP network") }
    let network = try argument.opened(importing, NetworkOptions(threads: threads, caching))
    let preparation = try pictures.preparation(network)
    let task = try ImageTask.classifier(
      network.compiled(tellsOfRandom: true), preparation: preparation,
      labels: labels.map { try LabelsFile.names(at: $0) } ?? network.metadata.labels,
      top: top, appliesSoftmax: softmax)
    for file in files {
      let ranks = try task.predict(contentsOf: file)
      print(ranks.map { "\($0)" }.joined(separator: "  "))
    }
  }

  private func printEntities(of texts: [String]) throws {
    let classifier = try Progress.during("compiling \(folder)") {
      try TokenClassifier(contentsOf: folder, threads: threads)
    }
    for (text, entities) in zip(texts, try classifier.entities(in: texts)) {
      for entity in entities {
        let start = text.utf8.distance(from: text.startIndex, to: entity.range.lowerBound)
        let end = text.utf8.distance(from: text.startIndex, to: entity.range.upperBound)
        let score = Int((entity.score * 100).rounded())
        print("\(entity.label.printable)  \(score) %  \(start)..<\(end)  \(entity.text.printable)")
      }
      if texts.count > 1 { print("") }
    }
  }
}
