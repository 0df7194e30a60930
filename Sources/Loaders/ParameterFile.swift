import ForgeShapes

/// One parameter in one raw file of little-endian values, Float32 by default.
///
/// For example, a folder may have a file per parameter, named by layer:
/// ```swift
/// let network = try model.compile { name, count, type in
///   try ParameterFile(directory: weights, name: name, count: count,
///                     suffix: type == .weights ? "_W" : "_b", ext: "bin")
/// }
/// ```
/// The file must be a regular file with exactly the bytes of `count` values, such as 4 · `count`
/// for Float32. It is not kept open; the values are read on use. A file that was truncated, changed
/// or replaced since opening is an error. To update parameters of a running program, write another
/// file, rename it and open it again.
public struct ParameterFile: ParameterData {
  /// The number of values.
  public let count: Int
  /// The type of the stored values.
  public let elementType: ElementType
  /// The axis order of the stored values.
  public let layout: ParameterLayout
  /// The path of the file.
  public var origin: String { file.path }
  /// The size of the file in bytes; each use reads it into temporary memory.
  public var temporaryByteCount: Int { file.count }
  private let file: InputFile

  /// Opens `directory/prefix+name+suffix.ext`.
  ///
  /// - Parameters:
  ///   - directory: the folder; relative to the working directory unless it begins with `/`.
  ///   - name: the layer's name; it must not be empty or contain `/`.
  ///   - count: the number of values the layer needs.
  ///   - prefix: the text before the name.
  ///   - suffix: the text after the name, which distinguishes the parameters of a layer.
  ///   - ext: the extension, without its dot; no extension if empty.
  ///   - layout: the axis order of the values.
  ///   - elementType: the type of the values.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable`, `notARegularFile`,
  ///   `wrongSize`.
  public init(
    directory: String, name: String, count: Int, prefix: String = "", suffix: String = "",
    ext: String = "bin", layout: ParameterLayout = .forge, elementType: ElementType = .float32
  ) throws(LoadError) {
    guard !name.isEmpty else { throw .emptyName(directory) }
    let fileName = prefix + name + suffix + (ext.isEmpty ? "" : "." + ext)
    try self.init(
      path: try ParameterFile.path(of: fileName, in: directory), count: count, layout: layout,
      elementType: elementType)
  }

  /// Opens the file at `path`.
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - count: the number of values the layer needs.
  ///   - layout: the axis order of the values.
  ///   - elementType: the type of the values.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable`, `notARegularFile`,
  ///   `wrongSize`.
  public init(
    path: String, count: Int, layout: ParameterLayout = .forge, elementType: ElementType = .float32
  ) throws(LoadError) {
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: elementType.byteCount)
    guard count >= 0, !overflow else { throw .impossibleCount(path, count) }
    file = try InputFile(path: path, staysOpen: false)
    guard file.count == byteCount else {
      throw .wrongSize(path, received: file.count, values: count, elementType)
    }
    self.count = count
    self.elementType = elementType
    self.layout = layout
  }

  /// Calls `body` with the bytes of the file.
  ///
  /// - Parameter body: receives `count` little-endian values.
  /// - Throws: ``LoadError``: `damaged` when the file was truncated, changed or replaced,
  ///   `fileMissing`, `unreadable`, `outOfMemory`; and what `body` throws.
  public func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try file.withUnsafeBytes(in: 0..<file.count, alignment: elementType.byteCount, body)
  }

  /// Reads the file into memory of exactly its size.
  ///
  /// - Parameter memory: receives `count` little-endian values.
  /// - Throws: ``LoadError``: `damaged` when the file was truncated, changed or replaced,
  ///   `wrongSize`, `fileMissing` or `unreadable`.
  public func read(into memory: UnsafeMutableRawBufferPointer) throws {
    try file.read(0..<file.count, into: memory)
  }

  /// The path of a file in a folder; its name must not lead out of the folder.
  static func path(of fileName: String, in directory: String) throws(LoadError) -> String {
    guard !fileName.utf8.contains(UInt8(ascii: "/")), !fileName.utf8.contains(0),
      fileName != ".", fileName != ".."
    else { throw .nameLeadsOut(fileName, of: directory) }
    guard !directory.isEmpty else { return fileName }
    return directory.hasSuffix("/") ? directory + fileName : directory + "/" + fileName
  }
}

extension ParameterFile: FiledParameterData {
  package var filePlace: (file: InputFile, range: Range<Int>)? { (file, 0..<file.count) }
}
