/// A source of bytes that is read by ranges: a file, a part of one, a zip entry, or memory.
///
/// Files are not mapped, because another program may truncate them at any time, and access to a
/// mapped page that has gone ends the process. Each read copies bytes and then compares the size
/// and time of the file with those at opening, so that two versions are never mixed. Replacing a
/// file (write another, rename it) is always safe. Reading takes no lock and moves no shared
/// offset, so threads and forked processes can read one object at once.
final class InputFile: Sendable {
  private enum Source: Sendable {
    /// A file as it was at opening.
    ///
    /// Without a descriptor each read opens it again, because not all of many small files can stay
    /// open.
    case file(FileIdentity, FileDescriptor?)
    case memory(SharedBytes)
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

  private init(_ source: Source, count: Int, path: String, entry: String? = nil) {
    self.source = source
    self.count = count
    self.path = path
    self.entry = entry
  }

  /// Opens a file; the path is relative to the working directory unless it begins with `/`.
  ///
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable` or `notARegularFile`.
  convenience init(path: String, staysOpen: Bool = true) throws(LoadError) {
    let file = try FileDescriptor(path: path)
    let identity = try file.identity()
    identity.waitUntilChangesShow()
    self.init(.file(identity, staysOpen ? file : nil), count: identity.count, path: path)
  }

  /// Uses bytes in memory as a file, with its name for messages.
  convenience init(_ bytes: SharedBytes, path: String, entry: String? = nil) {
    self.init(.memory(bytes), count: bytes.count, path: path, entry: entry)
  }

  /// Copies bytes in memory and uses them as a file; throws `outOfMemory`.
  static func copying(_ bytes: [UInt8], name: String) throws(LoadError) -> InputFile {
    let copy = try SharedBytes(byteCount: bytes.count, for: name) { $0.copyBytes(from: bytes) }
    return InputFile(copy, path: name)
  }

  /// Uses a part of a file, which must lie in it, as a file; its name is the entry's.
  convenience init(_ range: Range<Int>, of file: InputFile, entry: String?) throws(LoadError) {
    try file.check(range)
    self.init(
      .part(file, start: range.lowerBound), count: range.count, path: file.path, entry: entry)
  }

  /// Uses an entry of a zip archive as a file; it is decompressed each time it is read.
  convenience init(_ bytes: ZipBytes) {
    self.init(
      .zipped(bytes), count: bytes.entry.count, path: bytes.file.path,
      entry: bytes.entry.name.text)
  }

  // MARK: Names and errors

  /// The path and the entry, for messages.
  var origin: String { entry.map { "\(path): \($0)" } ?? path }

  /// Adds this file, and an entry in it, to an error that names no file.
  func located(_ error: LoadError, _ entry: String? = nil) -> LoadError {
    error.located(in: path, self.entry, error.entry ?? entry)
  }

  /// Runs `body` and adds this file, and an entry in it, to errors that name no file.
  func locating<Value: ~Copyable>(
    _ entry: String? = nil, _ body: () throws(LoadError) -> Value
  ) throws(LoadError) -> Value {
    do throws(LoadError) { return try body() } catch { throw located(error, entry) }
  }

  // MARK: Reading

  /// Reads a range into memory of its size.
  ///
  /// - Throws: ``LoadError``: `wrongSize` when the range lies outside the file; `damaged` when the
  ///   file was cut or changed since it was opened, or a zip entry is damaged; `unreadable`.
  func read(_ range: Range<Int>, into memory: UnsafeMutableRawBufferPointer) throws(LoadError) {
    try check(range)
    guard memory.count == range.count else {
      throw located(.otherRoom(memory.count, needs: range.count))
    }
    switch source {
    case .file(let identity, let open):
      let file = if let open { open } else { try FileDescriptor(path: path) }
      let found = try file.read(at: range.lowerBound, into: memory)
      let now = try file.identity()
      if now != identity, now.isSameFile(as: identity), now.count < count {
        throw located(.shrunk(received: now.count, needs: count))
      }
      guard now == identity, found == range.count else { throw located(.changed) }
    case .memory(let bytes):
      bytes.withBytes { memory.copyMemory(from: .init(rebasing: $0[range])) }
    case .zipped(let bytes):
      try locating { () throws(LoadError) in try bytes.read(range, into: memory) }
    case .part(let whole, let start):
      do throws(LoadError) {
        try whole.read(range.shifted(by: start), into: memory)
      } catch {
        var error = error
        if error.path == path, error.entry == whole.entry { error.entry = entry }
        throw error
      }
    }
  }

  /// Reads a range into memory of its own; throws `outOfMemory`, and as ``read(_:into:)`` does.
  func bytes(_ range: Range<Int>) throws(LoadError) -> SharedBytes {
    try check(range)
    return try SharedBytes(byteCount: range.count, for: origin) { memory throws(LoadError) in
      try read(range, into: memory)
    }
  }

  /// Reads a range into an array; throws `outOfMemory`, and as ``read(_:into:)`` does.
  func array(_ range: Range<Int>) throws(LoadError) -> [UInt8] {
    try check(range)
    try AvailableMemory.checkArray(range.count, for: origin)
    var bytes = [UInt8](repeating: 0, count: range.count)
    try bytes.withUnsafeMutableBytes { memory in
      Result { () throws(LoadError) in try read(range, into: memory) }
    }.get()
    return bytes
  }

  /// Reads the first bytes, at most `count` of them, as ``array(_:)`` does.
  func prefix(_ count: Int) throws(LoadError) -> [UInt8] { try array(0..<min(count, self.count)) }

  /// Calls `body` with the bytes of a range.
  ///
  /// Bytes in memory are passed in place if their address is a multiple of `alignment`. All others
  /// are read into memory for the call.
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
    switch source {
    case .file, .memory: placeInMemory(range, alignment: alignment) == nil ? range.count : 0
    case .zipped(let bytes): range.count + bytes.readingByteCount
    case .part(let whole, let start):
      whole.temporaryByteCount(in: range.shifted(by: start), alignment: alignment)
    }
  }

  private func placeInMemory(
    _ range: Range<Int>, alignment: Int
  ) -> (bytes: SharedBytes, range: Range<Int>)? {
    switch source {
    case .memory(let bytes): range.lowerBound.isMultiple(of: alignment) ? (bytes, range) : nil
    case .part(let whole, let start):
      whole.placeInMemory(range.shifted(by: start), alignment: alignment)
    case .file, .zipped: nil
    }
  }

  private func check(_ range: Range<Int>) throws(LoadError) {
    guard range.lowerBound >= 0, range.upperBound <= count else {
      throw located(.placeOutside(range.lowerBound, byteCount: range.count, of: count))
    }
  }
}

extension LoadError {
  /// The error with a path, and an entry in an entry of it, unless it has a path already.
  func located(in path: String, _ entries: String?...) -> LoadError {
    guard problem.path == nil else { return self }
    var error = self
    error.path = path
    let names = entries.compactMap(\.self)
    error.entry = names.isEmpty ? nil : names.joined(separator: ": ")
    return error
  }
}

extension Range<Int> {
  fileprivate func shifted(by offset: Int) -> Range { lowerBound + offset..<upperBound + offset }
}
