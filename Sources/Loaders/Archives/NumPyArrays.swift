/// The arrays of an `.npz` archive or of a folder of `.npy` files, by name.
struct NumPyArrays: Sendable {
  private enum Place: Sendable {
    #if Zip
      case archive(ZipArchive)
    #endif
    case folder(String)
  }

  /// The names without their ending, in the order of the archive; sorted for a folder.
  let names: [String]
  private let place: Place
  private let known: Set<String>

  /// Opens an archive or folder.
  init(_ path: String) throws(LoadError) {
    let all: [String]
    if let files = try Folder.files(in: path) {
      all = files
      place = .folder(path)
    } else {
      let mapping = try FileMapping(path: path)
      #if Zip
        let archive = try ZipArchive(mapping)
        all = archive.entries.map(\.name)
        place = .archive(archive)
      #else
        throw .needsTrait(mapping.path, "Zip", "a zip archive")
      #endif
    }
    names = all.filter { $0.hasSuffix(NumPyParameters.ending) }.map {
      String($0.dropLast(NumPyParameters.ending.count))
    }
    known = Set(names)
  }

  /// The array of a name; `nil` when there is none.
  func array(named name: String) throws(LoadError) -> NumPyArray? {
    guard known.contains(name) else { return nil }
    switch place {
    #if Zip
      case .archive(let archive):
        guard let stored = try archive.bytes(named: name + NumPyParameters.ending) else {
          return nil
        }
        return try NumPyArray(stored)
    #endif
    case .folder(let folder):
      return try NumPyArray(path: "\(folder)/\(name)\(NumPyParameters.ending)")
    }
  }
}
