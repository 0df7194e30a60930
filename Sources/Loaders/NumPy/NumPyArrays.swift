import ForgeShapes

/// The arrays of an `.npz` archive or of a folder of `.npy` files, by name.
struct NumPyArrays: Sendable {
  /// The extension of arrays in an archive or folder.
  static let ending = ".npy"

  /// The archive or folder.
  let path: String
  /// The names without the extension, in the order of the archive; sorted for a folder.
  let names: [EntryName]
  /// Opens an array by its name with the extension; `nil` if there is none.
  private let array: @Sendable (EntryName) throws(LoadError) -> NumPyArray?

  init(_ path: String, limits: LoadLimits) throws(LoadError) {
    guard let files = try Folder.files(in: path, limits: limits) else {
      try self.init(archive: try InputFile(path: path), limits: limits)
      return
    }
    let known = Set(files.map { EntryName($0) })
    self.init(path, files.map { EntryName($0) }) { name throws(LoadError) in
      // Only listed names are opened, so that a custom rule cannot leave the folder.
      guard known.contains(name) else { return nil }
      return try NumPyArray(path: "\(path)/\(name.text)", limits: limits)
    }
  }

  /// Opens an archive.
  init(archive file: InputFile, limits: LoadLimits) throws(LoadError) {
    let archive = try OtherFormat.naming(file, readAs: .numPyArchive) { () throws(LoadError) in
      let archive = try ZipArchive(file, LoadBudget(limits, file))
      guard !archive.entries.contains(where: { $0.name == KerasArchive.weightsEntry }) else {
        throw .notThisFormat("a NumPy archive", size: file.count)
      }
      return archive
    }
    self.init(archive, limits: limits)
  }

  init(_ archive: ZipArchive, limits: LoadLimits) {
    self.init(archive.file.path, archive.entries.map(\.name)) { name throws(LoadError) in
      guard let file = try archive.bytes(named: name).map(InputFile.init) else { return nil }
      return try NumPyArray(file, try NumPyHeader(file, LoadBudget(limits, archive.file)))
    }
  }

  private init(
    _ path: String, _ files: [EntryName],
    array: @escaping @Sendable (EntryName) throws(LoadError) -> NumPyArray?
  ) {
    self.path = path
    self.array = array
    names = files.filter { $0.bytes.suffix(Self.ending.utf8.count).elementsEqual(Self.ending.utf8) }
      .map { EntryName($0.bytes.dropLast(Self.ending.utf8.count)) }
  }
}

extension NumPyArrays: ParameterFileEntries {
  func located(_ error: LoadError, _ entry: String?) -> LoadError {
    error.located(in: path, error.entry ?? entry)
  }

  func values(
    of entry: EntryName, layout: ParameterLayout
  ) throws(LoadError) -> (any ParameterData)? {
    try array(EntryName(entry.bytes + Self.ending.utf8))?.parameter(layout: layout)
  }
}
