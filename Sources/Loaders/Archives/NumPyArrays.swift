/// The arrays of an `.npz` archive or of a folder of `.npy` files, by name.
struct NumPyArrays: Sendable {
  private enum Place: Sendable {
    #if Zip
      case archive(ZipArchive)
    #endif
    case folder(String)
  }

  /// The names without their ending, in the order of the archive; sorted for a folder.
  let names: [EntryName]
  private let place: Place
  private let known: Set<EntryName>
  private let limits: LoadLimits

  /// Opens an archive or folder.
  init(_ path: String, limits: LoadLimits) throws(LoadError) {
    let all: [EntryName]
    if let files = try Folder.files(in: path, limits: limits) {
      all = files.map { EntryName($0) }
      place = .folder(path)
    } else {
      let file = try InputFile(path: path)
      #if Zip
        let archive = try ZipArchive(
          file, LoadBudget(limits, fileBytes: file.count, path: path))
        all = archive.entries.map(\.name)
        place = .archive(archive)
      #else
        throw .needsTrait(file.path, "Zip", "a zip archive")
      #endif
    }
    let ending = Array(NumPyParameters.ending.utf8)
    names = all.filter { $0.bytes.suffix(ending.count).elementsEqual(ending) }.map {
      EntryName($0.bytes.dropLast(ending.count))
    }
    known = Set(names)
    self.limits = limits
  }

  /// The array of a name; `nil` when there is none.
  func array(named name: EntryName) throws(LoadError) -> NumPyArray? {
    switch place {
    #if Zip
      case .archive(let archive):
        let full = EntryName(name.bytes + NumPyParameters.ending.utf8)
        guard let stored = try archive.bytes(named: full) else { return nil }
        return try NumPyArray(
          stored, LoadBudget(limits, fileBytes: stored.fileByteCount, path: stored.path))
    #endif
    case .folder(let folder):
      // Only what was listed: a rule must not lead out of the folder.
      guard known.contains(name) else { return nil }
      return try NumPyArray(
        path: "\(folder)/\(name.text)\(NumPyParameters.ending)", limits: limits)
    }
  }
}
