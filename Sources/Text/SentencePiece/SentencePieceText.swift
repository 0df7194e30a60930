/// The way of SentencePiece from a text to pieces and back, which differs from that of
/// `tokenizers` in normalization, in its arithmetic of 32 bits, and in ties.
struct SentencePieceText: Sendable {
  private let rules: CharacterMap?
  private let decodingRules: CharacterMap?
  /// Symbols of the user, which no rule changes.
  private let symbols: ByteTrie?
  private let pieces: any SentencePieceModel
  private let kinds: [SentencePieceFile.Kind]
  private let byteIds: [Int32]
  private let addsSpace: Bool
  private let removesSpaces: Bool
  private let putsSpaceBehind: Bool
  private let space: [UInt8]
  private let unknownSurface: String
  private let usesBytes: Bool

  private static let mark: [UInt8] = [0xE2, 0x96, 0x81]

  init(_ file: SentencePieceFile) {
    (rules, decodingRules, kinds) = (file.rules, file.decodingRules, file.kinds)
    (addsSpace, removesSpaces) = (file.addsSpace, file.removesSpaces)
    (putsSpaceBehind, unknownSurface) = (file.putsSpaceBehind, file.unknownSurface)
    usesBytes = file.usesBytes
    space = file.escapesSpaces ? Self.mark : [0x20]
    let userPieces = file.kinds.indices.filter { file.kinds[$0] == .userDefined }
    symbols =
      userPieces.isEmpty ? nil : ByteTrie(userPieces.map { (file.table.token($0), Int32($0)) })
    var byteIds = [Int32](repeating: -1, count: 256)
    for index in file.kinds.indices where file.kinds[index] == .byte {
      let name = String(decoding: file.table.token(index), as: UTF8.self)
      if let byte = ByteFallbackDecoder.byte(name) { byteIds[Int(byte)] = Int32(index) }
    }
    self.byteIds = byteIds
    pieces =
      file.model == .bpe
      ? SentencePieceBPE(file, symbols: symbols) : SentencePieceUnigram(file)
  }

  // MARK: Normalization

  /// The longest prefix that is a symbol of the user.
  static func symbol(
    _ symbols: ByteTrie?, _ text: UnsafeBufferPointer<UInt8>, _ position: Int
  ) -> Int? {
    guard let symbols else { return nil }
    return symbols.withReader { trie in
      var (node, next, found) = (0, position, Int?.none)
      while next < text.count {
        node = trie.child(of: node, text[next])
        if node == 0 { break }
        next += 1
        if trie.value(node) >= 0 { found = next - position }
      }
      return found
    }
  }

  /// Calls a closure with what the text at a place becomes, and returns how much of it.
  @inline(__always)
  private func prefix(
    _ text: UnsafeBufferPointer<UInt8>, _ position: Int,
    _ body: (Slice<UnsafeBufferPointer<UInt8>>) -> Void
  ) -> Int {
    if let length = Self.symbol(symbols, text, position) {
      body(text[position..<position + length])
      return length
    }
    if let rules, let (length, new) = rules.longest(text, position..<text.count) {
      new.withUnsafeBufferPointer { body($0[0..<$0.count]) }
      return length
    }
    let width = UTF8Bytes.width(text[position])
    body(text[position..<position + width])
    return width
  }

  /// The normalized text, and for each of its bytes and its end the place in the original one.
  func normalize(_ original: [UInt8]) -> (text: [UInt8], places: [Int32]) {
    var result: [UInt8] = []
    var places: [Int32] = []
    result.reserveCapacity(original.count + original.count / 2)
    places.reserveCapacity(original.count + original.count / 2)
    original.withUnsafeBufferPointer { text in
      var position = 0
      if removesSpaces {
        while position < text.count {
          var isSpace = false
          let length = prefix(text, position) { isSpace = $0.count == 1 && $0.first == 0x20 }
          guard isSpace else { break }
          position += length
        }
      }
      guard position < text.count else { return }
      func addSpace() {
        result += space
        for _ in space { places.append(Int32(position)) }
      }
      if addsSpace, !putsSpaceBehind { addSpace() }
      var isAfterSpace = removesSpaces
      while position < text.count {
        let length = prefix(text, position) { part in
          var part = part
          while isAfterSpace, part.first == 0x20 { part = part.dropFirst() }
          guard let last = part.last else { return }
          for byte in part {
            if byte == 0x20 {
              addSpace()
            } else {
              result.append(byte)
              places.append(Int32(position))
            }
          }
          isAfterSpace = last == 0x20
        }
        position += length
        if !removesSpaces { isAfterSpace = false }
      }
      if removesSpaces {
        while result.count >= space.count, result.suffix(space.count).elementsEqual(space) {
          position = Int(places[result.count - space.count])
          result.removeLast(space.count)
          places.removeLast(space.count)
        }
      }
      if addsSpace, putsSpaceBehind { addSpace() }
      places.append(Int32(position))
    }
    return (result, places)
  }

