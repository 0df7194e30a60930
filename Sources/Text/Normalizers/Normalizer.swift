/// A change of a text before it falls into words.
protocol Normalizer: Sendable {
  /// Changes a text.
  ///
  /// - Throws: ``TokenizerError`` of kind `tooManySteps`.
  func normalize(_ text: inout AlignedText) throws(TokenizerError)
}

/// Normalizers one after the other.
struct NormalizerSequence: Normalizer {
  let parts: [any Normalizer]

  func normalize(_ text: inout AlignedText) throws(TokenizerError) {
    for part in parts {
      try part.normalize(&text)
      try AlignedText.check(count: text.count)
    }
  }
}

extension NormalizationForm: Normalizer {
  func normalize(_ text: inout AlignedText) throws(TokenizerError) {
    if let changes = text.bytes.withUnsafeBufferPointer({ changes(of: $0) }) {
      text.transform(changes)
    }
  }
}

/// `Lowercase`: each scalar on its own, without regard to its neighbors.
struct LowercaseNormalizer: Normalizer {
  func normalize(_ text: inout AlignedText) throws(TokenizerError) { Self.lowercase(&text) }

  static func lowercase(_ text: inout AlignedText) {
    let mapping = ScalarMapping.lowercase
    var changes: [ScalarChange] = []
    let isPlain = text.bytes.withUnsafeBufferPointer { bytes in
      if UTF8Bytes.isASCII(bytes) { return true }
      var position = 0
      var isPlain = true
      while position < bytes.count, isPlain {
        let (scalar, width) = UTF8Bytes.scalar(bytes, position)
        position += width
        isPlain = scalar < 0x80 || mapping.keeps(scalar)
      }
      if isPlain { return true }
      changes.reserveCapacity(bytes.count)
      position = 0
      while position < bytes.count {
        let (scalar, width) = UTF8Bytes.scalar(bytes, position)
        position += width
        var change: Int32 = 0
        let isMapped = mapping.forEach(scalar) {
          changes.append(ScalarChange($0, change))
          change = 1
        }
        if !isMapped { changes.append(ScalarChange(scalar, 0)) }
      }
      return false
    }
    if isPlain {
      text.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    } else {
      text.transform(changes)
    }
  }
}

/// `StripAccents`: removes all marks, into which NFD splits accents.
struct StripAccentsNormalizer: Normalizer {
  func normalize(_ text: inout AlignedText) throws(TokenizerError) {
    guard !text.bytes.withUnsafeBufferPointer({ UTF8Bytes.isASCII($0) }) else { return }
    let marks = ScalarSet.marks
    text.filter { $0 < 0x300 || !marks.contains($0) }
  }
}

/// `Strip`: removes white space at the ends.
struct StripNormalizer: Normalizer {
  let left: Bool
  let right: Bool

  func normalize(_ text: inout AlignedText) throws(TokenizerError) {
    if left && right {
      strip(&text, left: true, right: true)
    } else {
      if left { strip(&text, left: true, right: false) }
      if right { strip(&text, left: false, right: true) }
    }
  }

  private func strip(_ text: inout AlignedText, left: Bool, right: Bool) {
    let spaces = ScalarSet.whitespace
    let range = text.bytes.withUnsafeBufferPointer { bytes in
      var (lower, upper) = (0, bytes.count)
      if left {
        while lower < upper {
          let (scalar, width) = UTF8Bytes.scalar(bytes, lower)
          guard spaces.contains(scalar) else { break }
          lower += width
        }
      }
      if right {
        while upper > lower {
          let previous = UTF8Bytes.before(bytes, upper)
          guard spaces.contains(UTF8Bytes.scalar(bytes, previous).value) else { break }
          upper = previous
        }
      }
      return lower..<upper
    }
    if range.count < text.count { text = text.slice(range) }
  }
}

/// `Nmt`: the rules of SentencePiece for control characters and spaces.
struct NmtNormalizer: Normalizer {
  func normalize(_ text: inout AlignedText) throws(TokenizerError) {
    text.filter { scalar in
      switch scalar {
      case 0x01...0x08, 0x0B, 0x0E...0x1F, 0x7F, 0x8F, 0x9F: false
      default: true
      }
    }
    var changes: [ScalarChange] = []
    var hasChanges = false
    text.bytes.withUnsafeBufferPointer { bytes in
      var position = 0
      while position < bytes.count {
        let (scalar, width) = UTF8Bytes.scalar(bytes, position)
        position += width
        switch scalar {
        case 0x09, 0x0A, 0x0C, 0x0D, 0x1680, 0x200B...0x200F, 0x2028, 0x2029, 0x2581, 0xFEFF,
          0xFFFD:
          changes.append(ScalarChange(0x20, 0))
          hasChanges = true
        default: changes.append(ScalarChange(scalar, 0))
        }
      }
    }
    if hasChanges { text.transform(changes) }
  }
}

/// `Prepend`: puts a text before one that is not empty.
struct PrependNormalizer: Normalizer {
  let prefix: [UInt8]

  func normalize(_ text: inout AlignedText) throws(TokenizerError) { try text.prepend(prefix) }
}

/// `Replace`: puts a text in the place of all matches.
struct ReplaceNormalizer: Normalizer {
  let pattern: Pattern
  let content: [UInt8]

  func normalize(_ text: inout AlignedText) throws(TokenizerError) {
    let ranges = try pattern.matches(in: text.bytes)
    try text.replace(ranges, by: content)
  }
}

/// `ByteLevel` as a normalizer: each byte becomes the character that stands for it.
struct ByteLevelNormalizer: Normalizer {
  func normalize(_ text: inout AlignedText) throws(TokenizerError) { Self.spell(&text) }

  static func spell(_ text: inout AlignedText) {
    text.align()
    var result = AlignedText(capacity: text.count * 2)
    for index in 0..<text.count {
      result.append(
        ByteAlphabet.spelling(text.bytes[index]), for: (text.starts[index], text.ends[index]))
    }
    text = result
  }
}
