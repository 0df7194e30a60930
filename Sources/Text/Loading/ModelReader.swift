/// Reads the models of tokenizers.
struct ModelReader {
  let limits: TokenizerLimits

  /// The model of a `tokenizer.json`; a BPE model may see bytes that no one has spelled.
  func model(_ slice: JSONSlice, readsBytes: Bool) throws(TokenizerError) -> any TokenModel {
    let fields = try slice.fields()
    let type = try type(fields)
    switch type {
    case "WordPiece":
      return WordPieceModel(
        try vocabulary(try fields.required("vocab")),
        unknown: try fields.required("unk_token").string(),
        prefix: try fields.required("continuing_subword_prefix").string(),
        maximumLength: try fields.required("max_input_chars_per_word").int(limit: 1 << 53))
    case "WordLevel":
      return WordLevelModel(
        try vocabulary(try fields.required("vocab")),
        unknown: try fields.required("unk_token").string())
    case "BPE": return try bpe(fields, readsBytes: readsBytes)
    case "Unigram": return try unigram(fields)
    default: throw .unsupported(slice.place, "the model \(type)")
    }
  }

  /// The type of a model; old files do not say it.
  private func type(_ fields: JSONFields) throws(TokenizerError) -> String {
    if let type = fields["type"] { return try type.string() }
    if try fields.required("vocab").isArray { return "Unigram" }
    if fields["merges"] != nil { return "BPE" }
    return fields["max_input_chars_per_word"] == nil ? "WordLevel" : "WordPiece"
  }

  /// A vocabulary: an object of tokens and ids.
  func vocabulary(_ slice: JSONSlice) throws(TokenizerError) -> TokenTable {
    var table = TokenTable()
    var token: [UInt8] = []
    try slice.forEachField { key, value throws(TokenizerError) in
      token.removeAll(keepingCapacity: true)
      try key.append(to: &token)
      guard table.count < limits.tokens else {
        throw .tooLarge("tokens", table.count + 1, limit: limits.tokens, "tokens")
      }
      try table.add(token, id: Int32(try value.int()))
    }
    return table
  }

  // MARK: BPE

  private func bpe(
    _ fields: JSONFields, readsBytes: Bool
  ) throws(TokenizerError) -> BPEModel {
    if let dropout = fields["dropout"], try dropout.double() != 0 {
      throw .unsupported(
        dropout.place, "BPE dropout",
        remedy: "set dropout to null, which is what trained networks expect")
    }
    let table = try vocabulary(try fields.required("vocab"))
    var options = BPEModel.Options()
    options.unknown = try fields["unk_token"]?.string()
    options.prefix = Array(try fields.string("continuing_subword_prefix", "").utf8)
    options.suffix = Array(try fields.string("end_of_word_suffix", "").utf8)
    guard options.prefix.count <= 256, options.suffix.count <= 256 else {
      throw .invalid(fields.place, "a prefix or suffix of more than 256 bytes")
    }
    options.fusesUnknown = try fields.bool("fuse_unk", false)
    options.usesBytes = try fields.bool("byte_fallback", false)
    options.ignoresMerges = try fields.bool("ignore_merges", false)
    var merges = MergeReader(table, prefix: options.prefix, limits: limits)
    try fields.required("merges").forEachElement { element throws(TokenizerError) in
      try merges.add(element)
    }
    let isPlain = options.prefix.isEmpty && options.suffix.isEmpty
    return try BPEModel(
      table, merges.table(), options, readsBytes: readsBytes && isPlain)
  }

  // MARK: Unigram

  private func unigram(_ fields: JSONFields) throws(TokenizerError) -> UnigramModel {
    var table = TokenTable()
    var scores: [Double] = []
    try fields.required("vocab").forEachElement { element throws(TokenizerError) in
      var token: [UInt8] = []
      var score: Double?
      var index = 0
      try element.forEachElement { value throws(TokenizerError) in
        if index == 0 { try value.append(to: &token) }
        if index == 1 { score = try value.double() }
        index += 1
      }
      guard index == 2, let score else {
        throw .invalid(fields.place, "\(index) elements", needs: "a token and its score")
      }
      guard scores.count < limits.tokens else {
        throw .tooLarge("tokens", scores.count + 1, limit: limits.tokens, "tokens")
      }
      try table.add(token, id: Int32(scores.count))
      scores.append(score)
    }
    let unknown = try fields["unk_id"]?.int()
    guard unknown.map({ $0 < scores.count }) ?? true else {
      throw .invalid(
        fields.place, "an unk_id of \(unknown ?? 0)", needs: "less than \(scores.count)")
    }
    return UnigramModel(
      table, scores: scores, unknown: unknown,
      usesBytes: try fields.bool("byte_fallback", false))
  }
}

/// Reads the merges of BPE, each of which must be of the vocabulary.
struct MergeReader {
  private let tokens: TokenTable
  private let prefix: [UInt8]
  private let limits: TokenizerLimits
  private var list: [(Int32, Int32, Int32)] = []
  private var left: [UInt8] = []
  private var right: [UInt8] = []

  init(_ tokens: TokenTable, prefix: [UInt8], limits: TokenizerLimits) {
    (self.tokens, self.prefix, self.limits) = (tokens, prefix, limits)
  }

  /// Adds a merge: two tokens in an array, or in a text with a space between them.
  mutating func add(_ element: JSONSlice) throws(TokenizerError) {
    left.removeAll(keepingCapacity: true)
    right.removeAll(keepingCapacity: true)
    if element.isString {
      var line: [UInt8] = []
      try element.append(to: &line)
      return try add(line: line[...])
    }
    var index = 0
    try element.forEachElement { value throws(TokenizerError) in
      if index == 0 { try value.append(to: &left) }
      if index == 1 { try value.append(to: &right) }
      index += 1
    }
    guard index == 2 else { throw .invalid("model.merges", "a merge of \(index) tokens") }
    try addPair()
  }

  /// Adds a merge of a line; that of a version does not count.
  mutating func add(line: ArraySlice<UInt8>) throws(TokenizerError) {
    guard !line.starts(with: "#version".utf8) else { return }
    let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw .invalid(
        "merges", String(decoding: line.prefix(80), as: UTF8.self),
        needs: "two tokens with a space between them")
    }
    (left, right) = (Array(parts[0]), Array(parts[1]))
    try addPair()
  }

  private mutating func addPair() throws(TokenizerError) {
    guard list.count < limits.tokens else {
      throw .tooLarge("merges", list.count + 1, limit: limits.tokens, "tokens")
    }
    guard right.count >= prefix.count else { throw missing(right) }
    guard let first = tokens.id(of: left) else { throw missing(left) }
    guard let second = tokens.id(of: right) else { throw missing(right) }
    let both = left + right.dropFirst(prefix.count)
    guard let result = tokens.id(of: both) else { throw missing(both) }
    list.append((first, second, result))
  }

  private func missing(_ token: [UInt8]) -> TokenizerError {
    .invalid(
      "merges", "\"\(String(decoding: token.prefix(80), as: UTF8.self))\"",
      needs: "tokens of the vocabulary")
  }

  /// The merges in the order of their ranks.
  func table() -> BPEMergeTable {
    var table = BPEMergeTable(capacity: list.count)
    for (rank, merge) in list.enumerated() {
      table.add(merge.0, merge.1, rank: Int32(rank), result: merge.2)
    }
    return table
  }
}
