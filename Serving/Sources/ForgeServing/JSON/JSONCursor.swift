/// Reads JSON from bytes, one value after the other, without a tree.
///
/// Objects and arrays are walked with closures; a value that nobody wants is skipped. The depth is
/// bounded, and no number of bytes makes it copy more than the strings that are asked for.
struct JSONCursor {
  /// The deepest nesting of arrays and objects.
  static let maximumDepth = 64

  private let bytes: ArraySlice<UInt8>
  private var index: Int
  private var depth = 0

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    index = bytes.startIndex
  }

  /// What a value is, by its first character.
  enum Kind { case object, array, string, number, flag, null }

  private func failure(_ message: String) -> ServingError {
    .invalid("the JSON is malformed at byte \(index - bytes.startIndex): \(message)")
  }

  private mutating func skipSpace() {
    while index < bytes.endIndex {
      switch bytes[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      default: return
      }
    }
  }

  /// The next character that is not space; `nil` at the end.
  private mutating func peek() -> UInt8? {
    skipSpace()
    return index < bytes.endIndex ? bytes[index] : nil
  }

  private mutating func take(_ character: Character) throws(ServingError) {
    guard let next = peek(), next == character.asciiValue else {
      throw failure("expected \(character)")
    }
    index += 1
  }

  /// The kind of the next value.
  mutating func kind() throws(ServingError) -> Kind {
    guard let first = peek() else { throw failure("a value is missing") }
    switch first {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .flag
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw failure("no value begins like this")
    }
  }

  /// Checks that nothing but space is left.
  mutating func end() throws(ServingError) {
    if peek() != nil { throw failure("there is more after the value") }
  }

  private mutating func enter() throws(ServingError) {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw failure("more than \(Self.maximumDepth) levels")
    }
  }

  /// Reads an object; `body` must read or skip the value of each name.
  mutating func object(
    _ body: (String, inout JSONCursor) throws(ServingError) -> Void
  ) throws(ServingError) {
    try take("{")
    try enter()
    if peek() == UInt8(ascii: "}") {
      index += 1
    } else {
      while true {
        let name = try string()
        try take(":")
        try body(name, &self)
        if peek() == UInt8(ascii: ",") {
          index += 1
        } else {
          try take("}")
          break
        }
      }
    }
    depth -= 1
  }

  /// Reads an array; `body` must read or skip each element.
  mutating func array(
    _ body: (inout JSONCursor) throws(ServingError) -> Void
  ) throws(ServingError) {
    try take("[")
    try enter()
    if peek() == UInt8(ascii: "]") {
      index += 1
    } else {
      while true {
        try body(&self)
        if peek() == UInt8(ascii: ",") {
          index += 1
        } else {
          try take("]")
          break
        }
      }
    }
    depth -= 1
  }

  /// Reads a Boolean.
  mutating func flag() throws(ServingError) -> Bool {
    _ = peek()
    if bytes[index...].starts(with: "true".utf8) {
      index += 4
      return true
    }
    guard bytes[index...].starts(with: "false".utf8) else {
      throw failure("expected true or false")
    }
    index += 5
    return false
  }

  /// Reads `null`.
  mutating func null() throws(ServingError) {
    _ = peek()
    guard bytes[index...].starts(with: "null".utf8) else { throw failure("expected null") }
    index += 4
  }

  /// The characters of a number, checked against JSON's grammar.
  mutating func number() throws(ServingError) -> ArraySlice<UInt8> {
    _ = peek()
    let start = index
    func isDigit(_ at: Int) -> Bool {
      at < bytes.endIndex && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[at])
    }
    func has(_ characters: String) -> Bool {
      index < bytes.endIndex && characters.utf8.contains(bytes[index])
    }
    if has("-") { index += 1 }
    guard isDigit(index) else { throw failure("expected a number") }
    if has("0") { index += 1 } else { while isDigit(index) { index += 1 } }
    if has(".") {
      index += 1
      guard isDigit(index) else { throw failure("a number ends with a point") }
      while isDigit(index) { index += 1 }
    }
    if has("eE") {
      index += 1
      if has("+-") { index += 1 }
      guard isDigit(index) else { throw failure("a number ends in its exponent") }
      while isDigit(index) { index += 1 }
    }
    return bytes[start..<index]
  }

  /// Reads a string as UTF-8 bytes.
  mutating func utf8() throws(ServingError) -> [UInt8] {
    try take("\"")
    let start = index
    while index < bytes.endIndex, bytes[index] != UInt8(ascii: "\""),
      bytes[index] != UInt8(ascii: "\\"), bytes[index] >= 0x20
    {
      index += 1
    }
    var result = Array(bytes[start..<index])
    while true {
      guard index < bytes.endIndex else { throw failure("a string does not end") }
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return result
      case UInt8(ascii: "\\"): try appendEscape(to: &result)
      case 0..<0x20: throw failure("a control character in a string")
      default: result.append(byte)
      }
    }
  }

  /// Reads a string.
  ///
  /// - Throws: ``ServingError`` when it is malformed or not UTF-8.
  mutating func string() throws(ServingError) -> String {
    let bytes = try utf8()
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw failure("a string is not UTF-8")
    }
    return text
  }

  private mutating func appendEscape(to result: inout [UInt8]) throws(ServingError) {
    guard index < bytes.endIndex else { throw failure("a string does not end") }
    let escape = bytes[index]
    index += 1
    switch escape {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(escape)
    case UInt8(ascii: "b"): result.append(8)
    case UInt8(ascii: "f"): result.append(12)
    case UInt8(ascii: "n"): result.append(10)
    case UInt8(ascii: "r"): result.append(13)
    case UInt8(ascii: "t"): result.append(9)
    case UInt8(ascii: "u"):
      var code = try hexadecimal()
      if (0xD800..<0xDC00).contains(code) {
        guard bytes[index...].starts(with: "\\u".utf8) else { throw failure("half a character") }
        index += 2
        let low = try hexadecimal()
        guard (0xDC00..<0xE000).contains(low) else { throw failure("half a character") }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw failure("half a character") }
      result.append(contentsOf: String(scalar).utf8)
    default: throw failure("unknown escape")
    }
  }

  private mutating func hexadecimal() throws(ServingError) -> UInt32 {
    guard bytes.endIndex - index >= 4 else { throw failure("a string does not end") }
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue else {
        throw failure("expected four hexadecimal digits")
      }
      code = code << 4 | UInt32(digit)
      index += 1
    }
    return code
  }

  /// Skips a value and returns its bytes.
  @discardableResult
  mutating func skip() throws(ServingError) -> ArraySlice<UInt8> {
    _ = peek()
    let start = index
    switch try kind() {
    case .object: try object { (_, cursor) throws(ServingError) in try cursor.skip() }
    case .array: try array { (cursor) throws(ServingError) in try cursor.skip() }
    case .string: _ = try utf8()
    case .number: _ = try number()
    case .flag: _ = try flag()
    case .null: try null()
    }
    return bytes[start..<index]
  }

  /// The elements of an array, in any nesting, in order.
  mutating func elements(
    _ body: (inout JSONCursor) throws(ServingError) -> Void
  ) throws(ServingError) {
    if try kind() == .array {
      try array { (cursor) throws(ServingError) in try cursor.elements(body) }
    } else {
      try body(&self)
    }
  }

  /// Reads an integer that fits `Int64` or `UInt64`, or another number, or any scalar.
  mutating func parameter() throws(ServingError) -> ParameterValue {
    switch try kind() {
    case .string: return .text(try string())
    case .flag: return .flag(try flag())
    case .number:
      let text = String(decoding: try number(), as: UTF8.self)
      if let integer = Int64(text) { return .integer(integer) }
      if let unsigned = UInt64(text) { return .unsigned(unsigned) }
      guard let number = Double(text) else { throw failure("a number out of range") }
      return .number(number)
    default: throw failure("a parameter must be a string, a number or a Boolean")
    }
  }

  /// Reads a whole number of at least 0 that an `Int` holds.
  mutating func count() throws(ServingError) -> Int {
    guard let count = Int(String(decoding: try number(), as: UTF8.self)), count >= 0 else {
      throw failure("expected a whole number of at least 0")
    }
    return count
  }
}
