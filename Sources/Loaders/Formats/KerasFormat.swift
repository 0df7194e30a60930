import ForgeShapes

/// Archives of Keras 3; see ``KerasArchive``.
struct KerasFormat: WeightFormat {
  static let format = WeightFile.Format.keras
  static let files = ".keras"

  let layout = ParameterLayout.keras
  var readings: [WeightReading] { [.byName(layout), .inOrder(layout)] }
  let entries: [WeightFile.Entry]
  private let file: InputFile
  private let limits: LoadLimits

  init?(_ origin: WeightOrigin) throws(LoadError) {
    guard let archive = try origin.archive(),
      archive.entries.contains(where: { $0.name == KerasArchive.weightsEntry })
    else { return nil }
    file = archive.file
    limits = origin.limits
    // Decompressed values are not kept for a listing.
    entries = try KerasArchive(file, limits: limits).entries
  }

  func parameters(_ reading: WeightReading) throws(LoadError) -> any ParameterSource {
    try KerasArchive(file, matching: reading.matching, layout: reading.layout, limits: limits)
  }
}

extension WeightFile.Format {
  /// An archive of Keras 3.
  public static let keras = Self(rawValue: "Keras archive")
}
