import ArgumentParser
import ForgeHub
import Foundation

/// Finds the people, places and organizations that texts name.
@main
struct Entities: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Entities",
    abstract: "Finds the people, places and organizations that texts name.",
    discussion: """
      Each line has the label, the score, the place in the text in characters, and the name. The \
      network of the example, which Training/train.py has trained, is small and knows only \
      sentences like its own; --model takes a folder of the Hugging Face Hub for token \
      classification, such as bert-base-NER.
      """)

  @Argument(help: "The texts.")
  var texts: [String] = [
    "Ada Lovelace moved from London to Turku.", "Yesterday Karl Weber met Mira Sato in Quito.",
    "The head of Nova Airlines is Greta Novak.",
  ]

  @Option(help: ArgumentHelp("The folder of the model.", valueName: "dir"))
  var model: String?

  func run() throws {
    let folder = model ?? Bundle.module.bundleURL.appendingPathComponent("Resources/model").path
    let classifier = try TokenClassifier(contentsOf: folder)
    for (text, entities) in zip(texts, try classifier.entities(in: texts)) {
      print(text)
      for entity in entities {
        let start = text.distance(from: text.startIndex, to: entity.range.lowerBound)
        let end = text.distance(from: text.startIndex, to: entity.range.upperBound)
        let score = String(format: "%.4f", entity.score)
        print("  \(entity.label)  \(score)  \(start)..<\(end)  \(entity.text)")
      }
    }
  }
}
