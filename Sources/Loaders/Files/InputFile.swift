import ForgeShapes

/// A random-access source of bytes: a file, a part of one, a zip entry, or memory.
///
/// Files are not memory-mapped, because a page fault in a file that another program has truncated
/// kills the process. Each read copies bytes, then compares the size and time of the file with
/// those at opening, so that versions are never mixed. Replacing a file by renaming another is
/// always safe. Reads use no lock and no shared offset, so threads and forked processes can read
/// concurrently.
package final class InputFile: Sendable {
  private enum Source: Sendable {
    /// A file, identified as it was when opened.
    ///
    /// Without a descriptor, each read reopens the file; many small files could exceed the limit of
    /// open files.
    case file(FileIdentity, FileDescriptor?)
    case memory(SharedBytes)
    case array([UInt8])
    case part(InputFile, start: Int)
    case zipped(ZipBytes)
  }

  /// The path as the user gave it, for messages.
  let path: String
  /// The name of the entry with these bytes, for messages.
  let entry: String?
  /// The number of bytes at opening.
  package let count: Int
  private let source: Source

  private init(_ source: Source, count: Int, path: String, entry: String? = nil) {
    self.source = source
    self.count = count
    self.path = path
    self.entry = entry
  }

  /// Where the bytes of a range are; equal for the same bytes of the same file.
  package func identity(of range: Range<Int>) -> ValueIdentity {
    switch source {
    case .file(let file, _): ValueIdentity(file.owner, range)
    case .memory(let bytes): ValueIdentity(.object(ObjectIdentifier(bytes)), range)
    case .part(let file, let start):
      file.identity(of: range.lowerBound + start..<range.upperBound + start)
    case .array, .zipped: ValueIdentity(.object(ObjectIdentifier(self)), range)
    }
  }

  /// The version of the file that holds the bytes of a range, and their place in it; `nil` for
  /// bytes that no file holds as they are.
  ///
  /// - Throws: ``LoadError``: `damaged` when the file has changed since it was opened;
  ///   `unreadable`.
  package func stamp(of range: Range<Int>) throws(LoadError) -> (FileStamp, Range<Int>)? {
    switch source {
    case .file(let identity, let open):
      let file = if let open { open } else { try FileDescriptor(path: path) }
      guard try file.identity() == identity else { throw located(.changed) }
      return (try file.stamp(), range)
    case .part(let file, let start): return try file.stamp(of: range.shifted(by: start))
    case .memory, .array, .zipped: return nil
    }
  }

  /// Opens a file; the path is relative to the working directory unless it begins with `/`.
  ///
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable` or `notARegularFile`.
  package convenience init(path: String, staysOpen: Bool = true) throws(LoadError) {
    let file: FileDescriptor
    do throws(LoadError) { file = try FileDescriptor(path: path) } catch {
      guard error.kind == .notARegularFile, let remedy = OtherFormat.reader(ofFolder: path) else {
        throw error
      }
      throw error.remedied(remedy)
    }
    let identity = try file.identity()
    identity.waitUntilChangesShow()
    self.init(.file(identity, staysOpen ? file : nil), count: identity.count, path: path)
  }

  /// Opens a file that another one names, which must lie in one of some folders.
  ///
  /// Symbolic links are followed as long as they stay in a folder. What is checked is the file that
  /// is open, so that links which change in the meantime lead nowhere else; later reads are refused
  /// unless they find the same file.
  ///
  /// - Throws: ``LoadError``, as ``init(path:staysOpen:)``; `refused` for a file elsewhere.
  package convenience init(
    path: String, within folders: [String], staysOpen: Bool = true
  ) throws(LoadError) {
    let file = try FileDescriptor(path: path)
    let identity = try file.identity()
    guard let real = file.realPath ?? Folder.realPath(path),
      folders.contains(where: { real.hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") })
    else { throw .leadsOut(path) }
    identity.waitUntilChangesShow()
    self.init(.file(identity, staysOpen ? file : nil), count: identity.count, path: path)
  }

  /// The same file without an open descriptor: each read opens it again and compares it with what
  /// it was.
  package var closed: InputFile {
    guard case .file(let identity, .some) = source else { return self }
    return InputFile(.file(identity, nil), count: count, path: path, entry: entry)
  }

  /// Uses bytes in memory as a file; messages show `path` and `entry`.
  convenience init(_ bytes: SharedBytes, path: String, entry: String? = nil) {
    self.init(.memory(bytes), count: bytes.count, path: path, entry: entry)
  }

  /// Copies bytes in memory and uses them as a file; throws `outOfMemory`.
  package static func copying(_ bytes: [UInt8], name: String) throws(LoadError) -> InputFile {
    let copy = try SharedBytes(byteCount: bytes.count, for: name) { $0.copyBytes(from: bytes) }
    return InputFile(copy, path: name)
  }

  /// Uses an array as a file, without a copy; messages show `name`.
  package convenience init(_ array: [UInt8], name: String) {
    self.init(.array(array), count: array.count, path: name)
  }

  /// Uses a range of a file as a file named by `entry`; throws `wrongSize` if it lies outside.
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

  /// Whether the bytes are in the program's memory, so the path is only a name.
  var isInMemory: Bool {
    switch source {
    case .memory, .array: true
    case .file, .part, .zipped: false
    }
  }

  // MARK: Names and errors

  /// The path and the entry, for messages.
  var origin: String { entry.map { "\(path): \($0)" } ?? path }

  /// Adds this file, and an entry in it, to an error without a file.
  func located(_ error: LoadError, _ entry: String? = nil) -> LoadError {
    error.located(in: path, self.entry, error.entry ?? entry)
  }

  /// Runs `body` and adds this file, and an entry in it, to errors without a file.
  func locating<Value: ~Copyable>(
    _ entry: String? = nil, _ body: () throws(LoadError) -> Value
  ) throws(LoadError) -> Value {
    do throws(LoadError) { return try body() } catch { throw located(error, entry) }
  }

  // MARK: Reading

  /// Reads a range into memory of its size.
  ///
  /// - Throws: ``LoadError``: `wrongSize` when the range lies outside the file or `memory` has
  ///   another size; `damaged` when the file was truncated or changed since it was opened, or a zip
  ///   entry is damaged; `unreadable`.
  package func read(
    _ range: Range<Int>, into memory: UnsafeMutableRawBufferPointer
  ) throws(LoadError) {
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
    case .array(let array):
      array.withUnsafeBytes { memory.copyMemory(from: .init(rebasing: $0[range])) }
    case .zipped(let bytes):
      try locating { () throws(LoadError) in try bytes.read(range, into: memory) }
    case .part(let container, let start):
      do throws(LoadError) {
        try container.read(range.shifted(by: start), into: memory)
      } catch {
        var error = error
        if error.path == path, error.entry == container.entry { error.entry = entry }
        throw error
      }
    }
  }

  /// Reads a range into new memory; throws `outOfMemory`, and what ``read(_:into:)`` throws.
  func bytes(_ range: Range<Int>) throws(LoadError) -> SharedBytes {
    try check(range)
    return try SharedBytes(byteCount: range.count, for: origin) { memory throws(LoadError) in
      try read(range, into: memory)
    }
  }

  /// Reads a range into an array; throws `outOfMemory`, and what ``read(_:into:)`` throws.
  func array(_ range: Range<Int>) throws(LoadError) -> [UInt8] {
    try check(range)
    try AvailableMemory.checkArray(range.count, for: origin)
    var bytes = [UInt8](repeating: 0, count: range.count)
    try bytes.withUnsafeMutableBytes { memory in
      Result { () throws(LoadError) in try read(range, into: memory) }
    }.get()
    return bytes
  }

  /// Reads at most the first `count` bytes into an array.
  func prefix(_ count: Int) throws(LoadError) -> [UInt8] { try array(0..<min(count, self.count)) }

  /// Calls `body` with the bytes of a range.
  ///
  /// Aligned bytes in memory are passed in place. All others are read into temporary memory.
  package func withUnsafeBytes<Value>(
    in range: Range<Int>, alignment: Int, _ body: (UnsafeRawBufferPointer) throws -> Value
  ) throws -> Value {
    try check(range)
    if case .array(let array) = source, range.lowerBound.isMultiple(of: alignment) {
      return try array.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
    guard let inMemory = placeInMemory(range, alignment: alignment) else {
      return try bytes(range).withBytes(body)
    }
    return try inMemory.bytes.withBytes {
      try body(UnsafeRawBufferPointer(rebasing: $0[inMemory.range]))
    }
  }

  /// The bytes of memory that ``withUnsafeBytes(in:alignment:_:)`` allocates.
  func temporaryByteCount(in range: Range<Int>, alignment: Int) -> Int {
    switch source {
    case .file, .memory: placeInMemory(range, alignment: alignment) == nil ? range.count : 0
    case .array: range.lowerBound.isMultiple(of: alignment) ? 0 : range.count
    case .zipped(let bytes): range.count + bytes.readingByteCount
    case .part(let container, let start):
      container.temporaryByteCount(in: range.shifted(by: start), alignment: alignment)
    }
  }

  private func placeInMemory(
    _ range: Range<Int>, alignment: Int
  ) -> (bytes: SharedBytes, range: Range<Int>)? {
    switch source {
    case .memory(let bytes): range.lowerBound.isMultiple(of: alignment) ? (bytes, range) : nil
    case .part(let container, let start):
      container.placeInMemory(range.shifted(by: start), alignment: alignment)
    case .file, .array, .zipped: nil
    }
  }

  /// Checks that there is memory for a range, and that a large one is not mostly a hole, which
  /// takes no room on the disk but memory when it is read.
  ///
  /// - Throws: ``LoadError``: `wrongSize`, `outOfMemory`, `refused` or `unreadable`.
  package func checkReadable(_ range: Range<Int>) throws(LoadError) {
    try check(range)
    try AvailableMemory.checkArray(range.count, for: origin)
    guard range.count >= Self.leastSparseBytes, case .file(_, let open) = source else { return }
    let file = if let open { open } else { try FileDescriptor(path: path) }
    let stored = file.storedBytes(in: range)
    guard stored >= range.count / Self.mostHoleRatio else {
      throw located(.mostlyHole(range.count, stored: stored))
    }
  }

  /// The number of bytes that take room on the disk, without holes.
  package var storedByteCount: Int {
    guard case .file(_, let open) = source, count > 0 else { return count }
    guard let file = open ?? (try? FileDescriptor(path: path)) else { return 0 }
    return file.storedBytes(in: 0..<count)
  }

  /// Smaller ranges may be holes.
  private static let leastSparseBytes = 1 << 24
  /// A large range may have this many bytes for each that is stored.
  private static let mostHoleRatio = 8

  package func check(_ range: Range<Int>) throws(LoadError) {
    guard range.lowerBound >= 0, range.upperBound <= count else {
      throw located(.placeOutside(range.lowerBound, byteCount: range.count, of: count))
    }
  }
}

extension LoadError {
  /// Adds a path and nested entries to the error, unless it already has a path.
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
