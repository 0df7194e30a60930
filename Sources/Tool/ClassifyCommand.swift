import ArgumentParser
import Forge
import ForgeHub

/// Says the label of texts by a folder of the Hub.
struct ClassifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "classify",
    abstract: "Prints labels or entities of texts, with a model folder of the Hugging Face Hub.",
    discussion: """
      With a folder for token classification it prints entities, with any other the labels that \
      have the highest scores, one line per text.

      EXAMPLES
        forge classify sentiment "What a fine day!"
        forge classify bert-base-NER --lines letters.txt
      """)

  @Argument(help: ArgumentHelp("The folder.", valueName: "folder"), completion: .directory)
  var folder: String

  @OptionGroup var texts: TextArguments

  @Option(help: "The labels of each text.")
  var top = 1

  @Option(help: "The threads that share the texts.")
  var threads: Int?

  func validate() throws {
    guard threads ?? 1 >= 1 else { throw ValidationError("threads must be 1 or more") }
    guard top >= 1 else { throw ValidationError("top must be 1 or more") }
  }

  func run() throws {
    let texts = try texts.all()
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
