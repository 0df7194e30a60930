import ForgeShapes

/// A weight file of any supported format: its format and its entries.
///
/// ```swift
/// for entry in try WeightFile("mobilenet.safetensors").entries { print(entry) }
/// // conv1.weight  32×3×3×3  f16  1728 bytes
/// ```
/// The format is recognized by the contents of the file, not by its name.
public struct WeightFile: Sendable {
  /// The format of a file.
  public struct Format: RawRepresentable, Hashable, Sendable {
    /// The name of the format: `safetensors`.
    public let rawValue: String

    /// Creates a format with a name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  /// One parameter or other array of a file.
  public struct Entry: Sendable, CustomStringConvertible {
    /// The name in the file, or the path of a file with a single array.
    public let name: String
    /// The sizes, outermost first; none for a single value.
    public let sizes: [Int]
    /// The type of the values; `nil` when Forge does not read it.
    public let elementType: ElementType?
    /// The name of the type: `f32`, `F8_E4M3`, `raw`.
    public let typeName: String
    /// The uncompressed size of the values in bytes.
    public let byteCount: Int
    /// The reason why the values cannot be read; `nil` if they can.
    public let problem: LoadError?

    init(
      _ name: String, sizes: [Int] = [], _ elementType: ElementType? = nil, typeName: String,
      byteCount: Int, problem: LoadError? = nil
    ) {
      self.name = name
      self.sizes = sizes
      self.elementType = elementType
      self.typeName = typeName
      self.byteCount = byteCount
      self.problem = problem
    }

    /// The entry as one line of a listing.
    public var description: String {
      if let problem { return "\(name.printable)  \(problem.headline.printable)" }
      return "\(name.printable)  \(LoadError.sizeText(sizes))  \(typeName.printable)  "
        + LoadError.bytes(byteCount)
    }
  }

  /// The path of the file, as given.
  public let path: String
  /// The format of the file.
  public let format: Format
  /// The entries, in the order of the file.
  public var entries: [Entry] { contents.entries }
  /// The limits for reading the structure of the file.
  public let limits: LoadLimits
  private let contents: WeightContents

  /// Opens a file, recognizes its format and lists its entries.
  ///
  /// - Parameters:
  ///   - path: the file or folder; relative to the working directory unless it begins with `/`.
  ///   - limits: the limits for reading its structure, also used by ``parameters(layout:)``.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable`, `notARegularFile`, `damaged`,
  ///   `duplicate`, `unsupported` or `refused`. Errors of single entries are in their `problem`.
  public init(_ path: String, limits: LoadLimits = LoadLimits()) throws(LoadError) {
    let file = try Folder.isFolder(path) ? nil : try InputFile(path: path)
    try self.init(try WeightOrigin(path, file, limits))
  }

  /// Uses bytes in memory as a file, recognizes its format and lists its entries.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of the file.
  ///   - name: the origin of the bytes, for error messages.
  ///   - limits: the limits for reading its structure, also used by ``parameters(layout:)``.
  /// - Throws: ``LoadError``: `outOfMemory`, and what ``init(_:limits:)`` throws.
  public init(
    bytes: [UInt8], name: String = "memory", limits: LoadLimits = LoadLimits()
  ) throws(LoadError) {
    let file = try InputFile.copying(bytes, name: name)
    try self.init(try WeightOrigin(name, file, limits))
  }

  private init(_ origin: WeightOrigin) throws(LoadError) {
    path = origin.path
    limits = origin.limits
    for format in Self.formats {
      guard let contents = try format.open(origin) else { continue }
      self.contents = contents
      self.format = format.format
      return
    }
    throw .unknownFormat(
      known: Self.formats.map(\.files), contents: origin.file.flatMap { FileContents($0) }
    ).located(in: path)
  }

  /// The parameters in the file, matched by the usual names.
  ///
  /// - Parameter layout: the axis order of the values; `nil` for the format's default: Forge's for
  ///   a folder of raw files, PyTorch's for safetensors, Keras's for the others.
  /// - Returns: a source for `compile(parameters:)`.
  /// - Throws: ``LoadError``, as the source's own initializer does; `unsupported` for a single
  ///   array.
  public func parameters(
    layout: ParameterLayout? = nil
  ) throws(LoadError) -> any ParameterSource {
    try parameters(WeightReading(layout: layout ?? contents.layout))
  }

  /// The possible interpretations of the parameters, the most likely first.
  package var readings: [WeightReading] { contents.readings }

  /// The parameters in the file under one interpretation.
  package func parameters(
    _ reading: WeightReading
  ) throws(LoadError) -> any ParameterSource {
    try contents.parameters(reading)
  }
}
