import Forge

/// The bytes of a file that a model names, such as ONNX's external data.
///
/// ```swift
/// let files: [String: [UInt8]] = ["weights.bin": []]
/// let options = ImportOptions(externalData: { name in ExternalData(files[name] ?? []) })
/// ```
/// Bytes may also stay where they are, such as in a database, and be read in ranges while the model
/// is compiled.
public struct ExternalData: Sendable {
  /// The number of bytes.
  public let byteCount: Int
  /// Reads a range.
  let read: @Sendable (_ range: Range<Int>) throws -> [UInt8]

  /// Bytes in memory, which the model holds as long as it needs them.
  ///
  /// - Parameter bytes: the content of the file.
  public init(_ bytes: [UInt8]) {
    byteCount = bytes.count
    read = { Array(bytes[$0]) }
  }

  /// Bytes that are read in ranges.
  ///
  /// - Parameters:
  ///   - byteCount: the number of bytes.
  ///   - read: reads a range within them; it may be called from any thread, each time the model is
  ///     compiled. A different number of bytes is an error.
  public init(byteCount: Int, read: @escaping @Sendable (_ range: Range<Int>) throws -> [UInt8]) {
    self.byteCount = max(byteCount, 0)
    self.read = read
  }
}

/// A range of external data, read when it is needed.
struct ExternalRange: StoredBytes {
  private let data: ExternalData
  private let range: Range<Int>
  private let name: String

  /// A range of data.
  ///
  /// - Throws: ``ImportError`` of kind `parameter` if the data is too short.
  init(_ data: ExternalData, offset: Int, byteCount: Int, name: String) throws(ImportError) {
    let (end, overflow) = offset.addingReportingOverflow(byteCount)
    guard !overflow, end <= data.byteCount else {
      throw ImportError(
        .parameter, "the external data \"\(name)\" is too short",
        received: ImportError.bytes(data.byteCount),
        needs: "\(ImportError.bytes(byteCount)) from byte \(offset) on")
    }
    self.data = data
    range = offset..<end
    self.name = name
  }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
    let bytes = try data.read(range)
    guard bytes.count == range.count else {
      throw ImportError(
        .parameter, "the external data \"\(name)\" was read in part",
        received: ImportError.bytes(bytes.count), needs: ImportError.bytes(range.count))
    }
    return try bytes.withUnsafeBytes(body)
  }
}
