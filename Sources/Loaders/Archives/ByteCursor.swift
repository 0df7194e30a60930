/// A place in the bytes of a file, or of an entry of one, that moves on as values are read.
///
/// Every step is checked; what lies outside is an error that names the file.
struct ByteCursor {
  /// The file, for messages.
  let path: String
  /// The entry of the file, for messages.
  let entry: String?
  /// The place of the next byte, counted from the start of the file or entry.
  var offset: Int { base + place }
  private var place = 0
  private let base: Int
  private let bytes: UnsafeRawBufferPointer

  /// A cursor at the start of `bytes`, which must outlive it.
  ///
  /// - Parameters:
  ///   - bytes: the bytes.
  ///   - base: where in the file or entry they begin.
  ///   - path: the file, for messages.
  ///   - entry: the entry, for messages.
  init(_ bytes: UnsafeRawBufferPointer, base: Int = 0, path: String, entry: String? = nil) {
    self.bytes = bytes
    self.base = base
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
  var left: Int { bytes.count - place }

  /// The next byte, which stays next.
  var peek: UInt8? { left > 0 ? bytes[place] : nil }

  /// Goes to a place, counted as ``offset`` is.
  mutating func seek(to offset: Int, _ what: String) throws(LoadError) {
    guard offset >= base, offset - base <= bytes.count else {
      throw .damaged(path, entry: entry, "\(what) lies outside the file", at: self.offset)
    }
    place = offset - base
  }

  /// The next bytes as they are.
  mutating func raw(_ count: Int, _ what: String) throws(LoadError) -> UnsafeRawBufferPointer {
    guard count >= 0, count <= left else {
      throw .damaged(path, entry: entry, "\(what) is cut off", at: offset)
    }
    defer { place += count }
    return UnsafeRawBufferPointer(rebasing: bytes[place..<(place + count)])
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
    place += 1
    return true
  }

  /// Passes over bytes while they are among these.
  mutating func skip(_ set: StaticString) {
    set.withUTF8Buffer { set in
      while let next = peek, set.contains(next) { place += 1 }
    }
  }

  /// The next bytes while they are among these.
  mutating func run(_ set: StaticString) -> UnsafeRawBufferPointer {
    let start = place
    skip(set)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<place])
  }

  /// The next bytes while they are of some kind.
  mutating func run(while isWanted: (UInt8) -> Bool) -> UnsafeRawBufferPointer {
    let start = place
    while let next = peek, isWanted(next) { place += 1 }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<place])
  }

  /// An error at this place.
  func damaged(_ what: String) -> LoadError {
    .damaged(path, entry: entry, what, at: offset)
  }
}
