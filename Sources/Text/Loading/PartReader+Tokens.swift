extension PartReader {
  // MARK: Post-processors

  mutating func postProcessor(_ slice: JSONSlice) throws(TokenizerError) -> any PostProcessor {
    try countPart()
    let fields = try slice.fields()
    let type = try fields.type()
    switch type {
    case "Sequence":
      var list: [any PostProcessor] = []
      for part in try fields.required("processors").elements() {
        list.append(try postProcessor(part))
      }
      return PostProcessorSequence(parts: list)
    case "BertProcessing":
      return PairPostProcessor(
        separator: try Self.part(fields, "sep"), beginning: try Self.part(fields, "cls"),
        isRoberta: false, trimmer: nil)
    case "RobertaProcessing":
      return PairPostProcessor(
        separator: try Self.part(fields, "sep"), beginning: try Self.part(fields, "cls"),
        isRoberta: true, trimmer: try Self.trimmer(fields))
    case "ByteLevel": return ByteLevelPostProcessor(trimmer: try Self.trimmer(fields))
    case "TemplateProcessing":
      let tokens = try Self.templateTokens(try fields.required("special_tokens"))
      return TemplatePostProcessor(
        single: try Self.template(try fields.required("single"), tokens, isPair: false),
        pair: try Self.template(try fields.required("pair"), tokens, isPair: true))
    default: throw .unsupported(slice.place, "the post-processor \(type)")
    }
  }

  private static func trimmer(_ fields: JSONFields) throws(TokenizerError) -> OffsetTrimmer? {
    let addsSpace = try fields.required("add_prefix_space").bool()
    return try fields.required("trim_offsets").bool() ? OffsetTrimmer(addsSpace: addsSpace) : nil
  }

  /// A token and its id as an array of two.
  private static func part(
    _ fields: JSONFields, _ name: String
  ) throws(TokenizerError) -> AddedPart {
    let slice = try fields.required(name)
    let values = try slice.elements()
    guard values.count == 2 else {
      throw .invalid(slice.place, "\(values.count) elements", needs: "a token and its id")
    }
    return AddedPart(token: try values[0].string(), id: Int32(try values[1].int()))
  }

  private static func templateTokens(
    _ slice: JSONSlice
  ) throws(TokenizerError) -> [String: [AddedPart]] {
    var table: [String: [AddedPart]] = [:]
    let entries = try slice.fields()
    for (name, entry) in entries.table {
      let fields = try entry.fields()
      let ids = try fields.required("ids").elements()
      let tokens = try fields.required("tokens").elements()
      guard ids.count == tokens.count else {
        throw .invalid(entry.place, "\(ids.count) ids for \(tokens.count) tokens")
      }
      var parts: [AddedPart] = []
      for (id, token) in zip(ids, tokens) {
        parts.append(AddedPart(token: try token.string(), id: Int32(try id.int())))
      }
      table[name] = parts
    }
    return table
  }

  private static func template(
    _ slice: JSONSlice, _ tokens: [String: [AddedPart]], isPair: Bool
  ) throws(TokenizerError) -> [TemplatePostProcessor.Part] {
    var parts: [TemplatePostProcessor.Part] = []
    for piece in try slice.elements() {
      let outer = try piece.fields()
      if let sequence = outer["Sequence"] {
        let fields = try sequence.fields()
        let name = try fields.required("id").string()
        guard name == "A" || (name == "B" && isPair) else {
          throw .invalid(sequence.place, "the text \(name)")
        }
        parts.append(
          .text(name == "A" ? 0 : 1, type: Int32(try fields.required("type_id").int())))
      } else {
        let fields = try outer.required("SpecialToken").fields()
        let name = try fields.required("id").string()
        guard let list = tokens[name] else {
          throw .invalid(fields.place, "the token \(name)", needs: "one of special_tokens")
        }
        parts.append(.tokens(list, type: Int32(try fields.required("type_id").int())))
      }
    }
    let added = parts.reduce(0) {
      if case .tokens(let list, _) = $1 { $0 + list.count } else { $0 }
    }
    guard parts.count <= 64, added <= 1 << 14 else {
      throw TokenizerError(
        .tooLarge, "a template is too long", entry: slice.place,
        received: "\(parts.count) parts with \(added) tokens",
        needs: "at most 64 parts with \(1 << 14) tokens")
    }
    return parts
  }

  // MARK: Added tokens, truncation, padding

  func addedTokens(_ slice: JSONSlice?) throws(TokenizerError) -> [AddedToken] {
    guard let slice else { return [] }
    var list: [AddedToken] = []
    for element in try slice.elements() {
      let fields = try element.fields()
      guard list.count < limits.tokens else {
        throw .tooLarge("added tokens", list.count + 1, limit: limits.tokens, "tokens")
      }
      list.append(
        AddedToken(
          content: try fields.required("content").string(),
          id: Int32(try fields.required("id").int()),
          isSingleWord: try fields.required("single_word").bool(),
          stripsLeft: try fields.required("lstrip").bool(),
          stripsRight: try fields.required("rstrip").bool(),
          isNormalized: try fields.required("normalized").bool(),
          isSpecial: try fields.required("special").bool()))
    }
    return list
  }

  static func truncation(_ slice: JSONSlice?) throws(TokenizerError) -> TokenTruncation? {
    guard let fields = try slice?.fields() else { return nil }
    let strategy = try fields.required("strategy").string()
    let side = try fields.string("direction", "Right")
    guard let strategy = TokenTruncation.Strategy(rawValue: strategy) else {
      throw .unsupported("truncation", "the strategy \(strategy)")
    }
    guard let side = TextSide(rawValue: side) else {
      throw .unsupported("truncation", "the direction \(side)")
    }
    return TokenTruncation(
      length: try fields.required("max_length").int(limit: 1 << 53),
      stride: try fields.required("stride").int(), strategy: strategy, side: side)
  }

  static func padding(_ slice: JSONSlice?) throws(TokenizerError) -> TokenPadding? {
    guard let fields = try slice?.fields() else { return nil }
    let strategy = try fields.required("strategy")
    var length: Int?
    if strategy.isString {
      guard try strategy.string() == "BatchLongest" else {
        throw .unsupported(strategy.place, "the strategy \(try strategy.string())")
      }
    } else {
      length = try strategy.fields().required("Fixed").int(limit: 1 << 20)
    }
    let direction = try fields.required("direction").string()
    guard let side = TextSide(rawValue: direction) else {
      throw .unsupported("padding", "the direction \(direction)")
    }
    return TokenPadding(
      length: length, multiple: try fields["pad_to_multiple_of"]?.int(limit: 1 << 20) ?? 0,
      side: side, id: Int32(try fields.required("pad_id").int()),
      typeID: Int32(try fields.required("pad_type_id").int()),
      token: try fields.required("pad_token").string())
  }
}
