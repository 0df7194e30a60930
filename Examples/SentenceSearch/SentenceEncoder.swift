import Forge
import Foundation

/// Makes embeddings of sentences with a converted model.
final class SentenceEncoder {
  let tokenizer: WordPieceTokenizer
  private let weights: SafeTensorsParameters
  /// Takes sentences of any number of tokens, in the memory of the longest.
  private let network: CompiledModel

  /// Opens a folder that `Conversion/convert.py` has written.
  init(folder: String) throws {
    let files = ["model.safetensors", "vocabulary.txt"].map { "\(folder)/\($0)" }
    guard files.allSatisfy(FileManager.default.fileExists(atPath:)) else {
      throw SearchProblem(
        description: "There is no model in \(folder); this makes it: "
          + "python3 Examples/SentenceSearch/Conversion/convert.py --output \(folder)")
    }
    tokenizer = try WordPieceTokenizer(vocabulary: files[1])
    weights = try SafeTensorsParameters(files[0])
    network = try SentenceNetwork(vocabulary: tokenizer.count).model.compile(parameters: weights)
  }

  /// The embeddings of sentences, in their order.
  func embeddings(of sentences: [String]) throws -> [[Float]] {
    try sentences.map { sentence in
      let values = try network.predict(tokenizer.ids(of: sentence).map(Float.init))
      guard values.allSatisfy(\.isFinite) else {
        throw SearchProblem(
          description: "\(weights.file.path): the embedding of a sentence is not finite")
      }
      return values
    }
  }
}
