import ForgeShapes

/// Files of one NumPy array; see ``NumPyArray``.
struct NumPyFormat: WeightFormat {
  static let format = WeightFile.Format.numPy
  static let files = ".npy"

  let layout = ParameterLayout.keras
  let entries: [WeightFile.Entry]
  private let path: String

  init?(_ origin: WeightOrigin) throws(LoadError) {
    guard let file = origin.file, NumPyHeader.begins(origin.head) else { return nil }
    path = origin.path
    entries = [
      try WeightFile.Entry(FileRange(file), named: path, LoadBudget(origin.limits, file))
    ]
  }

  func parameters(_ reading: WeightReading) throws(LoadError) -> any ParameterSource {
    throw .unsupported(
      path, entry: nil, "one array without the name of a layer", needs: "an .npz or a folder")
  }
}

extension WeightFile.Format {
  /// One NumPy array.
  public static let numPy = Self(rawValue: "NumPy array")
}

extension WeightFile.Entry {
  /// An array, with the error where its values cannot be read.
  init(
    _ stored: some StoredBytes, named name: String, _ budget: LoadBudget
  ) throws(LoadError) {
    let header = try NumPyHeader(stored, budget)
    var problem: LoadError?
    do throws(LoadError) { _ = try NumPyArray(stored, header) } catch { problem = error }
    self.init(
      name, sizes: header.sizes, header.elementType,
      typeName: header.elementType?.rawValue ?? header.typeName,
      byteCount: stored.count - header.byteCount, problem: problem)
  }

  /// Something that may be no array, with the error where it is none.
  init(
    trying name: String, byteCount: Int, _ read: () throws(LoadError) -> WeightFile.Entry
  ) {
    do throws(LoadError) { self = try read() } catch {
      self.init(name, typeName: "unknown", byteCount: byteCount, problem: error)
    }
  }
}
