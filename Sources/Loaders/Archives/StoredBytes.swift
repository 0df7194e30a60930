/// A run of bytes in a file: as it is, or compressed.
protocol StoredBytes: Sendable {
  /// The file, for messages.
  var path: String { get }
  /// The entry of the file, for messages.
  var entry: String? { get }
  /// The number of bytes, uncompressed.
  var count: Int { get }
  /// The bytes of memory that ``withUnsafeBytes(_:)`` takes for the time of a call.
  var temporaryByteCount: Int { get }
  /// The first bytes, at most `count` of them.
  func prefix(_ count: Int) throws(LoadError) -> [UInt8]
  /// Gives all bytes to `body` for the time of the call.
  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws
}

extension StoredBytes {
  /// File and entry, for messages.
  var origin: String { entry.map { "\(path): \($0)" } ?? path }
}

/// Bytes that lie in a mapped file as they are.
struct FileRange: StoredBytes {
  let entry: String?
  private let mapping: FileMapping
  private let range: Range<Int>

  /// All of a file.
  init(_ mapping: FileMapping) {
    self.init(mapping, 0..<mapping.count, entry: nil)
  }

  /// A part of a file; `range` lies within it.
  init(_ mapping: FileMapping, _ range: Range<Int>, entry: String?) {
    self.mapping = mapping
    self.range = range
    self.entry = entry
  }

  var path: String { mapping.path }
  var count: Int { range.count }
  var temporaryByteCount: Int { 0 }

  func prefix(_ count: Int) throws(LoadError) -> [UInt8] {
    try mapping.verify()
    return Array(mapping.bytes[range].prefix(count))
  }

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try mapping.withUnsafeBytes(in: range, body)
  }
}
