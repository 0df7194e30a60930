import FoundationEssentials

/// Reads the parts of a tokenizer other than its model.
struct PartReader {
  let limits: TokenizerLimits
  private var parts = 0

  init(limits: TokenizerLimits) { self.limits = limits }

  mutating func countPart() throws(TokenizerError) {
    parts += 1
    guard parts <= limits.parts else {
      throw .tooLarge("parts", parts, limit: limits.parts, "parts")
    }
  }

  /// Whether the model of a tokenizer can read bytes as they are: byte-level BPE whose last
  /// pre-tokenizer spells them.
  static func endsInBytes(_ fields: JSONFields) throws(TokenizerError) -> Bool {
    guard let slice = fields["pre_tokenizer"] else { return false }
    var part = try slice.fields()
    if try part.type() == "Sequence" {
      guard let last = try part.required("pretokenizers").elements().last else { return false }
      part = try last.fields()
    }
    return try part.type() == "ByteLevel"
  }

  // MARK: Normalizers

  mutating func normalizer(_ slice: JSONSlice) throws(TokenizerError) -> any Normalizer {
    try countPart()
    let fields = try slice.fields()
    let type = try fields.type()
    if let form = NormalizationForm(rawValue: type) { return form }
    switch type {
    case "Sequence":
      var list: [any Normalizer] = []
      for part in try fields.required("normalizers").elements() {
        list.append(try normalizer(part))
      }
      return NormalizerSequence(parts: list)
    case "BertNormalizer", "Bert":
      let lowercases = try fields.required("lowercase").bool()
      return BertNormalizer(
        cleansText: try fields.required("clean_text").bool(),
        isolatesIdeographs: try fields.required("handle_chinese_chars").bool(),
        stripsAccents: try fields.bool("strip_accents", lowercases), lowercases: lowercases)
    case "Lowercase": return LowercaseNormalizer()
    case "StripAccents": return StripAccentsNormalizer()
    case "Nmt": return NmtNormalizer()
    case "ByteLevel": return ByteLevelNormalizer()
    case "Strip":
      return StripNormalizer(
        left: try fields.required("strip_left").bool(),
        right: try fields.required("strip_right").bool())
    case "Prepend":
      return PrependNormalizer(prefix: Array(try fields.required("prepend").string().utf8))
    case "Replace":
      return ReplaceNormalizer(
        pattern: try pattern(fields), content: Array(try fields.required("content").string().utf8))
    case "Precompiled":
      let text = try fields.required("precompiled_charsmap").string()
      guard let data = Data(base64Encoded: text) else {
        throw .malformed("text that is not in Base64", at: "\(slice.place).precompiled_charsmap")
      }
      return PrecompiledNormalizer(map: try CharacterMap(data, place: slice.place))
    default: throw .unsupported(slice.place, "the normalizer \(type)")
    }
  }

  private func pattern(_ fields: JSONFields) throws(TokenizerError) -> Pattern {
    let pattern = try fields.required("pattern").fields()
    if let text = pattern["String"] { return Pattern(literal: try text.string()) }
    return try Pattern(try pattern.required("Regex").string(), limits: limits)
  }

  // MARK: Pre-tokenizers

