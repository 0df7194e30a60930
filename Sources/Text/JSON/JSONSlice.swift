/// A value of a JSON document that was checked: a range of its bytes, read when it is asked for.
///
/// A vocabulary of a million tokens is walked where it stands, so that only what is kept takes
/// memory.
struct JSONSlice: Sendable {
  /// The bytes of the document.
  let bytes: [UInt8]
  /// The first byte of the value.
  let start: Int
  /// Where the value is in the document, for messages.
  let place: String

  /// The most elements and fields of values that are not a vocabulary.
  private static let maximumElements = 1 << 20
  private static let maximumFields = 1 << 14

  /// The value of a whole document.
  ///
  /// - Throws: ``TokenizerError``: `malformed` or `tooLarge`.
  init(document bytes: [UInt8]) throws(TokenizerError) {
    try JSONValidator.check(bytes)
    self.init(bytes, Self.afterSpace(bytes, 0), "")
  }

  private init(_ bytes: [UInt8], _ start: Int, _ place: String) {
    (self.bytes, self.start, self.place) = (bytes, start, place)
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// What a letter after a backslash stands for; `nil` for one that stands for nothing.
  static func escapes(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
    case UInt8(ascii: "b"): 8
    case UInt8(ascii: "f"): 12
    case UInt8(ascii: "n"): 10
    case UInt8(ascii: "r"): 13
    case UInt8(ascii: "t"): 9
    default: nil
    }
  }

