import ForgeSystem

/// Collects what a key stands for, as bytes that are equal in every process for equal values.
///
/// Values are taken apart by the encodings that Swift makes, so that a part without an encoding
/// does not compile. ``KeyEncoder`` says what the bytes are.
package struct ContentKey: ~Copyable {
  /// A value that has no place in a key: its type.
  package struct Unkeyed: Error {
    package let type: String

    package init(_ type: Any.Type) { self.type = String(reflecting: type) }
  }

  private let encoder = KeyEncoder()

  package init() {}

  /// The hash of everything that was added.
  package var hash: ContentHash { encoder.bytes.withUnsafeBytes { ContentHash(of: $0) } }

  /// Adds a value with all its parts.
  ///
  /// - Throws: ``Unkeyed`` for a value with a part that has no encoding, such as Swift code.
  package mutating func add<Value: Encodable>(_ value: Value) throws(Unkeyed) {
    do { try encoder.add(value) } catch {
      throw error as? Unkeyed ?? Unkeyed(Value.self)
    }
  }
}

extension ContentHash: Encodable {
  /// Encodes the four words.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for index in 0..<4 { try container.encode(words[index]) }
  }
}
