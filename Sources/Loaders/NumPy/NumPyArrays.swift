import ForgeShapes

/// The arrays of an `.npz` archive or of a folder of `.npy` files, by name.
struct NumPyArrays: Sendable {
  private enum Place: Sendable {
    case archive(ZipArchive)
    case folder(String, known: Set<EntryName>)
  }

  /// The ending of arrays in an archive or folder.
  static let ending = ".npy"

  /// The archive or folder.
  let path: String
  /// The names without their ending, in the order of the archive; sorted for a folder.
  let names: [EntryName]
  private let place: Place
  private let limits: LoadLimits

  /// Opens an archive or folder.
  init(_ path: String, limits: LoadLimits) throws(LoadError) {
    guard let files = try Folder.files(in: path, limits: limits) else {
      let file = try InputFile(path: path)
      self = NumPyArrays(try ZipArchive(file, LoadBudget(limits, file)), limits: limits)
      return
    }
    self.path = path
    self.limits = limits
    names = Self.names(files.map { EntryName($0) })
    place = .folder(path, known: Set(names))
  }

  /// Uses an open archive.
  init(_ archive: ZipArchive, limits: LoadLimits) {
    path = archive.file.path
    self.limits = limits
    names = Self.names(archive.entries.map(\.name))
    place = .archive(archive)
  }

  private static func names(_ files: [EntryName]) -> [EntryName] {
    files.filter { $0.bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8) }
      .map { EntryName($0.bytes.dropLast(ending.utf8.count)) }
  }

  /// The array of a name; `nil` when there is none.
  func array(named name: EntryName) throws(LoadError) -> NumPyArray? {
    switch place {
    case .archive(let archive):
      let full = EntryName(name.bytes + Self.ending.utf8)
      guard let file = try archive.bytes(named: full).map(InputFile.init) else { return nil }
      return try NumPyArray(file, try NumPyHeader(file, LoadBudget(limits, archive.file)))
    case .folder(let folder, let known):
      // A user's rule must not lead out of the folder, so only listed names are opened.
      guard known.contains(name) else { return nil }
      return try NumPyArray(path: "\(folder)/\(name.text)\(Self.ending)", limits: limits)
    }
  }
}

extension NumPyArrays: ParameterFileEntries {
  func located(_ error: LoadError, _ entry: String?) -> LoadError {
    guard error.path == nil else { return error }
    var error = error
    error.path = path
    error.entry = error.entry ?? entry
    return error
  }

  func values(
    of entry: EntryName, layout: ParameterLayout
  ) throws(LoadError) -> (any ParameterData)? {
    try array(named: entry)?.parameter(layout: layout)
  }
}
