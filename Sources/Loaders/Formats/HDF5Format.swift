extension WeightFormat {
  /// See ``HDF5Parameters``.
  static let hdf5 = WeightFormat(
    format: .hdf5, files: "HDF5 (.h5)", name: "an HDF5 file", reader: "HDF5Parameters",
    recognizes: { origin throws(LoadError) in
      guard let input = origin.file else { return false }
      return try HDF5Superblock.place(in: input) != nil
    }
  ) { origin throws(LoadError) in
    guard let input = origin.file, try HDF5Superblock.place(in: input) != nil else { return nil }
    let file = try HDF5File(input, limits: origin.limits)
    return WeightContents(
      entries: file.entries,
      readings: [.init(layout: .keras), .init(layout: .keras, matching: .inOrder)]
    ) { reading throws(LoadError) in
      try HDF5Parameters(file, matching: reading.matching, layout: reading.layout)
    }
  }
}
