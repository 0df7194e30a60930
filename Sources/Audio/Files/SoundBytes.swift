import Forge
import ForgeLoaders

/// The bytes of a sound in order, whose errors are those of sounds.
final class SoundBytes {
  private var bytes: SequentialBytes

  private init(_ bytes: SequentialBytes) { self.bytes = bytes }

  convenience init(path: String) throws(AudioError) {
    self.init(try Self.converting { () throws(LoadError) in try SequentialBytes(path: path) })
  }

  convenience init(_ bytes: [UInt8]) { self.init(SequentialBytes(bytes)) }

  /// The bytes of an open descriptor, which the caller closes.
  convenience init(descriptor: Int32) { self.init(SequentialBytes(descriptor: descriptor)) }

  /// The bytes that follow; `nil` for a pipe.
  var remaining: Int? { bytes.remaining }

  /// Reads bytes and returns their number, which is smaller than the memory only at the end.
  func read(into memory: UnsafeMutableRawBufferPointer) throws(AudioError) -> Int {
    try Self.converting { () throws(LoadError) in try bytes.fill(memory) }
  }

  /// Reads `count` bytes, or fewer at the end.
  func read(_ count: Int) throws(AudioError) -> [UInt8] {
    try Self.converting { () throws(LoadError) in try bytes.read(count) }
  }

  /// Reads bytes further on without moving there; `nil` in a pipe and beyond the end.
  func peek(at offset: Int, _ count: Int) throws(AudioError) -> [UInt8]? {
    try Self.converting { () throws(LoadError) in try bytes.peek(at: offset, count) }
  }

  /// Skips bytes and returns whether there were this many.
  func skip(_ count: Int) throws(AudioError) -> Bool {
    try Self.converting { () throws(LoadError) in try bytes.skip(count) }
  }

  private static func converting<Value>(
    _ body: () throws(LoadError) -> Value
  ) throws(AudioError) -> Value {
    do throws(LoadError) { return try body() } catch { throw converted(error) }
  }

  /// An error of a file as one of a sound.
  static func converted(_ error: LoadError) -> AudioError {
    AudioError(AudioErrorKind(rawValue: error.kind.rawValue) ?? .unreadable, error.problem)
  }
}
