import ForgeShapes

/// Folders of NumPy arrays or of raw files; see ``NumPyParameters`` and ``ParameterDirectory``.
struct FolderFormat: WeightFormat {
  static let format = WeightFile.Format.folder
  static let files = "a folder of .npy or .bin"

  private static let rawEnding = ".bin"

  let entries: [WeightFile.Entry]
  private let path: String
  private let limits: LoadLimits

  init?(_ origin: WeightOrigin) throws(LoadError) {
    guard origin.file == nil,
      let files = try Folder.files(in: origin.path, limits: origin.limits)
    else { return nil }
    path = origin.path
    limits = origin.limits
    entries = files.filter { $0.hasSuffix(NumPyArrays.ending) || $0.hasSuffix(Self.rawEnding) }
      .map { Self.entry($0, in: origin) }
  }

  private static func entry(_ name: String, in folder: WeightOrigin) -> WeightFile.Entry {
    WeightFile.Entry(trying: name, byteCount: 0) { () throws(LoadError) in
      let file = try InputFile(path: "\(folder.path)/\(name)")
      guard name.hasSuffix(rawEnding) else {
        return try WeightFile.Entry(FileRange(file), named: name, LoadBudget(folder.limits, file))
      }
      return WeightFile.Entry(name, sizes: [file.count], typeName: "raw", byteCount: file.count)
    }
  }

  private var hasArrays: Bool { entries.contains { $0.name.hasSuffix(NumPyArrays.ending) } }

  var layout: ParameterLayout { hasArrays ? .keras : .forge }

  func parameters(_ reading: WeightReading) throws(LoadError) -> any ParameterSource {
    if hasArrays { return try NumPyParameters(path, layout: reading.layout, limits: limits) }
    // Some write the ending of weights small.
    let isSmall = entries.contains { $0.name.hasSuffix("_w" + Self.rawEnding) }
    let isCapital = entries.contains { $0.name.hasSuffix("_W" + Self.rawEnding) }
    return try ParameterDirectory(
      path, suffixes: isSmall && !isCapital ? [.weights: "_w"] : [:], layout: reading.layout)
  }
}

extension WeightFile.Format {
  /// A folder of NumPy arrays or of raw files.
  public static let folder = Self(rawValue: "folder")
}
