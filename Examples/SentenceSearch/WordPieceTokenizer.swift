import Foundation

/// Splits text into pieces of words and numbers them, as BERT's uncased tokenizer does.
///
/// Text is cleaned of control characters, split at white space, punctuation and ideographs, put in
/// lower case and freed of accents. Each word is then cut from left to right into the longest
/// pieces of the vocabulary; pieces within a word begin with `##` there. A word that cannot be cut
/// is unknown.
struct WordPieceTokenizer {
  /// The ids of a sentence are at most so many; what comes after is left out.
  let maximumCount: Int
  /// The number of pieces.
  var count: Int { pieces.count }

  // Keyed by UTF-8: two strings that differ in their composition only are two pieces.
  private let pieces: [ArraySlice<UInt8>: Int]
  private let unknown: Int
  private let start: Int
  private let end: Int
  /// Ids of names that stand for themselves where a text has them.
  private let names: [(name: [Unicode.Scalar], id: Int)]

  /// The longest word in scalars; longer ones are unknown.
  private static let longestWord = 100

  /// Reads a vocabulary: one piece a line, whose id is the number of its line.
  init(vocabulary path: String, maximumCount: Int = 256) throws {
    var pieces: [ArraySlice<UInt8>: Int] = [:]
    let lines = try TextLines(contentsOf: path).lines
    for (id, line) in lines.enumerated() { pieces[ArraySlice(line.utf8)] = id }
    guard pieces.count == lines.count else {
      throw SearchProblem(description: "\(path): a piece of a word is there twice")
    }
    func id(_ name: String) throws -> Int {
      guard let id = pieces[ArraySlice(name.utf8)] else {
        throw SearchProblem(description: "\(path): not a vocabulary: there is no \(name)")
      }
      return id
    }
    self.pieces = pieces
    self.maximumCount = maximumCount
    unknown = try id("[UNK]")
    start = try id("[CLS]")
    end = try id("[SEP]")
    names = try ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].map { name in
      (Array(name.unicodeScalars), try id(name))
    }
  }

  /// The ids of a text, between those of `[CLS]` and `[SEP]`.
  func ids(of text: String) -> [Int] {
    var ids = [start]
    var part = String.UnicodeScalarView()
    var rest = Array(text.unicodeScalars)[...]
    while let first = rest.first, ids.count < maximumCount {
      if first == "[", let found = names.first(where: { rest.starts(with: $0.name) }) {
        appendIDs(of: part, to: &ids)
        part.removeAll()
        ids.append(found.id)
        rest = rest.dropFirst(found.name.count)
      } else {
        part.append(first)
        rest = rest.dropFirst()
      }
    }
    appendIDs(of: part, to: &ids)
    return ids.prefix(max(maximumCount - 1, 1)) + [end]
  }

  /// Appends the ids of a text without names.
  private func appendIDs(of text: String.UnicodeScalarView, to ids: inout [Int]) {
    for word in CharacterClass.words(of: text) {
      guard ids.count < maximumCount else { return }
      ids += self.ids(ofWord: word)
    }
  }

  /// The ids of a word: the longest piece first, then the longest of the rest.
  private func ids(ofWord word: [Unicode.Scalar]) -> [Int] {
    guard word.count <= Self.longestWord else { return [unknown] }
    var ids: [Int] = []
    var start = 0
    while start < word.count {
      var text = String.UnicodeScalarView()
      text.append(contentsOf: word[start...])
      var key = ArraySlice((start == 0 ? "" : "##").utf8) + ArraySlice(String(text).utf8)
      var end = word.count
      while end > start, pieces[key] == nil {
        end -= 1
        key = key.dropLast(UTF8.width(word[end]))
      }
      guard end > start, let id = pieces[key] else { return [unknown] }
      ids.append(id)
      start = end
    }
    return ids
  }
}
