import ForgeShapes

/// Archives of NumPy arrays; see ``NumPyParameters``.
struct NumPyArchiveFormat: WeightFormat {
  static let format = WeightFile.Format.numPyArchive
  static let files = ".npz"

  let layout = ParameterLayout.keras
  private let archive: ZipArchive
  private let limits: LoadLimits

  init?(_ origin: WeightOrigin) throws(LoadError) {
    guard let archive = try origin.archive() else { return nil }
    self.archive = archive
    limits = origin.limits
  }

  var entries: [WeightFile.Entry] {
    // All headers are read from one budget, however many there are.
    let budget = LoadBudget(limits, archive.file)
    return archive.entries.map { stored in
      let name = stored.name.text
      return WeightFile.Entry(trying: name, byteCount: stored.count) { () throws(LoadError) in
        guard let bytes = try archive.bytes(named: stored.name) else {
          throw .noSuchEntry(archive.path, name, found: [])
        }
        return try WeightFile.Entry(bytes, named: name, budget)
      }
    }
  }

  func parameters(_ reading: WeightReading) throws(LoadError) -> any ParameterSource {
    try NumPyParameters(NumPyArrays(archive, limits: limits), layout: reading.layout)
  }
}

extension WeightFile.Format {
  /// An archive of NumPy arrays.
  public static let numPyArchive = Self(rawValue: "NumPy archive")
}
