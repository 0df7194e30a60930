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
    guard let file = FileHandle(forReadingAtPath: path) else { throw unreadable(path) }
    defer { try? file.close() }
    var bytes = Data()
    do {
      while bytes.count <= most,
        let part = try file.read(upToCount: most + 1 - bytes.count), !part.isEmpty
      { bytes += part }
    } catch {
      throw unreadable(path)
    }
    return bytes.count <= most ? bytes : nil
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
    else { throw ValidationError("\(path) is not \(name)") }
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
    do {
      try (encoder.encode(value) + Data("\n".utf8)).write(to: URL(fileURLWithPath: path))
    } catch {
      throw ValidationError("\(path) cannot be written: \(error.localizedDescription)")
    }
  }

  private static func unreadable(_ path: String) -> ValidationError {
    ValidationError("\(path) cannot be read")
  }
}
