/// A reader of untrusted JSON (RFC 8259).
struct JSONReader {
  /// The memory of a value in bytes, including spare capacity of arrays.
  private static let valueBytes = 48
  /// The memory overhead of an object and of a member, in bytes.
  private static let objectBytes = 64
  private static let memberBytes = 64
  /// The maximum length of a number; writers use fewer than 30 characters.
  private static let maximumNumberBytes = 1 << 10

  private var cursor: ByteCursor
  private let maximumDepth: Int
  private let allowsNonFinite: Bool
  private let budget: LoadBudget

  /// Reads a JSON text, within a maximum nesting depth and a budget.
  ///
  /// Python's writer makes `NaN`, `Infinity` and `-Infinity`, which only `allowsNonFinite` takes.
  ///
  /// - Throws: ``LoadError`` without a file: `damaged`, `duplicate` or `refused`.
  static func value(
    _ cursor: ByteCursor, maximumDepth: Int, allowsNonFinite: Bool = false, _ budget: LoadBudget
  ) throws(LoadError) -> JSONValue {
    var reader = JSONReader(
      cursor: cursor, maximumDepth: maximumDepth, allowsNonFinite: allowsNonFinite, budget: budget)
    let value = try reader.value(depth: 0)
    reader.cursor.skipSpaces()
    guard reader.cursor.left == 0 else { throw reader.cursor.damaged("text follows the JSON") }
    return value
  }

  private mutating func value(depth: Int) throws(LoadError) -> JSONValue {
    try budget.take(bytes: Self.valueBytes)
    cursor.skipSpaces()
    switch cursor.peek {
    case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
    case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
    case UInt8(ascii: "\""):
      let bytes = try text()
      try budget.take(bytes: bytes.count)
      return .text(String(decoding: bytes, as: UTF8.self))
    case UInt8(ascii: "t"): return try word("true", .flag(true))
    case UInt8(ascii: "f"): return try word("false", .flag(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "N") where allowsNonFinite: return try word("NaN", .number(.nan))
    case UInt8(ascii: "I") where allowsNonFinite: return try word("Infinity", .number(.infinity))
    default: return try number()
    }
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(LoadError) -> JSONValue {
    for character in word.unicodeScalars where !cursor.take(character) {
      throw cursor.damaged("the JSON has no value here")
    }
    return value
  }

  private mutating func number() throws(LoadError) -> JSONValue {
    let start = cursor
    let text = cursor.run(of: "+-.0123456789eE")
    if allowsNonFinite, text == "-", cursor.peek == UInt8(ascii: "I") {
      return try word("Infinity", .number(-.infinity))
    }
    guard text.utf8.count <= Self.maximumNumberBytes else {
      throw .refused("a number of \(text.utf8.count) characters")
    }
    let digits = text.drop { $0 == "-" }
    guard let first = digits.first, first.isNumber, text.count - digits.count <= 1,
      first != "0" || digits.dropFirst().first?.isNumber != true, text.last != "."
    else { throw start.damaged("the JSON has no value here") }
    if let integer = Int(text) { return .integer(integer) }
    guard let number = Double(text) else { throw start.damaged("the JSON has no value here") }
    return .number(number)
  }

  private mutating func array(depth: Int) throws(LoadError) -> [JSONValue] {
    var elements: [JSONValue] = []
    try list(closing: "]", depth: depth) { reader throws(LoadError) in
      elements.append(try reader.value(depth: depth))
    }
    return elements
  }

  private mutating func object(depth: Int) throws(LoadError) -> JSONObject {
    try budget.take(bytes: Self.objectBytes)
    var object = JSONObject()
    try list(closing: "}", depth: depth) { reader throws(LoadError) in
      reader.cursor.skipSpaces()
      let name = try reader.budget.name(try reader.text())
      try reader.budget.take(bytes: Self.memberBytes)
      reader.cursor.skipSpaces()
      guard reader.cursor.take(":") else { throw reader.cursor.damaged("the JSON lacks a colon") }
      let value = try reader.value(depth: depth)
      guard object.add(name, value) else { throw .duplicateEntry(name.text) }
    }
    return object
  }

  /// Reads a bracketed list, calling `element` to read each element.
  private mutating func list(
    closing: Unicode.Scalar, depth: Int,
    _ element: (inout JSONReader) throws(LoadError) -> Void
  ) throws(LoadError) {
    guard depth <= maximumDepth else {
      throw .refused("JSON more than \(maximumDepth) levels deep")
    }
    try cursor.skip(1)
    cursor.skipSpaces()
    if cursor.take(closing) { return }
    repeat {
      try element(&self)
      cursor.skipSpaces()
    } while cursor.take(",")
    guard cursor.take(closing) else { throw cursor.damaged("the JSON lacks a comma or bracket") }
  }

  // MARK: Texts

  /// The bytes of a string, as valid UTF-8.
  private mutating func text() throws(LoadError) -> [UInt8] {
    let start = cursor
    guard cursor.take("\"") else { throw cursor.damaged("the JSON lacks a quote") }
    var bytes: [UInt8] = []
    while true {
      bytes.append(
        contentsOf: cursor.run {
          $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        })
      let byte = UInt8(try cursor.byte())
      switch byte {
      case UInt8(ascii: "\""):
        guard Self.isUTF8(bytes) else { throw start.damaged("a JSON string is not UTF-8") }
        return bytes
      case UInt8(ascii: "\\"): try escape(into: &bytes)
      default: throw cursor.damaged("a JSON string has a control character")
      }
    }
  }

  private static func isUTF8(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
  }

  private mutating func escape(into bytes: inout [UInt8]) throws(LoadError) {
    let byte = UInt8(try cursor.byte())
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
    case UInt8(ascii: "b"): bytes.append(8)
    case UInt8(ascii: "t"): bytes.append(9)
    case UInt8(ascii: "n"): bytes.append(10)
    case UInt8(ascii: "f"): bytes.append(12)
    case UInt8(ascii: "r"): bytes.append(13)
    case UInt8(ascii: "u"): bytes.append(contentsOf: String(try scalar()).utf8)
    default: throw cursor.damaged("a JSON string has an unknown escape")
    }
  }

  /// A character escaped as `u` and four hex digits, or as a surrogate pair.
  private mutating func scalar() throws(LoadError) -> Character {
    let high = try fourDigits()
    var code = high
    if 0xd800..<0xdc00 ~= high, cursor.take("\\"), cursor.take("u") {
      let low = try fourDigits()
      // Without a low surrogate, the code is not a valid character.
      code = 0xdc00..<0xe000 ~= low ? 0x10000 + (high - 0xd800) << 10 + (low - 0xdc00) : high
    }
    guard let scalar = Unicode.Scalar(code) else {
      throw cursor.damaged("a JSON string has half a surrogate pair")
    }
    return Character(scalar)
  }

  private mutating func fourDigits() throws(LoadError) -> UInt32 {
    let start = cursor
    let digits = String(decoding: try cursor.raw(4), as: UTF8.self)
    guard digits.allSatisfy(\.isHexDigit), let code = UInt32(digits, radix: 16) else {
      throw start.damaged("a JSON string has an unknown escape")
    }
    return code
  }
}
