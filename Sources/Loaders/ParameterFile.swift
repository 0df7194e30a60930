import ForgeShapes

/// One parameter in one raw file of little-endian values, Float32 unless said otherwise.
///
/// This is the 2017 toolkit's form: a folder with a file per parameter, found by the layer's name.
/// ```swift
/// let network = try model.compile { name, count, type in
///   try ParameterFile(directory: weights, name: name, count: count,
///                     suffix: type == .weights ? "_W" : "_b", ext: "bin")
/// }
/// ```
/// The file must exist, be a regular file and have exactly `count` values' bytes (× 4 for Float32,
/// × 2 for `.float16` and `.bfloat16`). It is not kept open: the values are read when they are
/// used, and a file that was cut, changed or replaced since the value was made is an error, never
/// part of two versions. To change parameters under a running program write another file and rename
/// it.
public struct ParameterFile: ParameterData {
  /// The number of values.
  public let count: Int
  /// The type they are stored in.
  public let elementType: ElementType
  /// The axis order they are stored in.
  public let layout: ParameterLayout
  /// The path of the file.
  public var origin: String { file.path }
  /// The bytes of the file, which are read each time they are used.
  public var temporaryByteCount: Int { file.count }
  private let file: InputFile

  /// Finds `directory/prefix+name+suffix.ext`.
  ///
  /// - Parameters:
  ///   - directory: the folder; relative to the working directory unless it begins with `/`.
  ///   - name: the layer's name; it must not be empty or contain `/`.
  ///   - count: the number of values the layer needs.
  ///   - prefix: what stands before the name.
  ///   - suffix: what stands after the name, to tell a layer's parameters apart.
  ///   - ext: the extension, without its dot; none when empty.
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

  /// Finds the file at `path`.
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

  /// Gives the file's bytes to `body` for the time of the call.
  ///
  /// - Parameter body: receives `count` little-endian values.
  /// - Throws: ``LoadError``: `damaged` when the file was cut, changed or replaced, `fileMissing`,
  ///   `unreadable`, `outOfMemory`; and what `body` throws.
  public func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try file.withUnsafeBytes(in: 0..<file.count, alignment: elementType.byteCount, body)
  }

  /// Reads the file's bytes into memory that has room for exactly these.
  ///
  /// - Parameter memory: receives `count` little-endian values.
  /// - Throws: ``LoadError``: `damaged` when the file was cut, changed or replaced, `fileMissing`
  ///   or `unreadable`.
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
