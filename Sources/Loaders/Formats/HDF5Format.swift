import ForgeShapes

/// HDF5 files; see ``HDF5Parameters``.
struct HDF5Format: WeightFormat {
  static let format = WeightFile.Format.hdf5
  static let files = "HDF5 (.h5)"

  let layout = ParameterLayout.keras
  var readings: [WeightReading] { [.byName(layout), .inOrder(layout)] }
  var entries: [WeightFile.Entry] { file.entries }
  private let file: HDF5File

  init?(_ origin: WeightOrigin) throws(LoadError) {
    guard let input = origin.file, try HDF5Superblock.place(in: input) != nil else { return nil }
    file = try HDF5File(input, limits: origin.limits)
  }

  func parameters(_ reading: WeightReading) throws(LoadError) -> any ParameterSource {
    try HDF5Parameters(file, matching: reading.matching, layout: reading.layout)
  }
}

extension WeightFile.Format {
  /// HDF5, as `.h5` and `.weights.h5` of Keras.
  public static let hdf5 = Self(rawValue: "HDF5")
}
