/// Reads JSON (RFC 8259) from bytes that may be anything.
struct JSONReader {
  /// What a value takes in memory, the room of growing arrays included.
  private static let valueBytes = 48
  /// What an object takes besides its members, and a member besides its name and value.
  private static let objectBytes = 64
  private static let memberBytes = 64
  /// Characters of a number; writers use less than 30.
  private static let maximumNumberBytes = 1 << 10
  private static let spaces: StaticString = " \t\r\n"

  private var cursor: ByteCursor
  private let maximumDepth: Int
  private let budget: LoadBudget

  private init(_ cursor: ByteCursor, maximumDepth: Int, _ budget: LoadBudget) {
    self.cursor = cursor
    self.maximumDepth = maximumDepth
    self.budget = budget
  }

  /// The one value of a text.
  ///
  /// - Parameters:
  ///   - cursor: the text, all that is left of it.
  ///   - maximumDepth: how many arrays and objects may lie in each other.
  ///   - budget: what the value is made from.
  /// - Returns: the value.
  /// - Throws: ``LoadError``: `damaged`, `duplicate` or `refused`.
  static func value(
    _ cursor: ByteCursor, maximumDepth: Int, _ budget: LoadBudget
  ) throws(LoadError) -> JSONValue {
    var reader = JSONReader(cursor, maximumDepth: maximumDepth, budget)
    let value = try reader.value(depth: 0)
    reader.cursor.skip(spaces)
    guard reader.cursor.left == 0 else { throw reader.cursor.damaged("text follows the JSON") }
    return value
  }

  private mutating func value(depth: Int) throws(LoadError) -> JSONValue {
    try budget.take(bytes: Self.valueBytes)
    cursor.skip(Self.spaces)
    switch cursor.peek {
    case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
    case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
    case UInt8(ascii: "\""):
      let bytes = try text()
      try budget.take(bytes: bytes.count)
      return .text(String(decoding: bytes, as: UTF8.self))
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(LoadError) -> JSONValue {
    for byte in word.utf8 where !cursor.take(byte) {
      throw cursor.damaged("the JSON has no value here")
    }
    return value
  }

  private mutating func number() throws(LoadError) -> JSONValue {
    let place = cursor
    let bytes = cursor.run("+-.0123456789eE")
    guard bytes.count <= Self.maximumNumberBytes else {
      throw .refused(
        cursor.path, entry: cursor.entry, "a number of \(bytes.count) characters")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let digits = text.drop { $0 == "-" }
    guard let first = digits.first, first.isNumber, text.count - digits.count <= 1,
      first != "0" || digits.dropFirst().first?.isNumber != true, text.last != "."
    else { throw place.damaged("the JSON has no value here") }
    if let integer = Int(text) { return .integer(integer) }
    guard let number = Double(text) else { throw place.damaged("the JSON has no value here") }
    return .number(number)
  }

  private func enter(_ depth: Int) throws(LoadError) {
    guard depth <= maximumDepth else {
      throw .refused(
        cursor.path, entry: cursor.entry, "JSON more than \(maximumDepth) levels deep")
    }
  }

  private mutating func array(depth: Int) throws(LoadError) -> [JSONValue] {
    try enter(depth)
    var elements: [JSONValue] = []
    guard try !opens(closing: UInt8(ascii: "]")) else { return elements }
    repeat {
      elements.append(try value(depth: depth))
    } while try goesOn(closing: UInt8(ascii: "]"))
    return elements
  }

  private mutating func object(depth: Int) throws(LoadError) -> JSONObject {
    try enter(depth)
    try budget.take(bytes: Self.objectBytes)
    var object = JSONObject()
    guard try !opens(closing: UInt8(ascii: "}")) else { return object }
    repeat {
      cursor.skip(Self.spaces)
      let name = try budget.name(try text())
      try budget.take(bytes: Self.memberBytes)
      cursor.skip(Self.spaces)
      guard cursor.take(UInt8(ascii: ":")) else { throw cursor.damaged("the JSON lacks a colon") }
      let value = try value(depth: depth)
      guard object.add(name, value) else { throw .duplicateEntry(cursor.path, name.text) }
    } while try goesOn(closing: UInt8(ascii: "}"))
    return object
  }

  /// Passes over the opening bracket; whether the closing one follows at once.
  private mutating func opens(closing: UInt8) throws(LoadError) -> Bool {
    _ = try cursor.raw(1, "the JSON")
    cursor.skip(Self.spaces)
    return cursor.take(closing)
  }

  /// Whether there is a comma; else there is the closing bracket.
  private mutating func goesOn(closing: UInt8) throws(LoadError) -> Bool {
    cursor.skip(Self.spaces)
    if cursor.take(UInt8(ascii: ",")) { return true }
    guard cursor.take(closing) else { throw cursor.damaged("the JSON lacks a comma or bracket") }
    return false
  }

  // MARK: Texts

  /// The bytes of a text, valid UTF-8.
  private mutating func text() throws(LoadError) -> [UInt8] {
    let place = cursor
    guard cursor.take(UInt8(ascii: "\"")) else { throw cursor.damaged("the JSON lacks a quote") }
    var bytes: [UInt8] = []
    while true {
      bytes.append(
        contentsOf: cursor.run {
          $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        })
      let byte = try cursor.raw(1, "a text of the JSON")[0]
      switch byte {
      case UInt8(ascii: "\""):
        guard Self.isUTF8(bytes) else { throw place.damaged("a text of the JSON is not UTF-8") }
        return bytes
      case UInt8(ascii: "\\"): try escape(into: &bytes)
      default: throw cursor.damaged("a text of the JSON has a control character")
      }
    }
  }

  private static func isUTF8(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
  }

  private mutating func escape(into bytes: inout [UInt8]) throws(LoadError) {
    let byte = try cursor.raw(1, "a text of the JSON")[0]
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
    case UInt8(ascii: "b"): bytes.append(8)
    case UInt8(ascii: "t"): bytes.append(9)
    case UInt8(ascii: "n"): bytes.append(10)
    case UInt8(ascii: "f"): bytes.append(12)
    case UInt8(ascii: "r"): bytes.append(13)
    case UInt8(ascii: "u"): bytes.append(contentsOf: String(try scalar()).utf8)
    default: throw cursor.damaged("a text of the JSON has an unknown escape")
    }
  }

  /// One character written as `u` and four digits, or as two of these.
  private mutating func scalar() throws(LoadError) -> Character {
    let high = try fourDigits()
    var code = high
    if 0xd800..<0xdc00 ~= high, cursor.take(UInt8(ascii: "\\")), cursor.take(UInt8(ascii: "u")) {
      let low = try fourDigits()
      // What is no second half leaves a code that is no character.
      code = 0xdc00..<0xe000 ~= low ? 0x10000 + (high - 0xd800) << 10 + (low - 0xdc00) : high
    }
    guard let scalar = Unicode.Scalar(code) else {
      throw cursor.damaged("a text of the JSON has half a character")
    }
    return Character(scalar)
  }

  private mutating func fourDigits() throws(LoadError) -> UInt32 {
    let place = cursor
    let digits = String(decoding: try cursor.raw(4, "a text of the JSON"), as: UTF8.self)
    guard digits.allSatisfy(\.isHexDigit), let code = UInt32(digits, radix: 16) else {
      throw place.damaged("a text of the JSON has an unknown escape")
    }
    return code
  }
}
