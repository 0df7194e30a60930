/// What is done with the tokens of one or two texts: tokens are added, types are given.
protocol PostProcessor: Sendable {
  /// The number of tokens that are added.
  func addedCount(isPair: Bool) -> Int

  /// Changes the encodings of one or two texts.
  func process(_ encodings: [TokenizedText], addsTokens: Bool) -> [TokenizedText]
}

/// Post-processors one after the other.
struct PostProcessorSequence: PostProcessor {
  let parts: [any PostProcessor]

  func addedCount(isPair: Bool) -> Int { parts.reduce(0) { $0 + $1.addedCount(isPair: isPair) } }

  func process(_ encodings: [TokenizedText], addsTokens: Bool) -> [TokenizedText] {
    parts.reduce(encodings) { $1.process($0, addsTokens: addsTokens) }
  }
}

/// A token that post-processors add.
struct AddedPart: Sendable {
  let token: String
  let id: Int32

  /// The token as an encoding.
  func encoding(type: Int32) -> TokenizedText { .special([(token, id)], type: type) }
}

/// `BertProcessing` and `RobertaProcessing`: [CLS] A [SEP] B [SEP], or <s> A </s></s> B </s>.
struct PairPostProcessor: PostProcessor {
  let separator: AddedPart
  let beginning: AddedPart
  /// Whether the separator also stands before the second text, and all types are 0.
  let isRoberta: Bool
  /// Whether spaces are cut off the offsets of byte-level tokens.
  let trimmer: OffsetTrimmer?

  func addedCount(isPair: Bool) -> Int { isPair ? isRoberta ? 4 : 3 : 2 }

  func process(_ encodings: [TokenizedText], addsTokens: Bool) -> [TokenizedText] {
    encodings.enumerated().map { index, encoding in
      var encoding = encoding
      trimmer?.trim(&encoding)
      if isRoberta { encoding.setType(0) }
      guard addsTokens else { return encoding }
      return framed(encoding, index)
    }
  }

  private func framed(_ encoding: TokenizedText, _ index: Int) -> TokenizedText {
    var body = encoding
    let rest = body.overflowing
    body.overflowing = []
    // The masks of a text are those of tokens that nothing was added to yet.
    body.specialTokensMask = [Int32](repeating: 0, count: body.count)
    body.attentionMask = [Int32](repeating: 1, count: body.count)
    body.sequences = [TokenizedText.TokenRange(sequence: index, lower: 0, upper: body.count)]
    if isRoberta { body.setType(0) }
    let type: Int32 = index == 0 || isRoberta ? 0 : 1
    var result = TokenizedText()
    if index == 0 {
      result = beginning.encoding(type: 0)
    } else if isRoberta {
      result = separator.encoding(type: 0)
    }
    result.append(body)
    result.append(separator.encoding(type: type))
    result.overflowing = rest.map { framed($0, index) }
    return result
  }
}

/// `ByteLevel` as a post-processor: spaces are cut off the offsets.
struct ByteLevelPostProcessor: PostProcessor {
  let trimmer: OffsetTrimmer?

  func addedCount(isPair: Bool) -> Int { 0 }

  func process(_ encodings: [TokenizedText], addsTokens: Bool) -> [TokenizedText] {
    encodings.enumerated().map { index, encoding in
      var encoding = encoding
      trimmer?.trim(&encoding)
      encoding.setSequence(index)
      return encoding
    }
  }
}

/// Cuts spaces at both ends off the offsets of tokens.
struct OffsetTrimmer: Sendable {
  /// Whether the first token may have a space that is not in the text.
  let addsSpace: Bool

  /// The spaces at both ends of a token.
  private struct Spaces {
    var leading = 0
    var trailing = 0
    var leadingBytes = 0
    var trailingBytes = 0
  }

  func trim(_ encoding: inout TokenizedText) {
    for index in 0..<encoding.count {
      var token = encoding.tokens[index]
      let spaces = token.withUTF8 { Self.spaces($0) }
      guard spaces.leading > 0 || spaces.trailing > 0 else { continue }
      let isFirst = index == 0 || encoding.scalarOffsets[index].lower == 0
      let keepsSpace = isFirst && addsSpace && spaces.leading == 1
      Self.trim(
        &encoding.scalarOffsets[index], keepsSpace ? 0 : spaces.leading, spaces.trailing)
      Self.trim(
        &encoding.byteOffsets[index], keepsSpace ? 0 : spaces.leadingBytes, spaces.trailingBytes)
    }
    for index in encoding.overflowing.indices { trim(&encoding.overflowing[index]) }
  }

  private static func trim(_ range: inout TextRange, _ leading: Int, _ trailing: Int) {
    if leading > 0 { range.lower = min(range.lower + leading, range.upper) }
    if trailing > 0, range.upper >= trailing {
      range.upper = max(range.upper - trailing, range.lower)
    }
  }

  private static func spaces(_ token: UnsafeBufferPointer<UInt8>) -> Spaces {
    var spaces = Spaces()
    // The character for a space stands for one byte.
    func width(_ scalar: UInt32) -> Int? {
      scalar == 0x120
        ? 1 : ScalarSet.whitespace.contains(scalar) ? UTF8Bytes.width(of: scalar) : nil
    }
    var position = 0
    while position < token.count {
      let (scalar, length) = UTF8Bytes.scalar(token, position)
      guard let bytes = width(scalar) else { break }
      position += length
      spaces.leading += 1
      spaces.leadingBytes += bytes
    }
    position = token.count
    while position > 0 {
      position = UTF8Bytes.before(token, position)
      guard let bytes = width(UTF8Bytes.scalar(token, position).value) else { break }
      spaces.trailing += 1
      spaces.trailingBytes += bytes
    }
    return spaces
  }
}

/// `TemplateProcessing`: texts and added tokens in the order of a template.
struct TemplatePostProcessor: PostProcessor {
  /// A part of a template.
  enum Part: Sendable {
    case text(Int, type: Int32)
    case tokens([AddedPart], type: Int32)
  }

  let single: [Part]
  let pair: [Part]

  func addedCount(isPair: Bool) -> Int {
    (isPair ? pair : single).reduce(0) {
      if case .tokens(let tokens, _) = $1 { $0 + tokens.count } else { $0 }
    }
  }

  func process(_ encodings: [TokenizedText], addsTokens: Bool) -> [TokenizedText] {
    (encodings.count > 1 ? pair : single).compactMap { part in
      switch part {
      case .text(let index, let type):
        guard index < encodings.count else { return nil }
        var encoding = encodings[index]
        encoding.setType(type)
        encoding.setSequence(index)
        return encoding
      case .tokens(let tokens, let type):
        guard addsTokens else { return nil }
        return .special(tokens.map { ($0.token, $0.id) }, type: type)
      }
    }
  }
}