  mutating func preTokenizer(
    _ slice: JSONSlice, keepsBytes: Bool
  ) throws(TokenizerError) -> any PreTokenizer {
    try countPart()
    let fields = try slice.fields()
    let type = try fields.type()
    switch type {
    case "Sequence":
      let slices = try fields.required("pretokenizers").elements()
      var list: [any PreTokenizer] = []
      for (index, part) in slices.enumerated() {
        list.append(
          try preTokenizer(part, keepsBytes: keepsBytes && index == slices.count - 1))
      }
      return PreTokenizerSequence(parts: list)
    case "BertPreTokenizer": return BertPreTokenizer()
    case "Whitespace": return WhitespacePreTokenizer()
    case "WhitespaceSplit": return SeparatorPreTokenizer(separator: nil)
    case "CharDelimiterSplit", "Delimiter":
      return SeparatorPreTokenizer(separator: try fields.required("delimiter").scalar().value)
    case "ByteLevel":
      return ByteLevelPreTokenizer(
        addsSpace: try fields.required("add_prefix_space").bool(),
        splits: try fields.bool("use_regex", true), keepsBytes: keepsBytes)
    case "Metaspace":
      return MetaspacePreTokenizer(
        replacement: try fields.required("replacement").scalar().value,
        prepend: try Self.prepend(fields), splits: try fields.bool("split", true))
    case "Digits":
      return SetPreTokenizer(
        set: .numeric,
        behavior: try fields.required("individual_digits").bool() ? .isolated : .contiguous)
    case "Punctuation":
      return SetPreTokenizer(set: .punctuation, behavior: try Self.behavior(fields, .isolated))
    case "FixedLength":
      let length = try fields["length"]?.int() ?? 5
      guard length > 0 else { throw .invalid(slice.place, "a length of 0") }
      return FixedLengthPreTokenizer(length: length)
    case "Split":
      return PatternPreTokenizer(
        pattern: try pattern(fields), behavior: try Self.behavior(fields, nil),
        isInverted: try fields.required("invert").bool())
    default: throw .unsupported(slice.place, "the pre-tokenizer \(type)")
    }
  }

  private static func behavior(
    _ fields: JSONFields, _ missing: SplitBehavior?
  ) throws(TokenizerError) -> SplitBehavior {
    guard let slice = fields["behavior"] else {
      if let missing { return missing }
      throw .invalid(fields.place, "no \"behavior\"")
    }
    let name = try slice.string()
    guard let behavior = SplitBehavior(rawValue: name) else {
      throw .unsupported(slice.place, "the behavior \(name)")
    }
    return behavior
  }

  private static func prepend(
    _ fields: JSONFields
  ) throws(TokenizerError) -> MetaspacePreTokenizer.Prepend {
    let name = try fields.string("prepend_scheme", "always")
    guard let scheme = MetaspacePreTokenizer.Prepend(rawValue: name) else {
      throw .unsupported(fields.place, "the scheme \(name)")
    }
    guard try !fields.bool("add_prefix_space", true) else { return scheme }
    guard scheme == .never || fields["prepend_scheme"] == nil else {
      throw .invalid(fields.place, "\"add_prefix_space\" contradicts \"prepend_scheme\"")
    }
    return .never
  }

  // MARK: Decoders

  mutating func decoder(_ slice: JSONSlice) throws(TokenizerError) -> any TokenDecoder {
    try countPart()
    let fields = try slice.fields()
    let type = try fields.type()
    switch type {
    case "Sequence":
      var list: [any TokenDecoder] = []
      for part in try fields.required("decoders").elements() { list.append(try decoder(part)) }
      return DecoderSequence(parts: list)
    case "ByteLevel": return ByteLevelDecoder()
    case "ByteFallback": return ByteFallbackDecoder()
    case "Fuse": return FuseDecoder()
    case "BPEDecoder": return BPEDecoder(suffix: try fields.required("suffix").string())
    case "WordPiece":
      return WordPieceDecoder(
        prefix: try fields.required("prefix").string(),
        cleans: try fields.required("cleanup").bool())
    case "Metaspace":
      return MetaspaceDecoder(
        replacement: try fields.required("replacement").scalar().value,
        dropsFirst: try Self.prepend(fields) != .never)
    case "CTC":
      return CTCDecoder(
        padding: try fields.required("pad_token").string(),
        delimiter: try fields.required("word_delimiter_token").string(),
        cleans: try fields.required("cleanup").bool())
    case "Strip":
      return StripDecoder(
        content: try fields.required("content").scalar(),
        start: try fields.required("start").int(), stop: try fields.required("stop").int())
    case "Replace":
      return ReplaceDecoder(
        pattern: try pattern(fields), content: Array(try fields.required("content").string().utf8))
    default: throw .unsupported(slice.place, "the decoder \(type)")
    }
  }
}