  /// Four hexadecimal digits.
  static func unit(_ bytes: [UInt8], at position: Int) -> UInt32? {
    var value: UInt32 = 0
    for byte in bytes[position..<position + 4] {
      guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  private static func afterSpace(_ bytes: [UInt8], _ start: Int) -> Int {
    var position = start
    while position < bytes.count, isSpace(bytes[position]) { position += 1 }
    return position
  }

  /// The end of the value that begins at a byte.
  private static func end(_ bytes: [UInt8], _ start: Int) -> Int {
    var depth = 0
    var position = start
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position = endOfString(bytes, position)
        if depth == 0 { return position }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return position + 1 }
        if depth < 0 { return position }
      case UInt8(ascii: ","):
        if depth == 0 { return position }
      case let byte where depth == 0 && isSpace(byte): return position
      default: break
      }
      position += 1
    }
    return position
  }

  private static func endOfString(_ bytes: [UInt8], _ start: Int) -> Int {
    var position = start + 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return position + 1
  }

  // MARK: Kinds

  private var first: UInt8 { start < bytes.count ? bytes[start] : 0 }
  /// Whether the value is `null`.
  var isNull: Bool { first == UInt8(ascii: "n") }
  /// Whether the value is a string.
  var isString: Bool { first == UInt8(ascii: "\"") }
  /// Whether the value is an object.
  var isObject: Bool { first == UInt8(ascii: "{") }
  /// Whether the value is an array.
  var isArray: Bool { first == UInt8(ascii: "[") }

  private func wrong(_ needs: String) -> TokenizerError {
    let end = min(Self.end(bytes, start), start + 40)
    return .invalid(
      place.isEmpty ? "the document" : place,
      String(decoding: bytes[min(start, end)..<end], as: UTF8.self), needs: needs)
  }

  // MARK: Values

  /// A Boolean.
  func bool() throws(TokenizerError) -> Bool {
    guard first == UInt8(ascii: "t") || first == UInt8(ascii: "f") else {
      throw wrong("true or false")
    }
    return first == UInt8(ascii: "t")
  }

  /// A number.
  func double() throws(TokenizerError) -> Double {
    guard first == 0x2D || (0x30...0x39).contains(first),
      let value = Double(String(decoding: bytes[start..<Self.end(bytes, start)], as: UTF8.self)),
      value.isFinite
    else { throw wrong("a number") }
    return value
  }

  /// A whole number from 0 to a limit.
  func int(limit: Int = Int(Int32.max)) throws(TokenizerError) -> Int {
    let end = Self.end(bytes, start)
    var value = 0
    guard end > start, end - start <= 18 else { throw wrong("a whole number up to \(limit)") }
    for byte in bytes[start..<end] {
      guard (0x30...0x39).contains(byte) else { throw wrong("a whole number up to \(limit)") }
      value = value * 10 + Int(byte - 0x30)
    }
    guard value <= limit else { throw wrong("a whole number up to \(limit)") }
    return value
  }

  /// A string.
  func string() throws(TokenizerError) -> String {
    var text: [UInt8] = []
    try append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// A string of one scalar.
  func scalar() throws(TokenizerError) -> Unicode.Scalar {
    let text = try string()
    guard let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1 else {
      throw wrong("one character")
    }
    return scalar
  }

  /// Appends the bytes of a string.
  func append(to text: inout [UInt8]) throws(TokenizerError) {
    guard isString else { throw wrong("a string") }
    var position = start + 1
    while bytes[position] != UInt8(ascii: "\"") {
      let byte = bytes[position]
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        position += 1
        continue
      }
      let letter = bytes[position + 1]
      position += 2
      guard letter == UInt8(ascii: "u") else {
        text.append(Self.escapes(letter) ?? letter)
        continue
      }
      var value = Self.unit(bytes, at: position) ?? 0
      position += 4
      if 0xD800..<0xDC00 ~= value, let low = Self.unit(bytes, at: position + 2) {
        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        position += 6
      }
      UTF8Bytes.append(value, to: &text)
    }
  }

  // MARK: Containers

  /// Calls a closure with each element of an array.
  func forEachElement(
    _ body: (JSONSlice) throws(TokenizerError) -> Void
  ) throws(TokenizerError) {
    guard isArray else { throw wrong("an array") }
    var position = Self.afterSpace(bytes, start + 1)
    var index = 0
    while bytes[position] != UInt8(ascii: "]") {
      try body(JSONSlice(bytes, position, place))
      index += 1
      position = Self.afterSpace(bytes, Self.end(bytes, position))
      if bytes[position] == UInt8(ascii: ",") { position = Self.afterSpace(bytes, position + 1) }
    }
  }

  /// Calls a closure with the key and the value of each field of an object.
  func forEachField(
    _ body: (JSONSlice, JSONSlice) throws(TokenizerError) -> Void
  ) throws(TokenizerError) {
    guard isObject else { throw wrong("an object") }
    var position = Self.afterSpace(bytes, start + 1)
    while bytes[position] != UInt8(ascii: "}") {
      let key = JSONSlice(bytes, position, place)
      position = Self.afterSpace(bytes, Self.endOfString(bytes, position)) + 1
      position = Self.afterSpace(bytes, position)
      try body(key, JSONSlice(bytes, position, place))
      position = Self.afterSpace(bytes, Self.end(bytes, position))
      if bytes[position] == UInt8(ascii: ",") { position = Self.afterSpace(bytes, position + 1) }
    }
  }

  /// The elements of an array.
  func elements() throws(TokenizerError) -> [JSONSlice] {
    var list: [JSONSlice] = []
    try forEachElement { element throws(TokenizerError) in
      guard list.count < Self.maximumElements else {
        throw TokenizerError(
          .tooLarge, "an array is too long", entry: place,
          needs: "at most \(Self.maximumElements) elements")
      }
      list.append(JSONSlice(bytes, element.start, "\(place)[\(list.count)]"))
    }
    return list
  }

  /// The fields of an object; if a key is repeated, its last value counts.
  func fields() throws(TokenizerError) -> JSONFields {
    var table: [String: JSONSlice] = [:]
    try forEachField { key, value throws(TokenizerError) in
      let name = try key.string()
      guard table.count < Self.maximumFields else {
        throw TokenizerError(
          .tooLarge, "an object has too many fields", entry: place,
          needs: "at most \(Self.maximumFields)")
      }
      table[name] = JSONSlice(bytes, value.start, place.isEmpty ? name : "\(place).\(name)")
    }
    return JSONFields(place: place, table: table)
  }
}

/// The fields of an object by name.
struct JSONFields: Sendable {
  /// Where the object is, for messages.
  let place: String
  let table: [String: JSONSlice]

  /// A field that is there and not `null`.
  subscript(name: String) -> JSONSlice? {
    guard let value = table[name], !value.isNull else { return nil }
    return value
  }

  /// A field that must be there.
  func required(_ name: String) throws(TokenizerError) -> JSONSlice {
    guard let value = self[name] else { throw .invalid(place, "no \"\(name)\"") }
    return value
  }

  /// The name of the part that the object describes.
  func type() throws(TokenizerError) -> String { try required("type").string() }

  /// A Boolean; the default if it is missing.
  func bool(_ name: String, _ missing: Bool) throws(TokenizerError) -> Bool {
    guard let value = self[name] else { return missing }
    return try value.bool()
  }

  /// A string, or what counts where it is missing.
  func string(_ name: String, _ missing: String) throws(TokenizerError) -> String {
    guard let value = self[name] else { return missing }
    return try value.string()
  }
}
