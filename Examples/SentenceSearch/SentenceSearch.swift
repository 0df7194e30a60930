import ArgumentParser
import Forge
import ForgeHub
import Foundation

/// Finds the sentences nearest to a question in meaning.
@main
struct SentenceSearch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "SentenceSearch",
    abstract: "Finds the sentences nearest to a question in meaning.",
    discussion: """
      It embeds a question and a list of sentences with a folder of the Hugging Face Hub, such as \
      all-MiniLM-L6-v2, and prints the sentences of the smallest angle to the question, with the \
      cosines. Without a question it answers three of its own. Model/README.md says how to get a \
      folder.
      """)

  @Argument(help: "The questions.")
  var questions: [String] = []

  @Option(help: ArgumentHelp("The folder of the model.", valueName: "dir"))
  var model = ".build/minilm"

  @Option(help: ArgumentHelp("A file with one sentence a line.", valueName: "file"))
  var sentences: String?

  @Option(help: "How many of the nearest sentences to print.")
  var count = 3

  @Option(
    help: ArgumentHelp(
      "Write the embeddings of all lines to a .npy file instead, empty lines included.",
      valueName: "file"))
  var embed: String?

  @Flag(help: "Print the token ids of all lines instead, empty lines included.")
  var ids = false

  func validate() throws {
    guard count > 0 else { throw ValidationError("--count must be at least 1") }
    guard questions.isEmpty || (embed == nil && !ids) else {
      throw ValidationError("--embed and --ids take no question")
    }
  }

  func run() throws {
    let path = sentences ?? resource("sentences.txt")
    let text = try TextLines(contentsOf: path)
    let encoder = try openEncoder()
    if ids {
      for line in text.lines {
        print(try encoder.hub.encode(line).ids.map(String.init).joined(separator: " "))
      }
    }
    if let embed {
      let embeddings = try embeddings(of: text.lines, encoder)
      let array = try NumPyArray(
        Array(embeddings.joined()), sizes: [embeddings.count, encoder.dimensions])
      try array.write(to: embed)
      print("\(embed): \(embeddings.count) embeddings of \(encoder.dimensions) numbers")
    }
    if !ids, embed == nil { try search(in: text.sentences, path, encoder) }
  }

  /// Opens the folder: tokenizer, network and pooling.
  private func openEncoder() throws -> TextEncoder {
    let files = ["config.json", "modules.json"].map { "\(model)/\($0)" }
    guard files.contains(where: FileManager.default.fileExists(atPath:)) else {
      throw SearchProblem(
        description: "There is no model in \(model); this fetches one: "
          + "python3 Examples/SentenceSearch/Model/fetch.py --output \(model)")
    }
    return try TextEncoder(contentsOf: model)
  }

  /// The embeddings of sentences, in their order.
  private func embeddings(of sentences: [String], _ encoder: TextEncoder) throws -> [[Float]] {
    let embeddings = try encoder.embed(sentences)
    guard embeddings.allSatisfy({ $0.allSatisfy(\.isFinite) }) else {
      throw SearchProblem(description: "\(model): the embedding of a sentence is not finite")
    }
    return embeddings
  }

  /// Prints the nearest sentences of each question.
  private func search(in lines: [String], _ path: String, _ encoder: TextEncoder) throws {
    // A line without a word has only the tokens that are added to every text.
    let sentences = try lines.filter {
      try encoder.hub.encode($0).specialTokensMask.contains(0)
    }
    guard !sentences.isEmpty else {
      throw SearchProblem(description: "\(path): there is no sentence")
    }
    let questions =
      self.questions.isEmpty
      ? try TextLines(contentsOf: resource("questions.txt")).lines : self.questions
    let embeddings = try embeddings(of: sentences + questions, encoder)
    for (question, embedding) in zip(questions, embeddings.suffix(questions.count)) {
      print(question)
      let cosines = embeddings.prefix(sentences.count).map { TextEncoder.cosine(embedding, $0) }
      for index in cosines.indices.sorted(by: { cosines[$0] > cosines[$1] }).prefix(count) {
        let length = Int((max(cosines[index], 0) * 20).rounded())
        let bar = String(repeating: "█", count: length) + String(repeating: " ", count: 20 - length)
        print(String(format: "  %5.2f  %@  %@", cosines[index], bar, sentences[index]))
      }
    }
  }

  private func resource(_ name: String) -> String {
    Bundle.module.bundleURL.appendingPathComponent("Resources/\(name)").path
  }
}
