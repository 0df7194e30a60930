import ForgeSystem

/// The files in a folder and its subfolders.
package enum Folder {
  private static let maximumDepth = 8

  /// Whether a path is a folder; if `required`, any other file is an error.
  ///
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable` or `notARegularFile`.
  @discardableResult
  static func isFolder(_ path: String, required: Bool = false) throws(LoadError) -> Bool {
    guard !path.utf8.contains(0) else { throw .badPath(path) }
    var info = stat()
    guard stat(path, &info) == 0 else { throw .cannotOpen(path, errno, isFolder: required) }
    let isFolder = info.st_mode & S_IFMT == S_IFDIR
    guard isFolder || !required else { throw .notAFolder(path) }
    return isFolder
  }

  /// The relative paths of the files, sorted; `nil` when `path` is not a folder.
  ///
  /// Symbolic links to folders are not followed, because they may form cycles.
  ///
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable` or `refused`.
  static func files(in path: String, limits: LoadLimits) throws(LoadError) -> [String]? {
    guard try isFolder(path) else { return nil }
    var info = stat()
    var files: [String] = []
    var folders: [(name: String, depth: Int)] = [("", 0)]
    while let (folder, depth) = folders.popLast() {
      for name in try names(in: folder.isEmpty ? path : "\(path)/\(folder)") {
        let relative = folder.isEmpty ? name : "\(folder)/\(name)"
        guard lstat("\(path)/\(relative)", &info) == 0 else { continue }
        if info.st_mode & S_IFMT != S_IFDIR {
          files.append(relative)
        } else if depth < maximumDepth {
          folders.append((relative, depth + 1))
        }
        guard files.count + folders.count <= limits.entries else {
          let what = "a folder of more than \(limits.entries) files"
          throw .beyondLimit(what, limit: "entries").located(in: path)
        }
      }
    }
    return files.sorted()
  }

  /// The path of an existing file or folder without symbolic links.
  package static func realPath(_ path: String) -> String? {
    guard !path.utf8.contains(0), let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// The names in a folder, in no order; the present ``FileLog`` notes that they were read, if
  /// `isLogged`.
  ///
  /// - Throws: ``LoadError``: `fileMissing`, `unreadable` or `notARegularFile`.
  package static func names(
    in path: String, isLogged: Bool = true
  ) throws(LoadError) -> [String] {
    if isLogged { FileLog.addFolder() }
    guard let folder = opendir(path) else { throw .cannotOpen(path, errno, isFolder: true) }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
