import Forge
import Foundation

/// Makes embeddings of sentences with a converted model.
final class SentenceEncoder {
  let tokenizer: WordPieceTokenizer
  private let weights: SafeTensorsParameters
  private let network: SentenceNetwork
  /// Networks by their number of tokens, the one used last at the end.
  private var compiled: [(tokens: Int, network: CompiledModel)] = []

  /// The number of networks that are kept.
  private static let kept = 4

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
    network = SentenceNetwork(vocabulary: tokenizer.count)
  }

  /// The embeddings of sentences, in their order.
  func embeddings(of sentences: [String]) throws -> [[Float]] {
    let ids = sentences.map(tokenizer.ids)
    var result = [[Float]](repeating: [], count: sentences.count)
    // Sentences of one length follow each other, so that each network is compiled once.
    for index in ids.indices.sorted(by: { ids[$0].count < ids[$1].count }) {
      let values = try network(ofLength: ids[index].count).predict(ids[index].map(Float.init))
      guard values.allSatisfy(\.isFinite) else {
        throw SearchProblem(
          description: "\(weights.file.path): the embedding of a sentence is not finite")
      }
      result[index] = values
    }
    return result
  }

  /// The network for a number of tokens: the only place that chooses a length.
  private func network(ofLength tokens: Int) throws -> CompiledModel {
    if let index = compiled.firstIndex(where: { $0.tokens == tokens }) {
      compiled.append(compiled.remove(at: index))
    } else {
      if compiled.count == Self.kept { compiled.removeFirst() }
      compiled.append(
        (tokens, try network.model(tokens: tokens).compile(parameters: weights)))
    }
    return compiled[compiled.count - 1].network
  }
}
