/// What makes a text of tokens again.
protocol TokenDecoder: Sendable {
  /// Changes tokens, which are joined in the end.
  ///
  /// - Throws: ``TokenizerError`` of kind `tooManySteps`.
  func decode(_ tokens: [String]) throws(TokenizerError) -> [String]
}

/// Decoders one after the other.
struct DecoderSequence: TokenDecoder {
  let parts: [any TokenDecoder]

  func decode(_ tokens: [String]) throws(TokenizerError) -> [String] {
    var tokens = tokens
    for part in parts { tokens = try part.decode(tokens) }
    return tokens
  }
}

/// Replacing in texts without Foundation.
enum TextReplacing {
  /// A text with all occurrences of another one replaced, compared by bytes.
  static func replace(_ text: String, _ pattern: String, by content: String) -> String {
    let (bytes, wanted) = (Array(text.utf8), Array(pattern.utf8))
    guard !wanted.isEmpty, bytes.count >= wanted.count else { return text }
    var result: [UInt8] = []
    var position = 0
    while position < bytes.count {
      if bytes[position] == wanted[0], position + wanted.count <= bytes.count,
        bytes[position..<position + wanted.count].elementsEqual(wanted)
      {
        result += content.utf8
        position += wanted.count
      } else {
        result.append(bytes[position])
        position += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Whether a text begins with another one, compared by bytes.
  static func has(_ text: String, prefix: String) -> Bool { text.utf8.starts(with: prefix.utf8) }

  /// A text with spaces before English punctuation and contractions removed.
  static func cleaned(_ text: String) -> String {
    guard text.utf8.contains(0x20) else { return text }
    let rules = [
      (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"),
      (" 'm", "'m"), (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
    ]
    return rules.reduce(text) { replace($0, $1.0, by: $1.1) }
  }
}

/// `ByteLevel`: characters become the bytes that they stand for.
struct ByteLevelDecoder: TokenDecoder {
  func decode(_ tokens: [String]) throws(TokenizerError) -> [String] {
    var bytes: [UInt8] = []
    for token in tokens {
      var token = token
      token.withUTF8 { text in
        if let spelled = ByteAlphabet.bytes(text) { bytes += spelled } else { bytes += text }
      }
    }
    return [String(decoding: bytes, as: UTF8.self)]
  }
}

/// `WordPiece`: tokens that continue a word lose their prefix, others get a space.
struct WordPieceDecoder: TokenDecoder {
  let prefix: String
  let cleans: Bool

  func decode(_ tokens: [String]) throws(TokenizerError) -> [String] {
    tokens.enumerated().map { index, token in
      var text = token
      if index > 0 {
        if TextReplacing.has(token, prefix: prefix) {
          text = String(decoding: token.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        } else {
          text = " " + token
        }
      }
      return cleans ? TextReplacing.cleaned(text) : text
    }
  }
}

/// `Metaspace`: the character that stands for spaces becomes a space, except in the first token.
struct MetaspaceDecoder: TokenDecoder {
  let replacement: UInt32
  let dropsFirst: Bool

  func decode(_ tokens: [String]) throws(TokenizerError) -> [String] {
    tokens.enumerated().map { index, token in
      var text = String.UnicodeScalarView()
      for scalar in token.unicodeScalars {
        if scalar.value != replacement {
          text.append(scalar)
        } else if index > 0 || !dropsFirst {
          text.append(" ")
        }
      }
      return String(text)
    }
  }
}

/// `BPEDecoder`: the suffix of the last part of a word becomes a space.
struct BPEDecoder: TokenDecoder {
  let suffix: String

  func decode(_ tokens: [String]) throws(TokenizerError) -> [String] {
    tokens.enumerated().map { index, token in
      TextReplacing.replace(token, suffix, by: index == tokens.count - 1 ? "" : " ")
    }
  }
}

/// `ByteFallback`: tokens such as <0x0A> become bytes; bytes that are not UTF-8 become U+FFFD.
struct ByteFallbackDecoder: TokenDecoder {
  func decode(_ tokens: [String]) throws(TokenizerError) -> [String] {
    var result: [String] = []
    var bytes: [UInt8] = []
    func flush() {
      guard !bytes.isEmpty else { return }
      if let text = String(validating: bytes, as: UTF8.self) {
        result.append(text)
      } else {
        result += repeatElement("\u{FFFD}", count: bytes.count)
      }
      bytes = []
    }
    for token in tokens {
      if let byte = Self.byte(token) {
        bytes.append(byte)
      } else {
        flush()
        result.append(token)
      }
    }
    flush()
    return result
  }

  /// The byte that a token such as <0x0A> stands for.
  static func byte(_ token: String) -> UInt8? {
    let text = Array(token.utf8)
    guard text.count == 6, text[0] == UInt8(ascii: "<"), text[1] == UInt8(ascii: "0"),
      text[2] == UInt8(ascii: "x"), text[5] == UInt8(ascii: ">")
    else { return nil }
    return UInt8(String(decoding: text[3..<5], as: UTF8.self), radix: 16)
  }
}

/// `Fuse`: all tokens become one.
struct FuseDecoder: TokenDecoder {
  func decode(_ tokens: [String]) throws(TokenizerError) -> [String] { [tokens.joined()] }
}

/// `Strip`: a character is cut off the ends of each token, this many times at most.
struct StripDecoder: TokenDecoder {
  let content: Unicode.Scalar
  let start: Int
  let stop: Int

  func decode(_ tokens: [String]) throws(TokenizerError) -> [String] {
    tokens.map { token in
      let scalars = Array(token.unicodeScalars)
      var lower = 0
      while lower < min(start, scalars.count), scalars[lower] == content { lower += 1 }
      var upper = scalars.count
      while scalars.count - upper < stop, upper > lower, scalars[upper - 1] == content {
        upper -= 1
      }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars[lower..<upper])
      return String(text)
    }
  }
}

/// `Replace`: a text in the place of all matches in each token.
struct ReplaceDecoder: TokenDecoder {
  let pattern: Pattern
  let content: [UInt8]

  func decode(_ tokens: [String]) throws(TokenizerError) -> [String] {
    var result: [String] = []
    result.reserveCapacity(tokens.count)
    var size = 0
    for token in tokens {
      let bytes = Array(token.utf8)
      let ranges = try pattern.matches(in: bytes)
      let (added, overflow) = ranges.count.multipliedReportingOverflow(by: content.count)
      size += min(added, 1 << 40) + bytes.count
      guard !overflow, size <= 1 << 28 else {
        throw TokenizerError(.invalidToken, "the text of the tokens becomes too long")
      }
      guard !ranges.isEmpty else {
        result.append(token)
        continue
      }
      var text: [UInt8] = []
      var last = 0
      for range in ranges {
        text += bytes[last..<range.lowerBound]
        text += content
        last = range.upperBound
      }
      text += bytes[last...]
      result.append(String(decoding: text, as: UTF8.self))
    }
    return result
  }
}

/// `CTC`: repeated tokens and padding go, a token separates words.
struct CTCDecoder: TokenDecoder {
  let padding: String
  let delimiter: String
  let cleans: Bool

  func decode(_ tokens: [String]) throws(TokenizerError) -> [String] {
    var result: [String] = []
    var before: String?
    for token in tokens {
      defer { before = token }
      if let before, before.utf8.elementsEqual(token.utf8) { continue }
      var text = TextReplacing.replace(token, padding, by: "")
      if cleans {
        text = TextReplacing.replace(TextReplacing.cleaned(text), delimiter, by: " ")
      }
      if !text.isEmpty { result.append(text) }
    }
    return result
  }
}
