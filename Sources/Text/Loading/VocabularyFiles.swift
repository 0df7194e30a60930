extension Tokenizer {
  /// Reads the vocabulary of a BERT: one token a line.
  ///
  /// The tokenizer is that of `BertTokenizerFast`: it cleans the text, isolates ideographs, splits
  /// at white space and punctuation, and adds [CLS] and [SEP].
  ///
  /// - Parameters:
  ///   - path: the file `vocab.txt`.
  ///   - lowercases: whether texts become lowercase and lose their accents.
  ///   - limits: limits on the size of the file.
  /// - Throws: ``TokenizerError``: `fileMissing`, `unreadable`, `tooLarge`, `malformed` or
  ///   `invalid`, if [UNK], [CLS] or [SEP] is missing.
  public init(
    bertVocabulary path: String, lowercases: Bool = true,
    limits: TokenizerLimits = TokenizerLimits()
  ) throws(TokenizerError) {
    let bytes = try FileBytes.read(path, limits: limits)
    do throws(TokenizerError) {
      try self.init(bertVocabulary: bytes, lowercases: lowercases, limits: limits)
    } catch { throw error.of(path) }
  }

  private init(
    bertVocabulary bytes: [UInt8], lowercases: Bool, limits: TokenizerLimits
  ) throws(TokenizerError) {
    guard UTF8Bytes.isValid(bytes) else { throw .malformed("bytes that are not UTF-8") }
    var table = TokenTable()
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    for (index, line) in lines.enumerated() {
      guard index < limits.tokens else {
        throw .tooLarge("tokens", index + 1, limit: limits.tokens, "tokens")
      }
      try table.add(Self.trimmed(line), id: Int32(index))
    }
    func part(_ name: String) throws(TokenizerError) -> AddedPart {
      guard let id = table.id(of: name) else {
        throw .invalid("the vocabulary", "no token \(name)")
      }
      return AddedPart(token: name, id: id)
    }
    let unknown = try part("[UNK]")
    let processor = PairPostProcessor(
      separator: try part("[SEP]"), beginning: try part("[CLS]"), isRoberta: false,
      trimmer: nil)
    let normalizer = BertNormalizer(
      cleansText: true, isolatesIdeographs: true, stripsAccents: lowercases,
      lowercases: lowercases)
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].compactMap { name in
      table.id(of: name).map {
        AddedToken(
          content: name, id: $0, isSingleWord: false, stripsLeft: false, stripsRight: false,
          isNormalized: false, isSpecial: true)
      }
    }
    let core = TokenizerCore(
      normalizer: normalizer, preTokenizer: BertPreTokenizer(),
      model: WordPieceModel(table, unknown: unknown.token, prefix: "##", maximumLength: 100),
      postProcessor: processor, decoder: WordPieceDecoder(prefix: "##", cleans: true),
      added: try AddedTokens(special, model: table, normalizer: normalizer), limits: limits)
    self.init(core)
  }

  /// A line without white space at its end.
  private static func trimmed(_ line: ArraySlice<UInt8>) -> [UInt8] {
    line.withUnsafeBufferPointer { bytes in
      var end = bytes.count
      while end > 0 {
        let before = UTF8Bytes.before(bytes, end)
        guard ScalarSet.whitespace.contains(UTF8Bytes.scalar(bytes, before).value) else { break }
        end = before
      }
      return Array(bytes[..<end])
    }
  }

  /// Reads the vocabulary and the merges of a byte-level BPE, as GPT-2 and RoBERTa have them.
  ///
  /// No tokens are added to texts; ``decode(_:skipsSpecial:)`` returns the original bytes.
  ///
  /// - Parameters:
  ///   - path: the file `vocab.json`.
  ///   - merges: the file `merges.txt`.
  ///   - addsSpace: whether a text that does not begin with a space gets one.
  ///   - limits: limits on the sizes of the files.
  /// - Throws: ``TokenizerError``: `fileMissing`, `unreadable`, `tooLarge`, `malformed` or
  ///   `invalid`.
  public init(
    vocabulary path: String, merges: String, addsSpace: Bool = false,
    limits: TokenizerLimits = TokenizerLimits()
  ) throws(TokenizerError) {
    let vocabulary = try FileBytes.read(path, limits: limits)
    let table: TokenTable
    do throws(TokenizerError) {
      table = try ModelReader(limits: limits).vocabulary(try JSONSlice(document: vocabulary))
    } catch { throw error.of(path) }
    let lines = try FileBytes.read(merges, limits: limits)
    do throws(TokenizerError) {
      guard UTF8Bytes.isValid(lines) else { throw .malformed("bytes that are not UTF-8") }
      var reader = MergeReader(table, prefix: [], limits: limits)
      for line in lines.split(separator: 0x0A) {
        let line = line.last == 0x0D ? line.dropLast() : line
        if !line.isEmpty { try reader.add(line: line) }
      }
      let model = try BPEModel(
        table, reader.table(), BPEModel.Options(), readsBytes: true)
      self.init(
        TokenizerCore(
          preTokenizer: ByteLevelPreTokenizer(
            addsSpace: addsSpace, splits: true, keepsBytes: true),
          model: model,
          postProcessor: ByteLevelPostProcessor(trimmer: nil), decoder: ByteLevelDecoder(),
          limits: limits))
    } catch { throw error.of(merges) }
  }
}