  // MARK: TokenizedText

  /// The pieces of a text.
  func encode(
    _ bytes: [UInt8], _ core: TokenizerCore, type: Int32, word: Int32?, _ workspace: Workspace
  ) throws(TokenizerError) -> TokenizedText {
    let (text, places) = normalize(bytes)
    guard text.count <= core.limits.textBytes else {
      throw TokenizerError(.invalidText, "the text is too long")
    }
    let result = text.withUnsafeBufferPointer { bytes in
      Result { () throws(TokenizerError) in
        try pieces.tokenize(bytes, into: &workspace.tokens, &workspace.scratch)
      }
    }
    try result.get()
    return build(bytes, text, places, core, type: type, word: word, workspace.tokens)
  }

  /// The encoding of pieces: unknown ones become bytes, or are one with their neighbors.
  private func build(
    _ bytes: [UInt8], _ text: [UInt8], _ places: [Int32], _ core: TokenizerCore, type: Int32,
    word: Int32?, _ tokens: [RawToken]
  ) -> TokenizedText {
    let builder = EncodingBuilder(bytes, core)
    var result = TokenizedText()
    var isAfterUnknown = false
    func add(_ id: Int32, _ token: String, _ lower: Int32, _ upper: Int32) {
      let range = TextRange(Int(lower), Int(upper))
      result.ids.append(id)
      result.tokens.append(token)
      result.byteOffsets.append(range)
      result.scalarOffsets.append(builder.inScalarsAnywhere(range))
    }
    for token in tokens {
      let (lower, upper) = (Int(token.lower), Int(token.upper))
      let isUnknown = token.id < 0 || kinds[Int(token.id)] == .unknown
      if isUnknown, usesBytes {
        for index in lower..<upper {
          let id = byteIds[Int(text[index])]
          let end = index == upper - 1 ? places[upper] : places[lower]
          add(id, core.name(id) ?? "", places[lower], end)
        }
      } else if isUnknown, isAfterUnknown, let last = result.ids.indices.last {
        result.tokens[last] += String(decoding: text[lower..<upper], as: UTF8.self)
        let range = TextRange(result.byteOffsets[last].lower, Int(places[upper]))
        result.byteOffsets[last] = range
        result.scalarOffsets[last] = builder.inScalarsAnywhere(range)
      } else {
        add(
          token.id, String(decoding: text[lower..<upper], as: UTF8.self), places[lower],
          places[upper])
      }
      isAfterUnknown = isUnknown
    }
    let count = result.ids.count
    result.words = [Int32](repeating: word ?? 0, count: count)
    result.typeIDs = [Int32](repeating: type, count: count)
    result.attentionMask = [Int32](repeating: 1, count: count)
    result.specialTokensMask = [Int32](repeating: 0, count: count)
    return result
  }

  // MARK: Decoding

