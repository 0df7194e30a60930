/// A run of bytes in a file: as it is, or compressed.
protocol StoredBytes: Sendable {
  /// The file, for messages.
  var path: String { get }
  /// The entry of the file, for messages.
  var entry: String? { get }
  /// The number of bytes, uncompressed.
  var count: Int { get }
  /// The bytes of memory that reading takes besides what it fills.
  var readingByteCount: Int { get }
  /// The first bytes, at most `count` of them.
  func prefix(_ count: Int) throws(LoadError) -> [UInt8]
  /// Reads all bytes from a place on; the memory has room for exactly these.
  func read(from offset: Int, into memory: UnsafeMutableRawBufferPointer) throws(LoadError)
}

extension StoredBytes {
  /// File and entry, for messages.
  var origin: String { entry.map { "\(path): \($0)" } ?? path }

  /// Reads all bytes from a place on into memory, aligned for any type, and gives them to `body`.
  func withUnsafeBytes(
    from offset: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let memory = try RawMemory(byteCount: max(count - offset, 0), for: origin)
    try read(from: offset, into: memory.bytes)
    try body(UnsafeRawBufferPointer(memory.bytes))
  }

  /// All bytes in memory.
  func bytes() throws(LoadError) -> FileBytes {
    try FileBytes(byteCount: count, for: origin) { memory throws(LoadError) in
      try read(from: 0, into: memory)
    }
  }

  /// The bytes of memory that ``withUnsafeBytes(from:_:)`` takes.
  func temporaryByteCount(from offset: Int) -> Int { max(count - offset, 0) + readingByteCount }
}

/// Bytes that lie in a file as they are.
struct FileRange: StoredBytes {
  let entry: String?
  private let file: InputFile
  private let range: Range<Int>

  /// All of a file.
  init(_ file: InputFile) {
    self.init(file, 0..<file.count, entry: nil)
  }

  /// A part of a file; `range` lies within it.
  init(_ file: InputFile, _ range: Range<Int>, entry: String?) {
    self.file = file
    self.range = range
    self.entry = entry
  }

  var path: String { file.path }
  var count: Int { range.count }
  var readingByteCount: Int { 0 }

  func prefix(_ count: Int) throws(LoadError) -> [UInt8] {
    let bytes = try file.bytes(range.lowerBound..<(range.lowerBound + min(count, self.count)))
    return bytes.withBytes { Array($0) }
  }

  func read(from offset: Int, into memory: UnsafeMutableRawBufferPointer) throws(LoadError) {
    try file.read((range.lowerBound + offset)..<range.upperBound, into: memory)
  }
}
