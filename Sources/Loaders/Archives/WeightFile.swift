import ForgeShapes

/// A file of parameters of any form Forge reads: what it is, and what it holds.
///
/// ```swift
/// for entry in try WeightFile("mobilenet.safetensors").entries { print(entry) }
/// // conv1.weight  32×3×3×3  f16  1728 bytes
/// ```
/// The form is told by the first bytes of the file, not by its name.
public struct WeightFile: Sendable {
  /// The form of a file.
  public enum Format: String, Hashable, Sendable {
    /// HDF5, as `.h5` and `.weights.h5` of Keras.
    case hdf5 = "HDF5"
    /// An archive of Keras 3.
    case keras = "Keras archive"
    /// A safetensors file.
    case safeTensors = "safetensors"
    /// One NumPy array.
    case numPy = "NumPy array"
    /// An archive of NumPy arrays.
    case numPyArchive = "NumPy archive"
    /// A folder of NumPy arrays or of raw files.
    case folder = "folder"
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
  /// The form of the file.
  public let format: Format
  /// What the file holds, in its own order.
  public let entries: [Entry]
  /// What reading the structure of the file may cost.
  public let limits: LoadLimits

  /// Opens a file, finds out its form and lists what it holds.
  ///
  /// - Parameters:
  ///   - path: the file or folder; relative to the working directory unless it begins with `/`.
  ///   - limits: what reading its structure may cost; ``parameters(layout:)`` has the same.
  /// - Throws: ``LoadError``: `fileMissing`, `unreadable`, `notARegularFile`, `damaged`,
  ///   `duplicate`, `unsupported` or `refused`. Entries that cannot be read have the error as their
  ///   `problem`.
  public init(_ path: String, limits: LoadLimits = LoadLimits()) throws(LoadError) {
    self.path = path
    self.limits = limits
    format = try Self.format(of: path, limits)
    entries =
      switch format {
      case .hdf5: try Self.hdf5Entries(path, limits)
      case .keras: try Self.kerasEntries(path, limits)
      case .safeTensors: try SafeTensors(path, limits: limits).tensors.map(Entry.init)
      case .numPy: [try Self.arrayEntry(path, limits)]
      case .numPyArchive: try Self.archiveEntries(path, limits)
      case .folder: try Self.folderEntries(path, limits)
      }
  }

  /// The parameters in the file, found by the usual names.
  ///
  /// - Parameter layout: the axis order of the values; `nil` for the usual one of the form: Forge's
  ///   for a folder of raw files, PyTorch's for safetensors, Keras's for the others.
  /// - Returns: a source for `compile(parameters:)`.
  /// - Throws: ``LoadError``, as the source's own initializer does; `unsupported` for a single
  ///   array.
  public func parameters(
    layout: ParameterLayout? = nil
  ) throws(LoadError) -> any ParameterSource {
    switch format {
    case .hdf5: return try Self.hdf5Parameters(path, layout ?? .keras, limits)
    case .keras: return try Self.kerasParameters(path, layout ?? .keras, limits)
    case .safeTensors:
      return try SafeTensorsParameters(path, layout: layout ?? .pytorch, limits: limits)
    case .numPyArchive: return try NumPyParameters(path, layout: layout ?? .keras, limits: limits)
    case .numPy:
      throw .unsupported(
        path, entry: nil, "one array without the name of a layer", needs: "an .npz or a folder")
    case .folder:
      guard entries.contains(where: { $0.name.hasSuffix(NumPyParameters.ending) }) else {
        return try Self.rawParameters(path, entries, layout ?? .forge)
      }
      return try NumPyParameters(path, layout: layout ?? .keras, limits: limits)
    }
  }
}
