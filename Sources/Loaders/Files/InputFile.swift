/// A source of bytes that is read by ranges: a file, a part of one, a zip entry, or memory.
///
/// Files are not mapped, because another program may truncate them at any time, and access to a
/// mapped page that has gone ends the process. Each read copies bytes and then compares the size
/// and time of the file with those at opening, so that two versions are never mixed. Replacing a
/// file (write another, rename it) is always safe. Reading takes no lock and moves no shared
/// offset, so threads and forked processes can read one object at once.
final class InputFile: Sendable {
  private enum Source: Sendable {
    case open(FileDescriptor)
    /// A file that each read opens again, because not all of many small files can stay open.
    case closed
    case memory(FileBytes)
    case part(InputFile, start: Int)
    case zipped(ZipBytes)
  }

  /// The path as the user named it, for messages.
  let path: String
  /// The entry of the file that these bytes are, for messages.
  let entry: String?
  /// The number of bytes at opening.
  let count: Int
  private let source: Source
  private let identity: FileIdentity?

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - staysOpen: whether it keeps a descriptor; otherwise each read opens the file again and
  ///     checks that it is the same.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable` or `notARegularFile`.
  init(path: String, staysOpen: Bool = true) throws(LoadError) {
    let file = try FileDescriptor(path: path)
    let identity = try file.identity()
    identity.waitUntilChangesShow()
    self.path = path
    self.identity = identity
    entry = nil
    count = identity.count
    source = staysOpen ? .open(file) : .closed
  }

  /// Uses bytes in memory as a file, with its name for messages.
  init(_ bytes: FileBytes, path: String, entry: String? = nil) {
    self.path = path
    self.entry = entry
    count = bytes.count
    source = .memory(bytes)
    identity = nil
  }

  /// Copies bytes in memory and uses them as a file.
  ///
  /// - Throws: ``LoadError`` of kind `outOfMemory`.
  static func copying(_ bytes: [UInt8], name: String) throws(LoadError) -> InputFile {
    InputFile(try FileBytes(copying: bytes, for: name), path: name)
  }

  /// Uses a part of a file as a file; its name is the entry's.
  ///
  /// - Throws: ``LoadError`` of kind `wrongSize` when the part lies outside the file.
  init(_ range: Range<Int>, of file: InputFile, entry: String?) throws(LoadError) {
    try file.check(range)
    path = file.path
    self.entry = entry
    count = range.count
    source = .part(file, start: range.lowerBound)
    identity = nil
  }

  /// Uses an entry of a zip archive as a file; it is decompressed each time it is read.
  init(_ bytes: ZipBytes) {
    path = bytes.file.path
    entry = bytes.name
    count = bytes.count
    source = .zipped(bytes)
    identity = nil
  }

  // MARK: Names and errors

  /// The path and the entry, for messages.
  var origin: String { entry.map { "\(path): \($0)" } ?? path }

  /// Adds this file, and an entry in it, to an error that names no file.
  func located(_ error: LoadError, _ entry: String? = nil) -> LoadError {
    guard error.path == nil else { return error }
    var error = error
    error.path = path
    let names = [self.entry, error.entry ?? entry].compactMap(\.self)
    error.entry = names.isEmpty ? nil : names.joined(separator: ": ")
    return error
  }

  /// Runs `body` and adds this file, and an entry in it, to errors that name no file.
  func locating<Value: ~Copyable>(
    _ entry: String? = nil, _ body: () throws(LoadError) -> Value
  ) throws(LoadError) -> Value {
    do throws(LoadError) { return try body() } catch { throw located(error, entry) }
  }

  // MARK: Reading

