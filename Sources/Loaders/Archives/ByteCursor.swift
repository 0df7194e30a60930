/// A place in the bytes of a file, or of an entry of one, that moves on as values are read.
///
/// Every step is checked; what lies outside is an error that names the file.
struct ByteCursor {
  /// The file, for messages.
  let path: String
  /// The entry of the file, for messages.
  let entry: String?
  /// The place of the next byte.
  private(set) var offset = 0
  private let bytes: UnsafeRawBufferPointer

  /// A cursor at the start of `bytes`, which must outlive it.
  init(_ bytes: UnsafeRawBufferPointer, path: String, entry: String? = nil) {
    self.bytes = bytes
    self.path = path
    self.entry = entry
  }

  /// Gives a cursor over bytes in memory to `body`.
  static func reading<Value>(
    _ bytes: [UInt8], path: String, entry: String?,
    _ body: (inout ByteCursor) throws(LoadError) -> Value
  ) throws(LoadError) -> Value {
    // The array's own method would forget the type of the error.
    try bytes.withUnsafeBytes { bytes in
      var cursor = ByteCursor(bytes, path: path, entry: entry)
      return Result { () throws(LoadError) in try body(&cursor) }
    }.get()
  }

  /// The bytes that are left.
  var left: Int { bytes.count - offset }

  /// The next byte, which stays next.
  var peek: UInt8? { left > 0 ? bytes[offset] : nil }

  /// Goes to a place from the start.
  mutating func seek(to place: Int, _ what: String) throws(LoadError) {
    guard place >= 0, place <= bytes.count else {
      throw .damaged(path, entry: entry, "\(what) lies outside the file", at: offset)
    }
    offset = place
  }

  /// The next bytes as they are.
  mutating func raw(_ count: Int, _ what: String) throws(LoadError) -> UnsafeRawBufferPointer {
    guard count >= 0, count <= left else {
      throw .damaged(path, entry: entry, "\(what) is cut off", at: offset)
    }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
  }

  /// The next `count` bytes as a little-endian number.
  mutating func unsigned(_ count: Int, _ what: String) throws(LoadError) -> UInt64 {
    try raw(count, what).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  }

  /// The next `count` bytes as a little-endian number that fits `Int`.
  mutating func integer(_ count: Int, _ what: String) throws(LoadError) -> Int {
    let start = offset
    guard let value = Int(exactly: try unsigned(count, what)) else {
      throw .damaged(path, entry: entry, "\(what) is too large a number", at: start)
    }
    return value
  }

  /// Passes over the next byte if it is this one.
  mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    offset += 1
    return true
  }

  /// Passes over bytes while they are among these.
  mutating func skip(_ set: StaticString) {
    while let next = peek, set.holds(next) { offset += 1 }
  }

  /// The next bytes while they are among these.
  mutating func run(_ set: StaticString) -> UnsafeRawBufferPointer {
    let start = offset
    skip(set)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
  }

  /// An error at this place.
  func damaged(_ what: String) -> LoadError {
    .damaged(path, entry: entry, what, at: offset)
  }
}

extension StaticString {
  /// Whether a byte is among the characters.
  fileprivate func holds(_ byte: UInt8) -> Bool {
    withUTF8Buffer { $0.contains(byte) }
  }
}
