import ForgeShapes

/// A file of parameters of any format Forge reads: what it is, and what it holds.
///
/// ```swift
/// for entry in try WeightFile("mobilenet.safetensors").entries { print(entry) }
/// // conv1.weight  32×3×3×3  f16  1728 bytes
/// ```
/// The format is told by the bytes of the file, not by its name.
public struct WeightFile: Sendable {
  /// The format of a file.
  public struct Format: RawRepresentable, Hashable, Sendable {
    /// What the format is called: `safetensors`.
    public let rawValue: String

    /// A format of a name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  /// One parameter, or other values, of a file.
  public struct Entry: Sendable, CustomStringConvertible {
    /// The name in the file; the file's own where it holds one array.
    public let name: String
    /// The sizes, outermost first; none for a single value.
    public let sizes: [Int]
    /// The type of the values; `nil` when Forge does not read it.
    public let elementType: ElementType?
    /// The type in words: `f32`, `F8_E4M3`, `raw`.
    public let typeName: String
    /// The bytes of the values, uncompressed.
    public let byteCount: Int
    /// Why the values cannot be read, when they cannot.
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
      if let problem { return "\(name)  \(problem.headline)" }
      return "\(name)  \(LoadError.sizeText(sizes))  \(typeName)  \(LoadError.bytes(byteCount))"
    }
  }

  /// The path of the file, as it was given.
  public let path: String
  /// The format of the file.
  public let format: Format
  /// The entries of the file, in its own order.
  public var entries: [Entry] { contents.entries }
  /// What reading the structure of the file may cost.
  public let limits: LoadLimits
  private let contents: WeightContents

  /// Opens a file, finds out its format and lists what it holds.
  ///
  /// - Parameters:
  ///   - path: the file or folder; relative to the working directory unless it begins with `/`.
  ///   - limits: what reading its structure may cost; ``parameters(layout:)`` has the same.
  /// - Throws: ``LoadError``: `fileMissing`, `unreadable`, `notARegularFile`, `damaged`,
  ///   `duplicate`, `unsupported` or `refused`. Entries that cannot be read have the error as their
  ///   `problem`.
  public init(_ path: String, limits: LoadLimits = LoadLimits()) throws(LoadError) {
    let file = try Folder.isFolder(path) ? nil : try InputFile(path: path)
    try self.init(try WeightOrigin(path, file, limits))
  }

  /// Uses bytes in memory as a file, finds out its format and lists what it holds.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of the file.
  ///   - name: where they come from, for messages.
  ///   - limits: what reading its structure may cost; ``parameters(layout:)`` has the same.
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
    throw .unknownFormat(known: Self.formats.map(\.files)).located(in: path)
  }

  /// The parameters in the file, found by the usual names.
  ///
  /// - Parameter layout: the axis order of the values; `nil` for the usual one of the format:
  ///   Forge's for a folder of raw files, PyTorch's for safetensors, Keras's for the others.
  /// - Returns: a source for `compile(parameters:)`.
  /// - Throws: ``LoadError``, as the source's own initializer does; `unsupported` for a single
  ///   array.
  public func parameters(
    layout: ParameterLayout? = nil
  ) throws(LoadError) -> any ParameterSource {
    try parameters(WeightReading(layout: layout ?? contents.layout))
  }

  /// The ways in which the parameters may be meant, the likeliest first.
  package var readings: [WeightReading] { contents.readings }

  /// The parameters in the file as a reading has them.
  package func parameters(
    _ reading: WeightReading
  ) throws(LoadError) -> any ParameterSource {
    try contents.parameters(reading)
  }
}
