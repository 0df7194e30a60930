import ForgeSystem

/// Writes values as the bytes of a key.
///
/// Each part begins with a byte that says what follows, so that no two sequences of parts have the
/// same bytes:
///
/// | part | bytes |
/// | --- | --- |
/// | the name of a field or a case | `k`, its length, UTF-8 |
/// | a value and its parts | `(`, the parts, `)` |
/// | a number or a Boolean | the letter of its type, its bits in little-endian order |
/// | a text | `t`, its length, UTF-8 |
/// | an array of Float32 | `a`, its length, the bits of the numbers |
/// | a dictionary or a set | `s`, the number of its elements, their hashes in order |
/// | nothing | `n` |
///
/// An optional field without a value has no bytes at all.
final class KeyEncoder: Encoder {
  private(set) var bytes: [UInt8] = []
  /// The types that are known to have an order.
  private var ordered: Set<ObjectIdentifier> = []

  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  /// Adds a value and its parts.
  func add<Value: Encodable>(_ value: Value) throws {
    if Value.self == [Float].self, let numbers = value as? [Float] { return add(numbers) }
    // A cast takes much longer than a look into the table.
    if !ordered.contains(ObjectIdentifier(Value.self)) {
      if Value.self is any UnorderedContent.Type, let unordered = value as? any UnorderedContent {
        return try add(unordered)
      }
      ordered.insert(ObjectIdentifier(Value.self))
    }
    bytes.append(UInt8(ascii: "("))
    try value.encode(to: self)
    bytes.append(UInt8(ascii: ")"))
  }

  private func add(_ numbers: [Float]) {
    add("a", numbers.count)
    numbers.withUnsafeBytes { bytes += $0 }
  }

  private func add(_ unordered: any UnorderedContent) throws {
    let hashes = try unordered.elementHashes().map(\.words).sorted { one, other in
      (0..<4).lazy.filter { one[$0] != other[$0] }.first.map { one[$0] < other[$0] } ?? false
    }
    add("s", hashes.count)
    for hash in hashes {
      for index in 0..<4 { add("u", hash[index]) }
    }
  }

  fileprivate func add<Number: FixedWidthInteger>(_ letter: Unicode.Scalar, _ number: Number) {
    bytes.append(UInt8(ascii: letter))
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  fileprivate func add(_ letter: Unicode.Scalar, text: String) {
    var text = text
    text.withUTF8 {
      add(letter, $0.count)
      bytes += $0
    }
  }

  fileprivate func addNothing() { bytes.append(UInt8(ascii: "n")) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Fields(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { Elements(encoder: self) }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }
}

/// A collection without an order of its own.
private protocol UnorderedContent {
  /// The hash of each element.
  func elementHashes() throws -> [ContentHash]
}

extension Set: UnorderedContent where Element: Encodable {
  fileprivate func elementHashes() throws -> [ContentHash] {
    try map { element in
      var key = ContentKey()
      try key.add(element)
      return key.hash
    }
  }
}

extension Dictionary: UnorderedContent where Key: Encodable, Value: Encodable {
  fileprivate func elementHashes() throws -> [ContentHash] {
    try map { element in
      var key = ContentKey()
      try key.add(element.key)
      try key.add(element.value)
      return key.hash
    }
  }
}

/// The fields of a structure, or the case of an enumeration, whose values are nested.
///
/// Nothing follows a nested container: an enumeration has one case.
private struct Fields<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: KeyEncoder
  var codingPath: [any CodingKey] { [] }

  private func add(_ key: Key) { encoder.add("k", text: key.stringValue) }

  func encodeNil(forKey key: Key) {
    add(key)
    encoder.addNothing()
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    add(key)
    try encoder.add(value)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    add(key)
    return KeyedEncodingContainer(Fields<NestedKey>(encoder: encoder))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    add(key)
    return Elements(encoder: encoder)
  }

  func superEncoder() -> any Encoder { encoder }

  func superEncoder(forKey key: Key) -> any Encoder {
    add(key)
    return encoder
  }
}

/// The elements of an array.
private struct Elements: UnkeyedEncodingContainer {
  let encoder: KeyEncoder
  var count = 0
  var codingPath: [any CodingKey] { [] }

  init(encoder: KeyEncoder) { self.encoder = encoder }

  mutating func encodeNil() {
    count += 1
    encoder.addNothing()
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    count += 1
    try encoder.add(value)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    count += 1
    return KeyedEncodingContainer(Fields<NestedKey>(encoder: encoder))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    count += 1
    return Elements(encoder: encoder)
  }

  mutating func superEncoder() -> any Encoder { encoder }
}

/// A number, a text, or a value in place of another.
private struct Single: SingleValueEncodingContainer {
  let encoder: KeyEncoder
  var codingPath: [any CodingKey] { [] }

  func encodeNil() { encoder.addNothing() }
  func encode(_ value: Bool) { encoder.add("b", UInt8(value ? 1 : 0)) }
  func encode(_ value: String) { encoder.add("t", text: value) }
  func encode(_ value: Double) { encoder.add("d", value.bitPattern) }
  func encode(_ value: Float) { encoder.add("f", value.bitPattern) }
  func encode(_ value: Int) { encoder.add("i", value) }
  func encode(_ value: Int8) { encoder.add("1", value) }
  func encode(_ value: Int16) { encoder.add("2", value) }
  func encode(_ value: Int32) { encoder.add("4", value) }
  func encode(_ value: Int64) { encoder.add("8", value) }
  func encode(_ value: Int128) { encoder.add("6", value) }
  func encode(_ value: UInt) { encoder.add("u", value) }
  func encode(_ value: UInt8) { encoder.add("B", value) }
  func encode(_ value: UInt16) { encoder.add("S", value) }
  func encode(_ value: UInt32) { encoder.add("L", value) }
  func encode(_ value: UInt64) { encoder.add("Q", value) }
  func encode(_ value: UInt128) { encoder.add("O", value) }
  func encode<Value: Encodable>(_ value: Value) throws { try encoder.add(value) }
}
