import ForgeCPU
import ForgeLoaders
import ForgeOperations
import ForgeShapes
import ForgeSystem

extension CompileCache {
  /// A file of a cache.
  public struct Entry: Sendable, Hashable {
    /// Kinds of files.
    public enum Kind: String, Sendable {
      /// A compiled network.
      case network
      /// The hashes of a file of weights or of a network, which need not be read again.
      case hashes
      /// Which network belongs to a model file, so the file need not be imported again.
      case imported
    }

    /// The kind of the file.
    public let kind: Kind
    /// The path of the file.
    public let path: String
    /// The size in bytes.
    public let byteCount: Int
    /// The time of the last use, in seconds since 1970.
    public let lastUse: Int

    fileprivate init(_ file: CacheFolder.File, in folder: CacheFolder) {
      kind =
        if file.name.hasSuffix(CacheFolder.hashesSuffix) {
          .hashes
        } else if file.name.hasSuffix(CacheFolder.importSuffix) {
          .imported
        } else {
          .network
        }
      path = folder.path(of: file.name)
      (byteCount, lastUse) = (file.byteCount, file.lastUse)
    }
  }

  private var folder: CacheFolder { CacheFolder(directory) }

  /// The files of the cache, the least recently used first; none if the folder does not exist.
  ///
  /// - Returns: the files.
  /// - Throws: ``LoadError`` if the folder cannot be read.
  public func entries() throws(LoadError) -> [Entry] {
    try folder.files().filter { !$0.isBeingWritten }.map { Entry($0, in: folder) }
  }

  /// Removes the files that were used least recently until the others are within a limit.
  ///
  /// Networks that processes have loaded remain usable there.
  ///
  /// - Parameter limit: the most bytes of all files; by default ``sizeLimit``.
  /// - Returns: the files that were removed.
  /// - Throws: ``LoadError`` if the folder cannot be read.
  @discardableResult
  public func prune(to limit: Int? = nil) throws(LoadError) -> [Entry] {
    try folder.prune(to: limit ?? sizeLimit).map { Entry($0, in: folder) }
  }

  /// The networks of the cache that a compile would not use, each with the reason.
  ///
  /// All digests are checked, even of entries that were checked before; damaged ones are forgotten.
  /// An entry of another version of Forge, or for another processor, counts as unusable too.
  ///
  /// - Returns: the files with what is wrong with them.
  /// - Throws: ``LoadError`` if the folder cannot be read.
  public func unusableEntries() throws(LoadError) -> [(entry: Entry, reason: String)] {
    try folder.files().filter { !$0.isBeingWritten }.compactMap { file in
      let entry = Entry(file, in: folder)
      guard let fault = fault(of: file, entry.kind) else { return nil }
      folder.forget(file)
      return (entry, fault)
    }
  }

  /// What is wrong with a file; `nil` for nothing.
  private func fault(of file: CacheFolder.File, _ kind: Entry.Kind) -> String? {
    do {
      guard kind == .network else {
        let isWhole = folder.content(of: file.name, isUse: false).map(CacheNote.isWhole) ?? false
        return isWhole ? nil : "it is damaged"
      }
      let threads = CompileOptions.Threads.automatic
      let cores = threads.count(usable: Device.usableCores())
      let bytes = try CompiledFile.bytes(
        of: try folder.open(file.name), isMapped: true, threads: cores)
      let model = try StoredModel(bytes, on: CPUBackend(), threads: threads, readingThreads: cores)
      let name = model.description.key + CacheFolder.entrySuffix
      return name == file.name ? nil : "it holds a different network"
    } catch {
      return CachedCompile.reason(error)
    }
  }
}
