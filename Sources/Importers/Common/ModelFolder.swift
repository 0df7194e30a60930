import Forge

/// The folder of a model file, in which the files must be that the model names.
struct ModelFolder {
  /// The folder as the caller named it.
  private let path: String
  /// The real folders: that of the name, and that of the file, which may be a link itself.
  private let folders: [String]

  /// The folder of a model file.
  init(of model: String) {
    path = Self.parent(of: model)
    let real = Folder.realPath(model).map(Self.parent(of:))
    folders = [Folder.realPath(path), real].compactMap(\.self)
  }

  /// A folder that is a model itself.
  init(package path: String) {
    self.path = path
    folders = [Folder.realPath(path)].compactMap(\.self)
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Opens a file in the folder; its bytes count for the budget of the import.
  ///
  /// - Throws: `LoadError`; of kind `refused` if a symbolic link leads out.
  func file(_ name: some StringProtocol) throws(LoadError) -> InputFile {
    let path = "\(path)/\(name)"
    let file = try InputFile(path: path, within: folders, staysOpen: false)
    ImportBudget.add(file: path, bytes: file.storedByteCount)
    return file
  }
}
