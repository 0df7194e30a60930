extension WeightFormat {
  /// See ``KerasArchive``.
  static let keras = WeightFormat(
    format: .keras, files: ".keras", name: "a Keras archive", reader: "KerasArchive",
    recognizes: { origin throws(LoadError) in
      try origin.archive()?.entries.contains { $0.name == KerasArchive.weightsEntry } ?? false
    }
  ) { origin throws(LoadError) in
    guard let file = origin.file,
      try origin.archive()?.entries.contains(where: { $0.name == KerasArchive.weightsEntry })
        ?? false
    else { return nil }
    let limits = origin.limits
    return WeightContents(
      // This archive and its decompressed values are released after listing.
      entries: try KerasArchive(file, limits: limits).entries,
      readings: [.init(layout: .keras), .init(layout: .keras, matching: .inOrder)]
    ) { reading throws(LoadError) in
      try KerasArchive(file, matching: reading.matching, layout: reading.layout, limits: limits)
    }
  }
}
