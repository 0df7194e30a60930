/// A position in bytes of a file, which advances as values are read.
///
/// Every step is bounds-checked. Errors have no file; ``InputFile/locating(_:_:)`` adds it.
struct ByteCursor {
  private var bytes: ArraySlice<UInt8>
  /// The offset of the first byte in the file or entry.
  private let start: Int
  private var next: Int
  /// The name of the structure in messages.
  private(set) var what: String

  /// Creates a cursor at the start of `bytes`, which is at offset `start` in its file.
  init(_ bytes: ArraySlice<UInt8>, at start: Int = 0, _ what: String) {
    self.bytes = bytes
    self.start = start
    self.next = bytes.startIndex
    self.what = what
  }

  /// A copy of the cursor, with another name for messages.
  func named(_ what: String) -> ByteCursor {
    var cursor = self
    cursor.what = what
    return cursor
  }

  /// A copy of the cursor that ends at the position of another.
  func upTo(_ end: ByteCursor) -> ByteCursor {
    var cursor = self
    cursor.bytes = bytes[..<end.next]
    return cursor
  }

  /// The offset of the next byte.
  var offset: Int { start + (next - bytes.startIndex) }

  var left: Int { bytes.endIndex - next }

  var passed: ArraySlice<UInt8> { bytes[..<next] }

  func damaged(_ what: String) -> LoadError { .damaged(what, at: offset) }

  // MARK: Bytes and numbers

  mutating func seek(to offset: Int) throws(LoadError) {
    guard offset >= start, offset - start <= bytes.count else {
      throw damaged("\(what) lies outside the file")
    }
    next = bytes.startIndex + (offset - start)
  }

  mutating func skip(_ length: Int) throws(LoadError) {
    guard length >= 0, length <= left else { throw damaged("\(what) ends too early") }
    next += length
  }

  /// The next bytes.
  mutating func raw(_ length: Int) throws(LoadError) -> ArraySlice<UInt8> {
    let first = next
    try skip(length)
    return bytes[first..<next]
  }

  mutating func part(_ length: Int, _ what: String) throws(LoadError) -> ByteCursor {
    let offset = offset
    return ByteCursor(try raw(length), at: offset, what)
  }

  /// The next `size` bytes as a little-endian number.
  mutating func unsigned(_ size: Int) throws(LoadError) -> UInt64 {
    try raw(size).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  }

  /// The next `size` bytes as a little-endian number that fits `Int`.
  mutating func integer(_ size: Int) throws(LoadError) -> Int {
    let start = self
    guard let value = Int(exactly: try unsigned(size)) else {
      throw start.damaged("\(what) has a number that is too large")
    }
    return value
  }

  mutating func byte() throws(LoadError) -> Int { try integer(1) }

  // MARK: Text

  /// The next byte, without reading it.
  var peek: UInt8? { left > 0 ? bytes[next] : nil }

  /// Skips the next byte if it is this character; returns whether it did.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    next += 1
    return true
  }

  /// The next bytes up to the first that does not satisfy a condition.
  mutating func run(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let found = bytes[next...].prefix(while: isWanted)
    next = found.endIndex
    return found
  }

  /// The next characters, as long as they are in a set.
  mutating func run(of set: StaticString) -> String {
    set.withUTF8Buffer { set in String(decoding: run(while: set.contains), as: UTF8.self) }
  }

  /// Skips spaces, tabs and line breaks.
  mutating func skipSpaces() { _ = run { $0 == 32 || $0 == 9 || $0 == 10 || $0 == 13 } }
}
