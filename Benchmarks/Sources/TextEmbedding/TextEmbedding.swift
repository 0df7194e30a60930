import Forge
import ForgeHub
import Foundation

// What Scripts/check hub runs: the vectors of the texts in a file.
//
// Usage: TextEmbedding FOLDER TEXTS OUTPUT [THREADS]
// FOLDER is one of the Hub, TEXTS a JSON list of strings, OUTPUT the .npy file that is written.
// It prints the seconds from opening the folder to the compiled network, and those for all texts.

@main
enum TextEmbeddingProgram {
  static func main() {
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      guard arguments.count >= 3 else {
        throw Failure("TextEmbedding FOLDER TEXTS OUTPUT [THREADS]")
      }
      let data = try Data(contentsOf: URL(fileURLWithPath: arguments[1]))
      let texts = try JSONDecoder().decode([String].self, from: data)
      let clock = ContinuousClock()
      let start = clock.now
      let encoder = try TextEncoder(
        contentsOf: arguments[0], threads: arguments.count > 3 ? Int(arguments[3]) : nil)
      let opened = clock.now
      let vectors = try encoder.embed(texts)
      print(seconds(opened - start), seconds(clock.now - opened))
      try NumPyArray(Array(vectors.joined()), sizes: [vectors.count, encoder.dimensions])
        .write(to: arguments[2])
    } catch {
      FileHandle.standardError.write(Data("Error: \(error)\n".utf8))
      exit(1)
    }
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  private static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }
}
