import ArgumentParser
import Forge
import Foundation

/// Finds the sentences nearest to a question in meaning.
@main
struct SentenceSearch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "SentenceSearch",
    abstract: "Finds the sentences nearest to a question in meaning.",
    discussion: """
      It embeds a question and a list of sentences with all-MiniLM-L6-v2 and prints the sentences \
      of the smallest angle to the question, with the cosines. Without a question it answers three \
      of its own. Conversion/README.md says how the model gets into its folder.
      """)

  @Argument(help: "The questions.")
  var questions: [String] = []

  @Option(help: ArgumentHelp("The folder of the converted model.", valueName: "dir"))
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
    let lines = text.lines
    let encoder = try SentenceEncoder(folder: model)
    if ids {
      for line in lines {
        print(encoder.tokenizer.ids(of: line).map(String.init).joined(separator: " "))
      }
    }
    if let embed {
      let embeddings = try encoder.embeddings(of: lines)
      let array = try NumPyArray(
        Array(embeddings.joined()), sizes: [lines.count, SentenceNetwork.channels])
      try array.write(to: embed)
      print("\(embed): \(lines.count) embeddings of \(SentenceNetwork.channels) numbers")
    }
    if !ids, embed == nil { try search(in: text.sentences, path, encoder) }
  }

  /// Prints the nearest sentences of each question.
  private func search(in sentences: [String], _ path: String, _ encoder: SentenceEncoder) throws {
    guard !sentences.isEmpty else {
      throw SearchProblem(description: "\(path): there is no sentence")
    }
    let questions =
      self.questions.isEmpty
      ? try TextLines(contentsOf: resource("questions.txt")).lines : self.questions
    let embeddings = try encoder.embeddings(of: sentences + questions)
    for (question, embedding) in zip(questions, embeddings.suffix(questions.count)) {
      print(question)
      let cosines = embeddings.prefix(sentences.count).map { cosine(embedding, $0) }
      for index in cosines.indices.sorted(by: { cosines[$0] > cosines[$1] }).prefix(count) {
        let length = Int((max(cosines[index], 0) * 20).rounded())
        let bar = String(repeating: "█", count: length) + String(repeating: " ", count: 20 - length)
        print(String(format: "  %5.2f  %@  %@", cosines[index], bar, sentences[index]))
      }
    }
  }

  /// The cosine of the angle between two vectors of length 1.
  private func cosine(_ a: [Float], _ b: [Float]) -> Float {
    min(zip(a, b).reduce(0) { $0 + $1.0 * $1.1 }, 1)
  }

  private func resource(_ name: String) -> String {
    Bundle.module.bundleURL.appendingPathComponent("Resources/\(name)").path
  }
}