  /// Reads a range into memory.
  ///
  /// - Parameters:
  ///   - range: the bytes to read.
  ///   - memory: receives them; as large as the range.
  /// - Throws: ``LoadError``: `wrongSize` when the range lies outside the file; `damaged` when the
  ///   file was cut or changed since it was opened, or a zip entry is damaged; `unreadable`.
  func read(_ range: Range<Int>, into memory: UnsafeMutableRawBufferPointer) throws(LoadError) {
    try check(range)
    guard memory.count == range.count else {
      throw located(.otherRoom(memory.count, needs: range.count))
    }
    switch source {
    case .open(let file): try read(range, of: file, into: memory)
    case .closed: try read(range, of: try FileDescriptor(path: path), into: memory)
    case .memory(let bytes):
      bytes.withBytes { memory.copyMemory(from: .init(rebasing: $0[range])) }
    case .zipped(let bytes):
      try locating { () throws(LoadError) in try bytes.read(range, into: memory) }
    case .part(let whole, let start):
      do throws(LoadError) {
        try whole.read((start + range.lowerBound)..<(start + range.upperBound), into: memory)
      } catch {
        var error = error
        if error.path == path, error.entry == whole.entry { error.entry = entry }
        throw error
      }
    }
  }

  /// Reads a range into memory of its own.
  ///
  /// - Throws: ``LoadError``: `outOfMemory`, and what ``read(_:into:)`` throws.
  func bytes(_ range: Range<Int>) throws(LoadError) -> FileBytes {
    try check(range)
    return try FileBytes(byteCount: range.count, for: origin) { memory throws(LoadError) in
      try read(range, into: memory)
    }
  }

  /// Reads a range into an array.
  ///
  /// - Throws: ``LoadError``: `outOfMemory`, and what ``read(_:into:)`` throws.
  func array(_ range: Range<Int>) throws(LoadError) -> [UInt8] {
    try check(range)
    try AvailableMemory.checkArray(range.count, for: origin)
    var bytes = [UInt8](repeating: 0, count: range.count)
    try bytes.withUnsafeMutableBytes { memory in
      Result { () throws(LoadError) in try read(range, into: memory) }
    }.get()
    return bytes
  }

  /// Reads the first bytes, at most `count` of them.
  ///
  /// - Throws: ``LoadError``: `outOfMemory`, and what ``read(_:into:)`` throws.
  func prefix(_ count: Int) throws(LoadError) -> [UInt8] { try array(0..<min(count, self.count)) }

  /// Calls `body` with the bytes of a range.
  ///
  /// Bytes in memory are passed in place if their address is a multiple of `alignment`. All others
  /// are read into memory for the call.
  ///
  /// - Throws: ``LoadError``: `outOfMemory`, and what ``read(_:into:)`` throws; what `body` throws.
  func withUnsafeBytes(
    in range: Range<Int>, alignment: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    try check(range)
    guard let place = placeInMemory(range, alignment: alignment) else {
      return try bytes(range).withBytes(body)
    }
    try place.bytes.withBytes { try body(UnsafeRawBufferPointer(rebasing: $0[place.range])) }
  }

  /// The bytes of memory that ``withUnsafeBytes(in:alignment:_:)`` allocates.
  func temporaryByteCount(in range: Range<Int>, alignment: Int) -> Int {
    if case .zipped(let bytes) = source { return range.count + bytes.readingByteCount }
    return placeInMemory(range, alignment: alignment) == nil ? range.count : 0
  }

  private func placeInMemory(
    _ range: Range<Int>, alignment: Int
  ) -> (bytes: FileBytes, range: Range<Int>)? {
    switch source {
    case .memory(let bytes):
      range.lowerBound.isMultiple(of: alignment) ? (bytes, range) : nil
    case .part(let whole, let start):
      whole.placeInMemory(
        (start + range.lowerBound)..<(start + range.upperBound), alignment: alignment)
    case .open, .closed, .zipped: nil
    }
  }

  // MARK: Checks

  private func check(_ range: Range<Int>) throws(LoadError) {
    guard range.lowerBound >= 0, range.upperBound <= count else {
      throw located(.placeOutside(range.lowerBound, byteCount: range.count, of: count))
    }
  }

  private func read(
    _ range: Range<Int>, of file: FileDescriptor, into memory: UnsafeMutableRawBufferPointer
  ) throws(LoadError) {
    let found = try file.read(at: range.lowerBound, into: memory)
    let now = try file.identity()
    if let identity, now != identity, now.isSameFile(as: identity), now.count < count {
      throw located(.shrunk(received: now.count, expected: count))
    }
    guard identity == nil || now == identity, found == range.count else { throw located(.changed) }
  }
}
