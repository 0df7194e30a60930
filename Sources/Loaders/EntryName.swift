/// The name of a file entry, as stored bytes.
///
/// Names are hashed and compared as bytes. `String` instead treats composed and decomposed
/// characters as equal, and takes quadratic time for runs of combining marks.
package struct EntryName: Hashable, Sendable {
  /// The bytes as they are stored; usually UTF-8.
  package let bytes: [UInt8]

  /// Creates a name from bytes, whose count the caller has checked.
  package init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  package init(_ text: String) {
    bytes = Array(text.utf8)
  }

  package var count: Int { bytes.count }

  /// The name as a string; invalid UTF-8 becomes `\u{FFFD}`.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The length of the longest run of combining marks on one character.
  package var markRun: Int {
    guard bytes.contains(where: { $0 >= 0x80 }) else { return 0 }
    var longest = 0
    var run = 0
    for scalar in text.unicodeScalars {
      run = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : run + 1
      longest = max(longest, run)
    }
    return longest
  }

  package func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

extension EntryName: Comparable {
  package static func < (first: EntryName, second: EntryName) -> Bool {
    first.bytes.lexicographicallyPrecedes(second.bytes)
  }
}

extension EntryName: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { self.init(text) }
}

extension EntryName: CustomStringConvertible {
  package var description: String { text }
}
