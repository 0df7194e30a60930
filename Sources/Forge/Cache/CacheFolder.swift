import ForgeLoaders
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// The files of a cache: entries, and hashes of files that models were made from.
///
/// | name | content |
/// | --- | --- |
/// | 64 digits and `.forge` | an entry, a compiled file that states the digits as its key |
/// | 64 digits and `.hashes` | the hashes of ranges of a file, also the digest of an entry |
/// | 64 digits and `.import` | which entry a model file leads to |
/// | either with `.` and a number in base 36 | a file that is being written |
///
/// Other files are left alone. A file appears under its name complete, and is never changed after.
/// The time of its last change is that of its last use, or for an entry that of its hashes.
struct CacheFolder {
  let path: String

  static let entrySuffix = ".forge"
  static let hashesSuffix = ".hashes"
  static let importSuffix = ".import"
  private static let digits = 64
  /// The age in seconds from which an unfinished file counts as abandoned.
  private static let longestWriting = 3600

  /// The seconds of the clock.
  static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int(time.tv_sec)
  }

  init(_ path: String) { self.path = path }

  func path(of name: String) -> String {
    path.hasSuffix("/") || path.isEmpty ? path + name : path + "/" + name
  }

  /// Opens a file of the folder that is the user's own.
  ///
  /// - Throws: `LoadError`, `fileMissing` if there is none; ``StoredMisfit`` for a stranger's file.
  func open(_ name: String) throws -> FileDescriptor {
    try check()
    let file = try FileDescriptor(path: path(of: name), followsLinks: false, isLogged: false)
    guard try file.isOwn() else { throw StoredMisfit.foreign("it belongs to another user") }
    return file
  }

  /// The content of a small file, which is thereby used; `nil` if it cannot be read.
  func content(of name: String, isUse: Bool = true) -> [UInt8]? {
    guard let file = try? open(name), let count = try? file.identity().count,
      count <= Self.mostSmallBytes
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    guard let found = try? bytes.withUnsafeMutableBytes({ try file.read(at: 0, into: $0) }),
      found == count
    else { return nil }
    if isUse { file.touch() }
    return bytes
  }

  private static let mostSmallBytes = 1 << 26

  /// Calls a body that writes a file, once the folder exists and no link or folder has its name.
  func write(
    _ name: String, _ body: (_ path: String) throws(LoadError) -> Void
  ) throws(LoadError) {
    try make()
    let target = path(of: name)
    var info = stat()
    if lstat(target, &info) == 0, info.st_mode & S_IFMT != S_IFREG {
      // A folder is removed only if it is empty.
      if info.st_mode & S_IFMT == S_IFDIR { rmdir(target) } else { unlink(target) }
    }
    try body(target)
  }

  private func check() throws(LoadError) {
    guard path.isEmpty || path.utf8.contains(0) else { return }
    throw LoadError(.badName, "the name of the cache's folder is not valid", path: path)
  }

  /// Makes the folder and those above it.
  private func make() throws(LoadError) {
    try check()
    var info = stat()
    if stat(path, &info) == 0 {
      guard info.st_mode & S_IFMT == S_IFDIR else {
        throw LoadError(.notARegularFile, "the cache is not a folder", path: path)
      }
      return
    }
    let parts = path.split(separator: "/")
    for count in parts.indices.map({ $0 + 1 }) {
      let part = (path.hasPrefix("/") ? "/" : "") + parts.prefix(count).joined(separator: "/")
      guard mkdir(part, 0o755) == 0 || errno == EEXIST else {
        throw LoadError(
          .unreadable, "the folder of the cache cannot be created", path: path,
          received: String(cString: strerror(errno)))
      }
    }
  }

  /// A file of the cache.
  struct File {
    let name: String
    let byteCount: Int
    /// The seconds of its last use.
    fileprivate(set) var lastUse: Int
    let isBeingWritten: Bool
    fileprivate var nanoseconds: Int
    /// The name of the file with the hashes of this one.
    fileprivate let hashes: String
  }

  /// The files of the cache; an empty list for a folder that does not exist.
  ///
  /// - Throws: `LoadError` if the folder cannot be read.
  func files() throws(LoadError) -> [File] {
    let names: [String]
    do throws(LoadError) { names = try Folder.names(in: path, isLogged: false) } catch {
      if error.kind == .fileMissing { return [] }
      throw error
    }
    let files = names.compactMap { name in Self.isBeingWritten(name).flatMap { file(name, $0) } }
    let uses = Dictionary(
      uniqueKeysWithValues: files.map { ($0.name, ($0.lastUse, $0.nanoseconds)) })
    return files.map { file in
      guard file.name.hasSuffix(Self.entrySuffix), let use = uses[file.hashes],
        use > (file.lastUse, file.nanoseconds)
      else { return file }
      var used = file
      (used.lastUse, used.nanoseconds) = use
      return used
    }.sorted { ($0.lastUse, $0.nanoseconds, $0.name) < ($1.lastUse, $1.nanoseconds, $1.name) }
  }

  private func file(_ name: String, _ isBeingWritten: Bool) -> File? {
    var info = stat()
    guard lstat(path(of: name), &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
    return File(
      name: name, byteCount: Int(info.st_size), lastUse: Int(info.st_mtim.tv_sec),
      isBeingWritten: isBeingWritten, nanoseconds: Int(info.st_mtim.tv_nsec),
      hashes: FileHashes.name(of: FileStamp(info)))
  }

  /// Whether a name is that of a file that is being written; `nil` for other names.
  private static func isBeingWritten(_ name: String) -> Bool? {
    let key = name.prefix(digits)
    guard key.utf8.count == digits, key.utf8.allSatisfy(isDigit) else { return nil }
    for suffix in [entrySuffix, hashesSuffix, importSuffix] {
      let rest = name.dropFirst(digits)
      if rest == suffix { return false }
      if rest.hasPrefix(suffix + ".") { return true }
    }
    return nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// Forgets that the digest of an entry was right.
  func forget(_ file: File) { unlink(path(of: file.hashes)) }

  /// Removes the files that were used least recently until the others are within a limit.
  ///
  /// - Parameters:
  ///   - limit: the most bytes of all files.
  ///   - kept: a file that stays.
  /// - Returns: the files that were removed.
  /// - Throws: `LoadError` if the folder cannot be read.
  @discardableResult
  func prune(to limit: Int, keeping kept: String? = nil) throws(LoadError) -> [File] {
    let files = try files()
    var removed: [File] = []
    var total = files.reduce(0) { $0.addingSaturated($1.byteCount) }
    let now = Self.now
    for file in files {
      let isLeft = file.isBeingWritten && file.lastUse < now - Self.longestWriting
      let isTooMuch = !file.isBeingWritten && total > limit && file.name != kept
      // Who has opened the file keeps what it maps.
      guard isLeft || isTooMuch, unlink(path(of: file.name)) == 0 else { continue }
      total -= file.byteCount
      removed.append(file)
      guard let hashes = files.first(where: { $0.name == file.hashes }),
        unlink(path(of: hashes.name)) == 0
      else { continue }
      total -= hashes.byteCount
      removed.append(hashes)
    }
    return removed
  }
}