  /// The text of pieces.
  func decode(_ ids: [Int32], _ core: TokenizerCore) throws(TokenizerError) -> String {
    var text: [UInt8] = []
    var bytes: [UInt8] = []
    var (isBeginning, sawSpace) = (true, false)
    func flush() {
      guard !bytes.isEmpty else { return }
      text += Self.repaired(bytes)
      bytes = []
    }
    for id in ids {
      guard id >= 0, Int(id) < kinds.count, let name = core.name(id) else {
        throw TokenizerError(
          .invalidToken, "the id is not one of the vocabulary", received: "\(id)",
          needs: "0 to \(kinds.count - 1)")
      }
      if kinds[Int(id)] == .byte, let byte = ByteFallbackDecoder.byte(name) {
        bytes.append(byte)
        continue
      }
      flush()
      if sawSpace || !text.isEmpty { isBeginning = false }
      sawSpace = append(name, kinds[Int(id)], isBeginning, &text)
    }
    flush()
    if decodingRules != nil { text = denormalize(text) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends a piece; true if it lost the space that the model put before the text.
  private func append(
    _ name: String, _ kind: SentencePieceFile.Kind, _ isBeginning: Bool, _ text: inout [UInt8]
  ) -> Bool {
    switch kind {
    case .control: return false
    case .unknown:
      text += unknownSurface.utf8
      return false
    default: break
    }
    var piece = Array(name.utf8)[...]
    var lostSpace = false
    if isBeginning, addsSpace || removesSpaces, piece.starts(with: Self.mark) {
      piece = piece.dropFirst(3)
      lostSpace = !removesSpaces
    }
    while !piece.isEmpty {
      if piece.starts(with: Self.mark) {
        text.append(0x20)
        piece = piece.dropFirst(3)
      } else {
        text.append(piece[piece.startIndex])
        piece = piece.dropFirst()
      }
    }
    return lostSpace
  }

  /// Bytes with U+FFFD for each one that is not UTF-8.
  private static func repaired(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var position = 0
    while position < bytes.count {
      let width = UTF8Bytes.width(bytes[position])
      let part = bytes[position..<min(position + width, bytes.count)]
      if part.count == width, UTF8Bytes.isValid(Array(part)) {
        result += part
        position += width
      } else {
        result += [0xEF, 0xBF, 0xBD]
        position += 1
      }
    }
    return result
  }

  private func denormalize(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    text.withUnsafeBufferPointer { text in
      var position = 0
      while position < text.count {
        if let (length, new) = decodingRules?.longest(text, position..<text.count) {
          result += new
          position += length
        } else {
          let width = UTF8Bytes.width(text[position])
          result += text[position..<position + width]
          position += width
        }
      }
    }
    return result
  }
}

extension EncodingBuilder {
  /// A range of bytes in scalars, which may be empty at the end.
  func inScalarsAnywhere(_ range: TextRange) -> TextRange {
    TextRange(scalar(range.lower), scalar(range.upper))
  }
}

extension Tokenizer {
  /// Reads a `.model` of SentencePiece, of type Unigram or BPE.
  ///
  /// No tokens are added to texts, as in the library's own encoder. Each text is one word.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - limits: limits on its size.
  /// - Throws: ``TokenizerError``: `fileMissing`, `unreadable`, `tooLarge`, `malformed`, `invalid`
  ///   or `unsupported`.
  public init(
    sentencePiece path: String, limits: TokenizerLimits = TokenizerLimits()
  ) throws(TokenizerError) {
    let bytes = try FileBytes.read(path, limits: limits)
    do throws(TokenizerError) { try self.init(sentencePiece: bytes, limits: limits) } catch {
      throw error.of(path)
    }
  }

  /// Reads the bytes of a `.model` of SentencePiece.
  ///
  /// - Parameters:
  ///   - bytes: the content of the file.
  ///   - limits: limits on its size.
  /// - Throws: ``TokenizerError``: `tooLarge`, `malformed`, `invalid` or `unsupported`.
  public init(
    sentencePiece bytes: [UInt8], limits: TokenizerLimits = TokenizerLimits()
  ) throws(TokenizerError) {
    guard bytes.count <= limits.fileBytes else {
      throw .tooLarge("bytes", bytes.count, limit: limits.fileBytes, "fileBytes")
    }
    let file = try SentencePieceFile(bytes, limits: limits)
    self.init(
      TokenizerCore(
        model: SentencePieceTable(table: file.table), sentencePiece: SentencePieceText(file),
        limits: limits))
  }
}

/// The vocabulary of a SentencePiece model; ``SentencePieceText`` makes the tokens.
struct SentencePieceTable: TokenModel {
  let table: TokenTable
  let remembersWords = false

  func tokenize(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, into tokens: inout [RawToken],
    _ scratch: inout ModelScratch
  ) throws(TokenizerError) {
    throw .noUnknownToken(String(decoding: bytes[range], as: UTF8.self))
  }
}
