import ForgeSystem

/// The rules of SentencePiece for characters: a trie in an array of units, and the texts that its
/// leaves lead to.
///
/// Source: sentencepiece, `precompiled_charsmap`; the units are those of darts-clone.
struct CharacterMap: Sendable {
  private let units: [UInt32]
  private let texts: [UInt8]

  private static let longestRule = 256

  /// Reads the rules.
  ///
  /// - Throws: ``TokenizerError`` of kind `malformed`.
  init(_ bytes: some RandomAccessCollection<UInt8>, place: String) throws(TokenizerError) {
    let bytes = Array(bytes)
    func word(_ offset: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
    }
    guard bytes.count > 4 else {
      throw .malformed("rules for characters without a size", at: place)
    }
    let byteCount = Int(word(0))
    guard byteCount >= 4, byteCount <= bytes.count - 4 else {
      throw .malformed("rules for characters of a different size", at: place)
    }
    units = stride(from: 4, to: 4 + byteCount / 4 * 4, by: 4).map { word($0) }
    texts = Array(bytes[(4 + byteCount / 4 * 4)...])
    guard UTF8Bytes.isValid(texts) else {
      throw .malformed("rules for characters that are not UTF-8", at: place)
    }
  }

  /// Calls a closure with each prefix that has a rule: its length and the rule.
  @inline(__always)
  func forEachPrefix(
    _ text: UnsafeBufferPointer<UInt8>, _ bounds: Range<Int>, _ body: (Int, Int) -> Bool
  ) {
    let range = bounds.prefix(Self.longestRule)
    units.withUnsafeBufferPointer { units in
      guard var unit = units.first else { return }
      var node = Self.offset(unit)
      for position in range {
        let byte = text[position]
        guard byte != 0 else { return }
        node ^= Int(byte)
        guard node < units.count else { return }
        unit = units[node]
        guard unit & (1 << 31 | 0xFF) == UInt32(byte) else { return }
        node ^= Self.offset(unit)
        guard node < units.count else { return }
        guard unit >> 8 & 1 == 1 else { continue }
        let rule = Int(units[node] & 0x7FFF_FFFF)
        guard body(position + 1 - range.lowerBound, rule) else { return }
      }
    }
  }

  @inline(__always)
  private static func offset(_ unit: UInt32) -> Int {
    Int(unit >> 10) << Int((unit & 1 << 9) >> 6)
  }

  /// The text of a rule; `nil` for a rule that leads nowhere.
  func text(_ rule: Int) -> ArraySlice<UInt8>? {
    guard rule < texts.count, !UTF8Bytes.isContinuation(texts[rule]) else { return nil }
    var end = rule
    while end < texts.count, texts[end] != 0 { end += 1 }
    return texts[rule..<end]
  }

  /// The text for a chunk by the rule for its shortest prefix, as Hugging Face's library has it.
  func shortest(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> ArraySlice<UInt8>? {
    var found: ArraySlice<UInt8>?
    forEachPrefix(text, range) { _, rule in
      found = self.text(rule)
      return false
    }
    return found
  }

  /// The longest prefix with a rule and its text, as SentencePiece has it.
  func longest(
    _ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
  ) -> (length: Int, text: ArraySlice<UInt8>)? {
    var best: (Int, Int)?
    forEachPrefix(text, range) { length, rule in
      let end = range.lowerBound + length
      // A rule ends where a character ends, and is short: a trie with cycles has no end.
      if end == text.count || !UTF8Bytes.isContinuation(text[end]) { best = (length, rule) }
      return length < Self.longestRule
    }
    guard let (length, rule) = best, let text = self.text(rule) else { return nil }
    return (length, text)
  }
}

/// `Precompiled`: the rules of SentencePiece, applied to what a reader sees as one character.
struct PrecompiledNormalizer: Normalizer {
  let map: CharacterMap

  func normalize(_ text: inout AlignedText) throws(TokenizerError) {
    var changes: [ScalarChange] = []
    var hasChanges = false
    text.bytes.withUnsafeBufferPointer { bytes in
      changes.reserveCapacity(bytes.count)
      if UTF8Bytes.isASCII(bytes) {
        var position = 0
        while position < bytes.count {
          let isPair =
            bytes[position] == 0x0D && position + 1 < bytes.count && bytes[position + 1] == 0x0A
          let end = position + (isPair ? 2 : 1)
          hasChanges = apply(bytes, position..<end, to: &changes) || hasChanges
          position = end
        }
        return
      }
      var position = 0
      for character in String(decoding: bytes, as: UTF8.self) {
        let end = position + character.utf8.count
        hasChanges = apply(bytes, position..<end, to: &changes) || hasChanges
        position = end
      }
    }
    if hasChanges { text.transform(changes) }
  }

  private func apply(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, to changes: inout [ScalarChange]
  ) -> Bool {
    if range.count < 6, let new = map.shortest(bytes, range) {
      Self.replace(bytes, range, by: new, in: &changes)
      return true
    }
    var position = range.lowerBound
    var hasChanges = false
    while position < range.upperBound {
      let (scalar, width) = UTF8Bytes.scalar(bytes, position)
      if let new = map.shortest(bytes, position..<position + width) {
        Self.replace(bytes, position..<position + width, by: new, in: &changes)
        hasChanges = true
      } else {
        changes.append(ScalarChange(scalar, 0))
      }
      position += width
    }
    return hasChanges
  }

  private static func replace(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, by new: ArraySlice<UInt8>,
    in changes: inout [ScalarChange]
  ) {
    let oldCount = UTF8Bytes.scalarCount(UnsafeBufferPointer(rebasing: bytes[range]))
    var newCount = 0
    new.withUnsafeBufferPointer { new in
      var position = 0
      while position < new.count {
        let (scalar, width) = UTF8Bytes.scalar(new, position)
        position += width
        changes.append(ScalarChange(scalar, 0))
        newCount += 1
      }
    }
    let difference = newCount - oldCount
    if difference > 0 {
      for index in max(0, changes.count - difference)..<changes.count { changes[index].change = 1 }
    } else if difference < 0, !changes.isEmpty {
      changes[changes.count - 1].change += Int32(difference)
    }
  }
}
