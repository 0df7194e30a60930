import ArgumentParser
import ForgeSystem
import FoundationEssentials

/// A file that an argument names.
enum ArgumentFile {
  /// Reads a file, or a pipe to its end.
  ///
  /// - Parameters:
  ///   - path: the path.
  ///   - most: the most bytes that are read.
  /// - Returns: the bytes; `nil` if there are more.
  /// - Throws: `ValidationError` if the file cannot be read.
  static func bytes(of path: String, atMost most: Int) throws -> Data? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw unreadable(path) }
    defer { close(file) }
    var bytes = Data()
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= most {
      let count = part.withUnsafeMutableBytes { ForgeSystem.read(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(path) }
      if count == 0 { return bytes }
      bytes += part.prefix(count)
    }
    return nil
  }

  /// Whether a path leads to a folder.
  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Reads a value that ``write(_:to:)`` has written.
  ///
  /// - Parameters:
  ///   - path: the path.
  ///   - name: what the file should be, with an article.
  /// - Returns: the value.
  /// - Throws: `ValidationError` if the file cannot be read or is something else.
  static func value<Value: Decodable>(at path: String, as name: String) throws -> Value {
    guard let data = try bytes(of: path, atMost: 64 << 20),
      let value = try? JSONDecoder().decode(Value.self, from: data)
    else { throw ValidationError("\(path.printable) is not \(name)") }
    return value
  }

  /// Writes a value as JSON, with keys in order and a line for each.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - path: the path.
  /// - Throws: `ValidationError` if the file cannot be written.
  static func write(_ value: some Encodable, to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw unwritable(path) }
    defer { close(file) }
    var rest = try encoder.encode(value) + Data("\n".utf8)
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { ForgeSystem.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw unwritable(path) }
      rest = rest.dropFirst(count)
    }
  }

  private static func unwritable(_ path: String) -> ValidationError {
    ValidationError("\(path.printable) cannot be written: \(String(cString: strerror(errno)))")
  }

  private static func unreadable(_ path: String) -> ValidationError {
    ValidationError("\(path.printable) cannot be read")
  }
}
