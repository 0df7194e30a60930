/// What a `.model` of SentencePiece holds.
///
/// Source: sentencepiece, `sentencepiece_model.proto`.
struct SentencePieceFile {
  /// What a piece is.
  enum Kind: UInt64 {
    case normal = 1
    case unknown = 2
    case control = 3
    case userDefined = 4
    case unused = 5
    case byte = 6
  }

  /// The kinds of models.
  enum Model: UInt64 {
    case unigram = 1
    case bpe = 2
    case word = 3
    case character = 4
  }

  private(set) var model = Model.unigram
  private(set) var kinds: [Kind] = []
  private(set) var scores: [Float] = []
  private(set) var table = TokenTable()
  private(set) var usesBytes = false
  private(set) var putsSpaceBehind = false
  private(set) var unknownSurface = " \u{2047} "
  private(set) var rules: CharacterMap?
  private(set) var decodingRules: CharacterMap?
  private(set) var addsSpace = true
  private(set) var removesSpaces = true
  private(set) var escapesSpaces = true

  /// Reads a model.
  ///
  /// - Throws: ``TokenizerError``: `malformed`, `invalid`, `unsupported` or `tooLarge`.
  init(_ bytes: [UInt8], limits: TokenizerLimits) throws(TokenizerError) {
    var reader = WireReader(bytes[...])
    while let (number, value) = try reader.next() {
      guard case .bytes(let message) = value else { continue }
      switch number {
      case 1: try piece(message, limits)
      case 2: try trainer(message)
      case 3: try normalizer(message)
      case 5:
        var reader = WireReader(message)
        while let (number, value) = try reader.next() {
          if number == 2, case .bytes(let map) = value, !map.isEmpty {
            decodingRules = try CharacterMap(map, place: "denormalizer_spec")
          }
        }
      default: break
      }
    }
    try check()
  }

  private mutating func piece(
    _ message: ArraySlice<UInt8>, _ limits: TokenizerLimits
  ) throws(TokenizerError) {
    var token: [UInt8] = []
    var score: Float = 0
    var kind = Kind.normal
    var reader = WireReader(message)
    while let (number, value) = try reader.next() {
      switch (number, value) {
      case (1, .bytes(let text)): token = Array(text)
      case (2, .fixed32(let bits)): score = Float(bitPattern: bits)
      case (3, .number(let code)):
        guard let known = Kind(rawValue: code) else {
          throw .unsupported("piece \(kinds.count)", "the type \(code)")
        }
        kind = known
      default: break
      }
    }
    let piece = "piece \(kinds.count)"
    guard kinds.count < limits.tokens else {
      throw .tooLarge("tokens", kinds.count + 1, limit: limits.tokens, "tokens")
    }
    guard !token.isEmpty, token.count < 8000, !token.contains(0), UTF8Bytes.isValid(token) else {
      throw .invalid(piece, "\(token.count) bytes", needs: "UTF-8 of 1 to 7999 bytes without 0")
    }
    // A symbol of the user is looked for at each place of a text.
    guard kind != .userDefined || token.count <= 512 else {
      throw .unsupported(piece, "a symbol of \(token.count) bytes")
    }
    guard score.isFinite else { throw .invalid(piece, "a score of \(score)") }
    guard table.index(of: token) == nil else {
      throw .invalid(piece, "a repeated token")
    }
    try table.add(token, id: Int32(kinds.count))
    kinds.append(kind)
    scores.append(score)
  }

  private mutating func trainer(_ message: ArraySlice<UInt8>) throws(TokenizerError) {
    var reader = WireReader(message)
    while let (number, value) = try reader.next() {
      switch (number, value) {
      case (3, .number(let code)):
        guard let known = Model(rawValue: code), known == .unigram || known == .bpe else {
          throw .unsupported("trainer_spec", "the type of model \(code)")
        }
        model = known
      case (24, .number(let flag)): putsSpaceBehind = flag != 0
      case (35, .number(let flag)): usesBytes = flag != 0
      case (44, .bytes(let text)): unknownSurface = String(decoding: text, as: UTF8.self)
      default: break
      }
    }
  }

  private mutating func normalizer(_ message: ArraySlice<UInt8>) throws(TokenizerError) {
    var reader = WireReader(message)
    while let (number, value) = try reader.next() {
      switch (number, value) {
      case (2, .bytes(let map)):
        if !map.isEmpty { rules = try CharacterMap(map, place: "normalizer_spec") }
      case (3, .number(let flag)): addsSpace = flag != 0
      case (4, .number(let flag)): removesSpaces = flag != 0
      case (5, .number(let flag)): escapesSpaces = flag != 0
      default: break
      }
    }
  }

  private func check() throws(TokenizerError) {
    guard !kinds.isEmpty else { throw .malformed("a model without pieces") }
    let unknowns = kinds.count { $0 == .unknown }
    guard unknowns == 1 || (unknowns == 0 && usesBytes) else {
      throw .invalid("pieces", "\(unknowns) unknown pieces", needs: "one")
    }
    let bytes = kinds.indices.filter { kinds[$0] == .byte }
    guard bytes.isEmpty || usesBytes else {
      throw .invalid("pieces", "bytes in a model without byte_fallback")
    }
    for index in bytes
    where ByteFallbackDecoder.byte(String(decoding: table.token(index), as: UTF8.self)) == nil {
      throw .invalid("piece \(index)", "a byte piece that is not <0x00> to <0xFF>")
    }
    guard !usesBytes || bytes.count == 256 else {
      throw .invalid("pieces", "\(bytes.count) byte pieces", needs: "256")
    }
  }
}
