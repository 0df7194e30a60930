/// A message in the protobuf text format, as config.pbtxt is written.
///
/// The reader is bounded in bytes, fields and depth; unknown fields are kept, so that the caller
/// decides what concerns it.
package struct TextMessage: Sendable, Hashable {
  /// A value of a field.
  package enum Value: Sendable, Hashable {
    /// A number, a name or a Boolean as it is written, or the bytes of a string.
    case scalar(String)
    case message(TextMessage)
  }

  /// The fields in their order; a name may occur several times.
  package private(set) var fields: [(name: String, value: Value)] = []

  /// The most bytes of a text, fields in it, and levels of messages.
  static let limits = (bytes: 1 << 20, fields: 10_000, depth: 32)

  package static func == (a: TextMessage, b: TextMessage) -> Bool {
    a.fields.elementsEqual(b.fields) { $0 == $1 }
  }

  package func hash(into hasher: inout Hasher) {
    for field in fields { hasher.combine(field.name) }
  }

  /// Reads a text.
  ///
  /// - Throws: ``ServingError`` of kind `invalid` with the line of a mistake.
  init(_ text: String) throws(ServingError) {
    guard text.utf8.count <= Self.limits.bytes else {
      throw .invalid("the configuration is longer than \(Self.limits.bytes) bytes")
    }
    var reader = TextReader(text)
    self = try reader.message(until: nil)
  }

  init() {}

  mutating func append(_ name: String, _ value: Value) { fields.append((name, value)) }

  /// The last scalar of a name.
  subscript(name: String) -> String? {
    for field in fields.reversed() where field.name == name {
      if case .scalar(let text) = field.value { return text }
    }
    return nil
  }

  /// All scalars of a name.
  package func scalars(_ name: String) -> [String] {
    fields.compactMap { field in
      if field.name == name, case .scalar(let text) = field.value { text } else { nil }
    }
  }

  /// All messages of a name.
  package func messages(_ name: String) -> [TextMessage] {
    fields.compactMap { field in
      if field.name == name, case .message(let message) = field.value { message } else { nil }
    }
  }

  /// Whether there is a field of a name.
  func has(_ name: String) -> Bool { fields.contains { $0.name == name } }
}

/// Reads tokens of the text format.
private struct TextReader {
  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var depth = 0
  private var fieldCount = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  private func failure(_ message: String) -> ServingError {
    .invalid("line \(line) of the configuration: \(message)")
  }

  private mutating func skipSpace() {
    while index < bytes.count {
      switch bytes[index] {
      case 0x0A:
        line += 1
        index += 1
      case 0x20, 0x09, 0x0D: index += 1
      case UInt8(ascii: "#"):
        while index < bytes.count, bytes[index] != 0x0A { index += 1 }
      default: return
      }
    }
  }

  private mutating func peek() -> UInt8? {
    skipSpace()
    return index < bytes.count ? bytes[index] : nil
  }

  private mutating func takes(_ character: Character) -> Bool {
    guard let byte = peek(), byte == character.asciiValue else { return false }
    index += 1
    return true
  }

  mutating func message(until end: Character?) throws(ServingError) -> TextMessage {
    depth += 1
    guard depth <= TextMessage.limits.depth else {
      throw failure("more than \(TextMessage.limits.depth) levels")
    }
    var message = TextMessage()
    while true {
      if let end, takes(end) { break }
      if peek() == nil {
        guard end == nil else { throw failure("a message does not end") }
        break
      }
      let name = try word()
      if takes(":") {
        try value(of: name, in: &message)
      } else {
        try nested(name, in: &message)
      }
      _ = takes(",") || takes(";")
    }
    depth -= 1
    return message
  }

  private mutating func value(
    of name: String, in message: inout TextMessage
  ) throws(ServingError) {
    switch peek() {
    case UInt8(ascii: "{"), UInt8(ascii: "<"): try nested(name, in: &message)
    case UInt8(ascii: "["):
      index += 1
      if takes("]") { return }
      repeat { try value(of: name, in: &message) } while takes(",")
      guard takes("]") else { throw failure("a list of \(name) does not end") }
    default: try add(name, .scalar(try scalar()), to: &message)
    }
  }

  private mutating func nested(
    _ name: String, in message: inout TextMessage
  ) throws(ServingError) {
    if takes("{") {
      try add(name, .message(try self.message(until: "}")), to: &message)
    } else if takes("<") {
      try add(name, .message(try self.message(until: ">")), to: &message)
    } else if peek() == UInt8(ascii: "[") {
      try value(of: name, in: &message)
    } else {
      throw failure("\(name) has no value")
    }
  }

  private mutating func add(
    _ name: String, _ value: TextMessage.Value, to message: inout TextMessage
  ) throws(ServingError) {
    fieldCount += 1
    guard fieldCount <= TextMessage.limits.fields else {
      throw failure("more than \(TextMessage.limits.fields) fields")
    }
    message.append(name, value)
  }

  /// A name, a number or a Boolean.
  private mutating func word() throws(ServingError) -> String {
    skipSpace()
    let start = index
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "+"):
        index += 1
        continue
      default: break
      }
      break
    }
    guard index > start else { throw failure("expected a name or a number") }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func scalar() throws(ServingError) -> String {
    var text: [UInt8] = []
    var isString = false
    // Strings beside each other are one.
    while let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      isString = true
      index += 1
      try string(until: quote, &text)
    }
    if !isString { return try word() }
    guard let text = String(validating: text, as: UTF8.self) else {
      throw failure("a string is not UTF-8")
    }
    return text
  }

  private mutating func string(
    until quote: UInt8, _ text: inout [UInt8]
  ) throws(ServingError) {
    while true {
      guard index < bytes.count, bytes[index] != 0x0A else {
        throw failure("a string does not end")
      }
      let byte = bytes[index]
      index += 1
      if byte == quote { return }
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard index < bytes.count else { throw failure("a string does not end") }
      let escape = bytes[index]
      index += 1
      switch escape {
      case UInt8(ascii: "n"): text.append(10)
      case UInt8(ascii: "t"): text.append(9)
      case UInt8(ascii: "r"): text.append(13)
      case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"): text.append(escape)
      default: throw failure("an escape that is not read here")
      }
    }
  }
}
