import ForgeSystem

/// Reads bytes in order: of a file, of memory, or of an open descriptor such as a pipe.
///
/// A file is not memory-mapped, because a page fault in a truncated file kills the process. Memory
/// grows with what has arrived, never with a length that a file states.
package struct SequentialBytes: Sendable {
  private enum Source {
    case file(FileDescriptor, count: Int)
    case memory([UInt8])
    case stream(Int32)
  }

  private let source: Source
  /// The bytes that have been read or skipped.
  package private(set) var position = 0

  /// Opens a regular file.
  ///
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable` or `notARegularFile`.
  package init(path: String) throws(LoadError) {
    let file = try FileDescriptor(path: path)
    source = .file(file, count: try file.identity().count)
  }

  /// The bytes of an array.
  package init(_ bytes: [UInt8]) { source = .memory(bytes) }

  /// The bytes of an open descriptor, blocking or not, which the caller closes after use.
  package init(descriptor: Int32) { source = .stream(descriptor) }

  /// The number of bytes to the end; `nil` for a descriptor.
  package var remaining: Int? {
    switch source {
    case .file(_, let count): count - position
    case .memory(let bytes): bytes.count - position
    case .stream: nil
    }
  }

  /// Reads the next bytes, waiting for the first one.
  ///
  /// - Returns: the number of bytes: at least 1, or 0 at the end and for empty memory.
  /// - Throws: ``LoadError`` of kind `unreadable`.
  package mutating func read(into memory: UnsafeMutableRawBufferPointer) throws(LoadError) -> Int {
    let wanted = UnsafeMutableRawBufferPointer(
      rebasing: memory.prefix(max(min(memory.count, remaining ?? memory.count), 0)))
    guard !wanted.isEmpty else { return 0 }
    let count: Int
    switch source {
    case .file(let file, _): count = try file.read(at: position, into: wanted)
    case .memory(let bytes):
      wanted.copyBytes(from: bytes[position...].prefix(wanted.count))
      count = wanted.count
    case .stream(let descriptor): count = try Self.read(descriptor, wanted)
    }
    position += count
    return count
  }

  /// Reads until the memory is full or the bytes end.
  ///
  /// - Returns: the number of bytes, smaller than the memory only at the end.
  /// - Throws: ``LoadError`` of kind `unreadable`.
  package mutating func fill(_ memory: UnsafeMutableRawBufferPointer) throws(LoadError) -> Int {
    var found = 0
    while found < memory.count {
      let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: memory[found...]))
      if count == 0 { break }
      found += count
    }
    return found
  }

  /// Reads `count` bytes, fewer only at the end.
  ///
  /// - Throws: ``LoadError`` of kind `unreadable`.
  package mutating func read(_ count: Int) throws(LoadError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let start = bytes.count
      let wanted = min(count - start, Self.partBytes)
      bytes.append(contentsOf: repeatElement(0, count: wanted))
      let found = try bytes.withUnsafeMutableBufferPointer { bytes throws(LoadError) in
        try fill(
          UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: bytes[start...])))
      }
      bytes.removeLast(wanted - found)
      if found < wanted { break }
    }
    return bytes
  }

  /// Reads bytes at a distance from here and stays here; `nil` for a descriptor, and if fewer bytes
  /// remain.
  ///
  /// - Throws: ``LoadError`` of kind `unreadable`.
  package func peek(at offset: Int, _ count: Int) throws(LoadError) -> [UInt8]? {
    guard let remaining, offset >= 0, offset <= remaining - count else { return nil }
    var later = self
    later.position += offset
    return try later.read(count)
  }

  /// Skips bytes.
  ///
  /// - Returns: whether there were this many. In a file and in memory nothing is skipped otherwise.
  /// - Throws: ``LoadError`` of kind `unreadable`.
  package mutating func skip(_ count: Int) throws(LoadError) -> Bool {
    if let remaining {
      guard count <= remaining else { return false }
      position += max(count, 0)
      return true
    }
    var left = count
    while left > 0 {
      let found = try read(min(left, Self.partBytes)).count
      if found == 0 { return false }
      left -= found
    }
    return true
  }

  /// The most bytes for which memory is allocated before they arrive.
  private static let partBytes = 1 << 16

  /// Waits for bytes of a descriptor and reads them.
  private static func read(
    _ descriptor: Int32, _ memory: UnsafeMutableRawBufferPointer
  ) throws(LoadError) -> Int {
    while true {
      let count = ForgeSystem.read(descriptor, memory.baseAddress, memory.count)
      if count >= 0 { return count }
      if errno == EINTR { continue }
      guard errno == EAGAIN else { throw .cannotReadStream(errno) }
      // The descriptor does not block, and nothing has arrived.
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, -1) >= 0 || errno == EINTR else { throw .cannotReadStream(errno) }
    }
  }
}
