/// Checks that bytes are one JSON value, without recursion and without building anything.
///
/// Everything after the check may rely on the form of the bytes. Source: RFC 8259.
struct JSONValidator {
  private let bytes: [UInt8]
  private var position = 0
  private static let maximumDepth = 64

  /// Checks bytes.
  ///
  /// - Throws: ``TokenizerError``: `malformed` with the place, `tooLarge` for the depth.
  static func check(_ bytes: [UInt8]) throws(TokenizerError) {
    guard UTF8Bytes.isValid(bytes) else { throw .malformed("bytes that are not UTF-8") }
    var validator = JSONValidator(bytes: bytes)
    try validator.document()
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private func fail(_ what: String) -> TokenizerError { .malformed("\(what) at byte \(position)") }

  private mutating func skipSpace() {
    while position < bytes.count, JSONSlice.isSpace(bytes[position]) { position += 1 }
  }

  /// The document: an explicit stack holds the brackets that are open.
  private mutating func document() throws(TokenizerError) {
    var open: [UInt8] = []
    var wantsValue = true
    while true {
      skipSpace()
      if wantsValue {
        guard position < bytes.count else { throw fail("an end without a value") }
        let byte = bytes[position]
        if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
          guard open.count < Self.maximumDepth else {
            throw TokenizerError(
              .tooLarge, "the JSON is nested too deeply", needs: "at most \(Self.maximumDepth)")
          }
          position += 1
          skipSpace()
          guard position < bytes.count else { throw fail("an end without a bracket") }
          let closing: UInt8 = byte == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]")
          if bytes[position] == closing {
            position += 1
            wantsValue = false
          } else {
            open.append(closing)
            if closing == UInt8(ascii: "}") { try key() }
          }
          if !wantsValue, open.isEmpty { break }
          continue
        }
        try scalar()
        wantsValue = false
      }
      guard let closing = open.last else { break }
      skipSpace()
      guard position < bytes.count else { throw fail("an end without a bracket") }
      if bytes[position] == closing {
        position += 1
        open.removeLast()
      } else {
        guard bytes[position] == UInt8(ascii: ",") else { throw fail("a value without a comma") }
        position += 1
        skipSpace()
        if closing == UInt8(ascii: "}") { try key() }
        wantsValue = true
      }
    }
    skipSpace()
    guard position == bytes.count else { throw fail("bytes after the value") }
  }

  private mutating func key() throws(TokenizerError) {
    try string()
    skipSpace()
    guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else {
      throw fail("a key without a colon")
    }
    position += 1
  }

  private mutating func scalar() throws(TokenizerError) {
    switch bytes[position] {
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    default: try number()
    }
  }

  private mutating func word(_ text: StaticString) throws(TokenizerError) {
    let count = text.utf8CodeUnitCount
    guard position + count <= bytes.count else { throw fail("an unknown word") }
    for index in 0..<count where bytes[position + index] != text.utf8Start[index] {
      throw fail("an unknown word")
    }
    position += count
  }

  private mutating func digits() throws(TokenizerError) {
    let first = position
    while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
    guard position > first else { throw fail("a number without digits") }
  }

  private mutating func number() throws(TokenizerError) {
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let first = position
    try digits()
    guard bytes[first] != 0x30 || position == first + 1 else { throw fail("a leading zero") }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      position += 1
      try digits()
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < bytes.count, bytes[position] == 0x2b || bytes[position] == 0x2d {
        position += 1
      }
      try digits()
    }
  }

  private mutating func string() throws(TokenizerError) {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
      throw fail("a value that is not a string")
    }
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") { return }
      guard byte >= 0x20 else { throw fail("a control character in a string") }
      if byte == UInt8(ascii: "\\") { try escape() }
    }
    throw fail("an unterminated string")
  }

  private mutating func escape() throws(TokenizerError) {
    guard position < bytes.count else { throw fail("an unterminated string") }
    let byte = bytes[position]
    position += 1
    if byte != UInt8(ascii: "u") {
      guard JSONSlice.escapes(byte) != nil else { throw fail("an unknown escape") }
      return
    }
    let high = try unit()
    guard 0xD800..<0xE000 ~= high else { return }
    guard high < 0xDC00, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { throw fail("half a surrogate pair") }
    position += 2
    guard 0xDC00..<0xE000 ~= (try unit()) else { throw fail("half a surrogate pair") }
  }

  private mutating func unit() throws(TokenizerError) -> UInt32 {
    guard position + 4 <= bytes.count, let value = JSONSlice.unit(bytes, at: position) else {
      throw fail("an escape without four digits")
    }
    position += 4
    return value
  }
}
