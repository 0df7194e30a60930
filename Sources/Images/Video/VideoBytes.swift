import Forge
import ForgeLoaders
import ForgeSystem

/// The bytes of a video, one after the other: of a file, of memory, or of a pipe.
struct VideoBytes {
  private enum Source {
    case file(FileDescriptor, count: Int)
    case memory([UInt8])
    case stream(Int32)
  }

  private let source: Source
  private var position = 0

  /// Opens a file.
  ///
  /// It is not memory-mapped, because a page fault in a truncated file kills the process.
  init(path: String) throws(ImageError) {
    do throws(LoadError) {
      let file = try FileDescriptor(path: path)
      source = .file(file, count: try file.identity().count)
    } catch { throw Self.converted(error) }
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

  /// Reads bytes and returns their number: at least 1, or 0 at the end.
  mutating func read(into memory: UnsafeMutableRawBufferPointer) throws(ImageError) -> Int {
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

  private static func read(
    _ file: FileDescriptor, at position: Int, _ count: Int, _ memory: UnsafeMutableRawBufferPointer
  ) throws(ImageError) -> Int {
    guard count > 0 else { return 0 }
    do throws(LoadError) {
      return try file.read(
        at: position, into: UnsafeMutableRawBufferPointer(rebasing: memory.prefix(count)))
    } catch { throw converted(error) }
  }

  /// Waits for bytes of a pipe.
  private static func read(
    _ descriptor: Int32, _ memory: UnsafeMutableRawBufferPointer
  ) throws(ImageError) -> Int {
    while true {
      let count = ForgeSystem.read(descriptor, memory.baseAddress, memory.count)
      if count >= 0 { return count }
      if errno == EINTR { continue }
      guard errno == EAGAIN else { throw .cannotReadVideo(String(cString: strerror(errno))) }
      // A descriptor that does not wait: poll waits for it.
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&waiting, 1, -1)
    }
  }

  private static func converted(_ error: LoadError) -> ImageError {
    ImageError(ImageErrorKind(rawValue: error.kind.rawValue) ?? .unreadable, error.problem)
  }
}
