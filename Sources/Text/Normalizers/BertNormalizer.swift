/// `BertNormalizer`: cleans the text, isolates ideographs, strips accents, makes lowercase.
struct BertNormalizer: Normalizer {
  let cleansText: Bool
  let isolatesIdeographs: Bool
  let stripsAccents: Bool
  let lowercases: Bool

  func normalize(_ text: inout AlignedText) throws(TokenizerError) {
    if text.bytes.withUnsafeBufferPointer({ UTF8Bytes.isASCII($0) }) {
      clean(ascii: &text)
    } else {
      if cleansText { clean(&text) }
      if isolatesIdeographs { isolateIdeographs(&text) }
      if stripsAccents {
        try NormalizationForm.nfd.normalize(&text)
        let accents = ScalarSet.nonspacingMarks
        text.filter { $0 < 0x300 || !accents.contains($0) }
      }
      if lowercases { LowercaseNormalizer.lowercase(&text) }
    }
  }

  private func clean(ascii text: inout AlignedText) {
    if cleansText {
      let hasControls = text.bytes.contains { Self.isRemoved(ascii: $0) }
      if hasControls { text.filter { !Self.isRemoved(ascii: UInt8(truncatingIfNeeded: $0)) } }
      if lowercases {
        text.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 < 0x20 ? 0x20 : $0 }
      } else {
        text.map { $0 < 0x20 ? 0x20 : $0 }
      }
    } else if lowercases {
      text.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    }
  }

  private static func isRemoved(ascii byte: UInt8) -> Bool {
    byte == 0x7F || (byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D)
  }

  private func clean(_ text: inout AlignedText) {
    let (controls, spaces) = (ScalarSet.controls, ScalarSet.whitespace)
    text.filter { scalar in
      if scalar < 0x7F { return !Self.isRemoved(ascii: UInt8(truncatingIfNeeded: scalar)) }
      return scalar != 0xFFFD && !controls.contains(scalar)
    }
    var changes: [ScalarChange] = []
    changes.reserveCapacity(text.count)
    var hasChanges = false
    text.bytes.withUnsafeBufferPointer { bytes in
      var position = 0
      while position < bytes.count {
        let (scalar, width) = UTF8Bytes.scalar(bytes, position)
        position += width
        let isSpace =
          scalar < 0x80 ? scalar < 0x20 : scalar == 0x85 || spaces.contains(scalar)
        if isSpace { hasChanges = true }
        changes.append(ScalarChange(isSpace ? 0x20 : scalar, 0))
      }
    }
    if hasChanges { text.transform(changes) }
  }

  private static func isIdeograph(_ scalar: UInt32) -> Bool {
    guard scalar >= 0x3400 else { return false }
    switch scalar {
    case 0x4E00...0x9FFF, 0x3400...0x4DBF, 0x20000...0x2A6DF, 0x2A700...0x2B73F,
      0x2B740...0x2B81F, 0x2B920...0x2CEAF, 0xF900...0xFAFF, 0x2F800...0x2FA1F:
      return true
    default: return false
    }
  }

  private func isolateIdeographs(_ text: inout AlignedText) {
    var changes: [ScalarChange] = []
    var hasChanges = false
    text.bytes.withUnsafeBufferPointer { bytes in
      var position = 0
      while position < bytes.count, !hasChanges {
        let (scalar, width) = UTF8Bytes.scalar(bytes, position)
        position += width
        hasChanges = Self.isIdeograph(scalar)
      }
      guard hasChanges else { return }
      changes.reserveCapacity(bytes.count)
      position = 0
      while position < bytes.count {
        let (scalar, width) = UTF8Bytes.scalar(bytes, position)
        position += width
        if Self.isIdeograph(scalar) {
          changes.append(ScalarChange(0x20, 0))
          changes.append(ScalarChange(scalar, 1))
          changes.append(ScalarChange(0x20, 1))
        } else {
          changes.append(ScalarChange(scalar, 0))
        }
      }
    }
    if hasChanges { text.transform(changes) }
  }
}
