extension WeightFormat {
  /// Folders of NumPy arrays or of raw files; see ``NumPyParameters`` and ``ParameterDirectory``.
  static let folder = WeightFormat(
    format: .folder, files: "a folder of .npy or .bin", name: "a folder",
    reader: "ParameterDirectory", recognizes: { _ in false }
  ) { origin throws(LoadError) in
    let path = origin.path
    let limits = origin.limits
    guard origin.file == nil, let files = try Folder.files(in: path, limits: limits) else {
      return nil
    }
    let rawEnding = ".bin"
    func has(_ ending: String) -> Bool { files.contains { $0.hasSuffix(ending) } }
    let entries = files.filter { $0.hasSuffix(NumPyArrays.ending) || $0.hasSuffix(rawEnding) }
      .map { name in
        WeightFile.Entry(trying: name, byteCount: 0) { name throws(LoadError) in
          let file = try InputFile(path: "\(path)/\(name)")
          return name.hasSuffix(rawEnding)
            ? WeightFile.Entry(
              name, sizes: [file.count], typeName: "raw", byteCount: file.count)
            : try WeightFile.Entry(file, named: name, LoadBudget(limits, file))
        }
      }
    if has(NumPyArrays.ending) {
      return WeightContents(entries: entries) { reading throws(LoadError) in
        try NumPyParameters(path, layout: reading.layout, limits: limits)
      }
    }
    // Some programs write the suffix of weights in lowercase.
    let isLowercase = has("_w" + rawEnding) && !has("_W" + rawEnding)
    return WeightContents(
      entries: entries, layout: .forge, readings: [.init(layout: .forge)]
    ) { reading throws(LoadError) in
      try ParameterDirectory(
        path, suffixes: isLowercase ? [.weights: "_w"] : [:], layout: reading.layout)
    }
  }
}
