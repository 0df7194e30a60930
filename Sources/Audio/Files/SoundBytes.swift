import Forge
import ForgeLoaders
import ForgeSystem

/// The bytes of a sound, one after the other: of a file, of memory, or of a pipe.
///
/// A file is not memory-mapped, because a page fault in a truncated file kills the process.
final class SoundBytes {
  private enum Source {
    case file(FileDescriptor, count: Int)
    case memory([UInt8])
    case stream(Int32)
  }

  private let source: Source
  /// The bytes that have been read or skipped.
  private(set) var position = 0

  init(path: String) throws(AudioError) {
    do throws(LoadError) {
      let file = try FileDescriptor(path: path)
      source = .file(file, count: try file.identity().count)
    } catch {
      throw Self.converted(error)
    }
  }

  init(_ bytes: [UInt8]) { source = .memory(bytes) }

  /// The bytes of an open descriptor, which the caller closes.
  init(descriptor: Int32) { source = .stream(descriptor) }

  /// The bytes that follow; `nil` for a pipe.
  var remaining: Int? {
    switch source {
    case .file(_, let count): count - position
    case .memory(let bytes): bytes.count - position
    case .stream: nil
    }
  }

  /// Reads bytes and returns their number, which is smaller at the end.
  func read(into memory: UnsafeMutableRawBufferPointer) throws(AudioError) -> Int {
    let count =
      switch source {
      case .file(let file, let count):
        try Self.read(file, at: position, min(memory.count, count - position), memory)
      case .memory(let bytes):
        bytes.withUnsafeBytes { bytes in
          let part = bytes[position...].prefix(memory.count)
          memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
          return part.count
        }
      case .stream(let descriptor): try Self.read(descriptor, memory)
      }
    position += count
    return count
  }

  /// Reads `count` bytes, or fewer at the end.
  func read(_ count: Int) throws(AudioError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let found = try bytes.withUnsafeMutableBufferPointer { memory throws(AudioError) in
      try read(into: UnsafeMutableRawBufferPointer(memory))
    }
    return Array(bytes.prefix(found))
  }

  /// Reads bytes further on without moving there; `nil` in a pipe and beyond the end.
  func peek(at offset: Int, _ count: Int) throws(AudioError) -> [UInt8]? {
    guard let remaining, offset >= 0, offset <= remaining - count else { return nil }
    let start = position
    position += offset
    defer { position = start }
    return try read(count)
  }

  /// Skips bytes and returns whether there were so many.
  func skip(_ count: Int) throws(AudioError) -> Bool {
    if let remaining {
      guard count <= remaining else { return false }
      position += count
      return true
    }
    var left = count
    while left > 0 {
      let found = try read(min(left, 1 << 16)).count
      if found == 0 { return false }
      left -= found
    }
    return true
  }

  private static func read(
    _ file: FileDescriptor, at position: Int, _ count: Int, _ memory: UnsafeMutableRawBufferPointer
  ) throws(AudioError) -> Int {
    guard count > 0 else { return 0 }
    do throws(LoadError) {
      return try file.read(
        at: position, into: UnsafeMutableRawBufferPointer(rebasing: memory.prefix(count)))
    } catch {
      throw converted(error)
    }
  }

  /// Reads until the memory is full or the stream ends.
  private static func read(
    _ descriptor: Int32, _ memory: UnsafeMutableRawBufferPointer
  ) throws(AudioError) -> Int {
    var found = 0
    while found < memory.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: memory[found...])
      let count = ForgeSystem.read(descriptor, rest.baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .cannotReadStream(String(cString: strerror(errno))) }
      if count == 0 { break }
      found += count
    }
    return found
  }

  /// An error of a file as one of a sound.
  static func converted(_ error: LoadError) -> AudioError {
    AudioError(AudioErrorKind(rawValue: error.kind.rawValue) ?? .unreadable, error.problem)
  }
}
