extension WeightFormat {
  /// See ``NumPyArray``.
  static let numPy = WeightFormat(
    format: .numPy, files: ".npy", name: "a NumPy array", reader: "NumPyArray",
    argument: "path: ", recognizes: { NumPyHeader.begins($0.head) }
  ) { origin throws(LoadError) in
    guard let file = origin.file, NumPyHeader.begins(origin.head) else { return nil }
    let entry = try WeightFile.Entry(file, named: origin.path, LoadBudget(origin.limits, file))
    return WeightContents(entries: [entry]) { _ throws(LoadError) in
      throw file.located(
        .unsupported(
          "one array without the name of a layer", needs: "an .npz or a folder"))
    }
  }

  /// See ``NumPyParameters``.
  static let numPyArchive = WeightFormat(
    format: .numPyArchive, files: ".npz", name: "a NumPy archive", reader: "NumPyParameters",
    recognizes: { origin throws(LoadError) in
      try origin.archive()?.entries.contains {
        $0.name.bytes.suffix(NumPyArrays.ending.utf8.count).elementsEqual(NumPyArrays.ending.utf8)
      } ?? false
    }
  ) { origin throws(LoadError) in
    guard let archive = try origin.archive() else { return nil }
    let limits = origin.limits
    // All headers share one budget.
    let budget = LoadBudget(limits, archive.file)
    let entries = archive.entries.map { stored in
      WeightFile.Entry(trying: stored.name.text, byteCount: stored.count) {
        name throws(LoadError) in
        try WeightFile.Entry(InputFile(try archive.existing(stored.name)), named: name, budget)
      }
    }
    return WeightContents(entries: entries) { reading throws(LoadError) in
      try NumPyParameters(NumPyArrays(archive, limits: limits), layout: reading.layout)
    }
  }
}

extension WeightFile.Entry {
  /// Creates the entry of an array, with a problem if its values cannot be read.
  init(_ file: InputFile, named name: String, _ budget: LoadBudget) throws(LoadError) {
    let header = try NumPyHeader(file, budget)
    var problem: LoadError?
    do throws(LoadError) { _ = try NumPyArray(file, header) } catch { problem = error }
    self.init(
      name, sizes: header.sizes, header.elementType,
      typeName: header.elementType?.rawValue ?? header.typeName,
      byteCount: file.count - header.byteCount, problem: problem)
  }

  /// Creates an entry, with a problem if `read` throws.
  init(
    trying name: String, byteCount: Int,
    _ read: (_ name: String) throws(LoadError) -> WeightFile.Entry
  ) {
    do throws(LoadError) { self = try read(name) } catch {
      self.init(name, typeName: "unknown", byteCount: byteCount, problem: error)
    }
  }
}
