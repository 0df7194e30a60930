/// A regular file that is read by ranges, or bytes in memory that are read the same way.
///
/// Nothing is mapped: another program may cut or overwrite the file at any time, and whoever reads
/// a mapped page that has gone is ended by the system. Bytes are copied instead, and after each
/// read the size and time of the file are compared with those it had when it was opened, so that
/// values of two versions are never taken for one. Replacing a file (write another, rename it) is
/// always safe. Reading takes no lock and moves no shared offset: threads, and processes that were
/// forked, read one object at once.
final class InputFile: Sendable {
  private enum Source: Sendable {
    /// A file that stays open.
    case open(FileDescriptor)
    /// A file that is opened for each reading: of many small ones not all can stay open.
    case closed
    case memory(FileBytes)
    case part(InputFile, start: Int)
  }

  /// The path as the user named it, for messages.
  let path: String
  /// The number of bytes when the file was opened.
  let count: Int
  private let source: Source
  private let identity: FileIdentity?

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - staysOpen: whether it holds a descriptor; else each reading opens the file anew, and finds
  ///     out whether it is the same.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable` or `notARegularFile`.
  init(path: String, staysOpen: Bool = true) throws(LoadError) {
    let file = try FileDescriptor(path: path)
    let identity = try file.identity()
    identity.waitUntilChangesShow()
    self.path = path
    self.identity = identity
    count = identity.count
    source = staysOpen ? .open(file) : .closed
  }

  /// Takes bytes in memory for a file.
  ///
  /// - Parameters:
  ///   - bytes: the bytes.
  ///   - name: where they are from, for messages.
  init(bytes: FileBytes, name: String) {
    path = name
    count = bytes.count
    source = .memory(bytes)
    identity = nil
  }

  /// Copies bytes in memory and takes them for a file.
  ///
  /// - Throws: ``LoadError`` of kind `outOfMemory`.
  convenience init(bytes: [UInt8], name: String) throws(LoadError) {
    self.init(bytes: try FileBytes(copying: bytes, for: name), name: name)
  }

  /// Takes a part of a file for a file of its own; byte 0 is the part's first.
  ///
  /// - Parameters:
  ///   - range: the part.
  ///   - file: the file.
  ///   - name: the part's name, for messages.
  /// - Throws: ``LoadError`` of kind `wrongSize` when the part lies outside the file.
  init(_ range: Range<Int>, of file: InputFile, name: String) throws(LoadError) {
    try file.check(range)
    path = name
    count = range.count
    identity = nil
    if case .part(let whole, let start) = file.source {
      source = .part(whole, start: start + range.lowerBound)
    } else {
      source = .part(file, start: range.lowerBound)
    }
  }

  /// Whether the bytes are in memory as a whole.
  var isInMemory: Bool {
    switch source {
    case .memory: true
    case .part(let whole, _): whole.isInMemory
    case .open, .closed: false
    }
  }

  // MARK: Reading

  /// Reads a range into memory.
  ///
  /// - Parameters:
  ///   - range: the bytes to read.
  ///   - memory: receives them; as large as the range.
  /// - Throws: ``LoadError``: `wrongSize` when the range lies outside the file; `damaged` when the
  ///   file was cut or changed since it was opened; `unreadable`.
  func read(_ range: Range<Int>, into memory: UnsafeMutableRawBufferPointer) throws(LoadError) {
    try check(range)
    guard memory.count == range.count else {
      throw .otherRoom(path, memory.count, needs: range.count)
    }
    do throws(LoadError) {
      switch source {
      case .open(let file): try read(range, of: file, into: memory)
      case .closed: try read(range, of: try FileDescriptor(path: path), into: memory)
      case .memory(let bytes):
        bytes.withBytes { memory.copyMemory(from: .init(rebasing: $0[range])) }
      case .part(let whole, let start):
        try whole.read((start + range.lowerBound)..<(start + range.upperBound), into: memory)
      }
    } catch {
      throw named(error)
    }
  }

  /// Reads a range into memory of its own.
  ///
  /// - Throws: ``LoadError``: `outOfMemory`, and what ``read(_:into:)`` throws.
  func bytes(_ range: Range<Int>) throws(LoadError) -> FileBytes {
    try check(range)
    return try FileBytes(byteCount: range.count, for: path) { memory throws(LoadError) in
      try read(range, into: memory)
    }
  }

  /// Reads the first bytes, at most `count` of them, into memory of their own.
  ///
  /// - Throws: ``LoadError``: `outOfMemory`, and what ``read(_:into:)`` throws.
  func prefix(_ count: Int) throws(LoadError) -> FileBytes {
    try bytes(0..<min(max(count, 0), self.count))
  }

  /// Gives the bytes of a range to `body` for the time of the call.
  ///
  /// Those of a file are read into memory for it, aligned for any type; those in memory are given
  /// where they are.
  ///
  /// - Throws: ``LoadError``: `outOfMemory`, and what ``read(_:into:)`` throws; what `body` throws.
  func withUnsafeBytes<Result>(
    in range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    try check(range)
    switch source {
    case .memory(let bytes):
      return try bytes.withBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    case .part(let whole, let start) where whole.isInMemory:
      return try whole.withUnsafeBytes(
        in: (start + range.lowerBound)..<(start + range.upperBound), body)
    case .open, .closed, .part:
      return try bytes(range).withBytes(body)
    }
  }

  /// The bytes of memory that ``withUnsafeBytes(in:_:)`` takes for `count` bytes.
  func temporaryByteCount(for count: Int) -> Int { isInMemory ? 0 : count }

  /// Throws when the file has been cut or changed since it was opened.
  ///
  /// - Throws: ``LoadError``: `damaged`, `fileMissing`, `unreadable`.
  func verify() throws(LoadError) {
    do throws(LoadError) {
      switch source {
      case .open(let file): try verify(file)
      case .closed: try verify(try FileDescriptor(path: path))
      case .memory: return
      case .part(let whole, _): try whole.verify()
      }
    } catch {
      throw named(error)
    }
  }

  // MARK: Checks

  private func check(_ range: Range<Int>) throws(LoadError) {
    guard range.lowerBound >= 0, range.upperBound <= count else {
      throw .placeOutside(path, offset: range.lowerBound, byteCount: range.count, of: count)
    }
  }

  private func read(
    _ range: Range<Int>, of file: FileDescriptor, into memory: UnsafeMutableRawBufferPointer
  ) throws(LoadError) {
    let found = try file.read(at: range.lowerBound, into: memory)
    try verify(file)
    guard found == range.count else { throw .changed(path) }
  }

  private func verify(_ file: FileDescriptor) throws(LoadError) {
    let now = try file.identity()
    guard let identity, now != identity else { return }
    if now.isSameFile(as: identity), now.count < count {
      throw .shrunk(path, received: now.count, expected: count)
    }
    throw .changed(path)
  }

  /// An error of the whole file as one of the part.
  private func named(_ error: LoadError) -> LoadError {
    guard case .part(let whole, _) = source, error.path == whole.path else { return error }
    var error = error
    error.path = path
    return error
  }
}
