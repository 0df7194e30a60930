/// Writes JSON.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  /// Whether the next name or element needs a comma.
  private var needsComma = false

  init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

  /// Writes an object.
  mutating func object<Failure>(
    _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    try enclosed(by: "{", "}", body)
  }

  /// Writes an array.
  mutating func array<Failure>(
    _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    try enclosed(by: "[", "]", body)
  }

  private mutating func enclosed<Failure>(
    by open: Character, _ close: Character,
    _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    separate()
    bytes.append(open.asciiValue ?? 0)
    needsComma = false
    try body(&self)
    bytes.append(close.asciiValue ?? 0)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  /// Writes a name of an object, whose value follows.
  mutating func name(_ name: String) {
    value(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a string.
  mutating func value(_ text: String) { value(utf8: text.utf8) }

  /// Writes a string of UTF-8 bytes.
  mutating func value(utf8 text: some Sequence<UInt8>) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes a Boolean.
  mutating func value(_ flag: Bool) { literal(flag ? "true" : "false") }

  /// Writes an integer.
  mutating func value(_ integer: some BinaryInteger) { literal("\(integer)") }

  /// Writes a number as it prints itself.
  mutating func literal(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes a parameter.
  mutating func value(_ parameter: ParameterValue) {
    switch parameter {
    case .flag(let flag): value(flag)
    case .integer(let integer): value(integer)
    case .unsigned(let unsigned): value(unsigned)
    case .number(let number): literal("\(number)")
    case .text(let text): value(text)
    }
  }
}
