import ArgumentParser
import Forge
import ForgeHub
import ForgeImporters
import ForgeToolSupport

/// Makes vectors of texts by a folder of the Hub.
struct EmbedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "embed",
    abstract: "Computes vectors of texts with a model folder of the Hugging Face Hub.",
    discussion: """
      Without --output, the cosines of the angles between the vectors are printed, or the vector \
      of a single text.

      EXAMPLES
        forge embed all-MiniLM-L6-v2 "Swallows leave." "Birds migrate in autumn."
        forge embed multilingual-e5-small --prompt query --lines queries.txt --output q.npy
      """)

  @Argument(help: ArgumentHelp("The folder.", valueName: "folder"), completion: .directory)
  var folder: String

  @OptionGroup var texts: TextArguments
  @OptionGroup var quantization: QuantizationArgument

  @Option(help: "The name of the folder's prompt to put before each text: query, passage.")
  var prompt: String?

  @Option(help: "The number of values of a vector that are kept; all by default.")
  var dimensions: Int?

  @Option(help: "The threads that share the texts.")
  var threads: Int?

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Where to write the vectors as .npy [texts][dimensions].", valueName: "npy"))
  var output: String?

  /// The most texts whose cosines are printed.
  private static let mostPrinted = 20

  func validate() throws {
    guard threads ?? 1 >= 1 else { throw ValidationError("threads must be 1 or more") }
  }

  func run() throws {
    let texts = try texts.all()
    var options = CompileOptions()
    options.quantization = try quantization.table
    let encoder = try Progress.during("compiling \(folder)") {
      try TextEncoder(
        contentsOf: folder, dimensions: dimensions, threads: threads, options: options)
    }
    let vectors = try encoder.embed(texts, prompt: prompt)
    if let output {
      try StoredTensor(
        floats: vectors.flatMap(\.self), sizes: [vectors.count, encoder.dimensions]
      ).write(to: output)
      return print("\(vectors.count) vectors of \(encoder.dimensions) numbers in \(output)")
    }
    guard vectors.count > 1 else {
      return print(vectors[0].map { "\($0)" }.joined(separator: " "))
    }
    guard vectors.count <= Self.mostPrinted else {
      throw ValidationError(
        "give --output: cosines are printed for at most \(Self.mostPrinted) texts")
    }
    for (index, (text, vector)) in zip(texts, vectors).enumerated() {
      let cosines = vectors.prefix(index).map { other in
        let hundredths = Int((TextEncoder.cosine(vector, other) * 100).rounded())
        let digits = "\(hundredths.magnitude % 100)"
        return (hundredths < 0 ? "-" : " ") + "\(hundredths.magnitude / 100)."
          + (digits.count == 1 ? "0" : "") + digits
      }
      print((cosines + ["  \(text.printable)"]).joined(separator: "  "))
    }
  }
}
