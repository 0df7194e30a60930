import Forge
import Foundation

/// The bytes of a model file.
enum ModelBytes {
  /// Checks the size of a file that is read in parts.
  ///
  /// - Throws: ``ImportError`` of kind `tooLarge`; files that cannot be opened pass.
  static func check(_ path: String, limits: ImportLimits) throws(ImportError) {
    guard let file = try? InputFile(path: path) else { return }
    try check(file, path, limits)
  }

  private static func check(
    _ file: InputFile, _ path: String, _ limits: ImportLimits
  ) throws(ImportError) {
    guard file.count <= limits.fileBytes else {
      throw ImportError(
        .tooLarge, "the file is larger than the limit", path: path,
        received: ImportError.bytes(file.count), needs: "at most \(limits.fileBytes)",
        remedy: "raise ImportLimits.fileBytes if you trust the file")
    }
  }

  /// Reads a whole file.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - limits: the limits on its size.
  ///   - head: whether a file that begins with some bytes can be the one that is read.
  /// - Returns: the bytes.
  /// - Throws: ``ImportError``: `fileMissing`, `unreadable`, `tooLarge`, or `malformed` for another
  ///   beginning, before the rest is read.
  static func read(
    _ path: String, limits: ImportLimits, head: ([UInt8]) -> Bool = { _ in true }
  ) throws(ImportError) -> Data {
    do {
      let file = try InputFile(path: path)
      try check(file, path, limits)
      guard head(try file.bytes(at: 0, count: min(file.count, 16))) else {
        throw ImportError(
          .malformed, "the file begins with other bytes than its format", path: path)
      }
      try file.checkReadable(0..<file.count)
      var data = Data(count: file.count)
      if file.count > 0 {
        try data.withUnsafeMutableBytes { try file.read(0..<file.count, into: $0) }
      }
      return data
    } catch let error as ImportError {
      throw error
    } catch let error as LoadError {
      throw ImportError(loading: error)
    } catch {
      throw ImportError(.unreadable, "the file cannot be read", path: path, cause: error)
    }
  }
}
