import ForgeGraph
import ForgeLoaders
import ForgeOperations
import ForgeSystem

/// Which entry of a cache the files of a model lead to, and what the entry does not hold.
struct ImportRecord {
  /// The files that were read, as versions.
  private let paths: [String]
  private let stamps: [[Int]]
  /// The key of the entry.
  let key: String
  let metadata: ModelMetadata
  let layers: [NetworkFacts.Layer]
  let summary: StoredSummary

  /// Reads a record; `nil` if there is none that is whole, or a file has changed.
  init?(_ name: String, in folder: CacheFolder) {
    let record = CacheNote.read(name, in: folder) { reader throws(StoredMisfit) in
      try ImportRecord(name, &reader)
    }
    guard let record, record.isCurrent else { return nil }
    self = record
  }

  private init(_ name: String, _ reader: inout StoredReader) throws(StoredMisfit) {
    // A copy of another record is none.
    guard try reader.read(String.self) == name else { throw .damaged }
    (paths, stamps) = (try reader.read(), try reader.read())
    (key, metadata) = (try reader.read(), try reader.read())
    (layers, summary) = (try reader.read(), try reader.read())
    guard !paths.isEmpty, paths.count == stamps.count else { throw .damaged }
  }

  private var isCurrent: Bool {
    zip(paths, stamps).allSatisfy { path, stamp in FileStamp(path: path)?.words == stamp }
  }

  /// Describes a network that was compiled from files; `nil` if these may have changed since.
  ///
  /// - Parameters:
  ///   - network: the network, which is in the cache.
  ///   - key: the key of its entry.
  ///   - log: the files that were opened.
  ///   - start: the seconds before the first was opened.
  init?(_ network: CompiledModel, key: String, _ log: FileLog, since start: Int) {
    guard let files = log.files, !files.isEmpty,
      files.allSatisfy({ $0.stamp.isOld(at: start) && FileStamp(path: $0.path) == $0.stamp })
    else { return nil }
    (paths, stamps) = (files.map(\.path), files.map(\.stamp.words))
    self.key = key
    (metadata, layers) = (network.metadata, network.facts.layers)
    summary = StoredSummary(network)
  }

  /// Writes the record, if the folder can be written.
  func save(as name: String, in folder: CacheFolder) {
    var writer = StoredWriter()
    writer.write(name)
    writer.write(paths)
    writer.write(stamps)
    writer.write(key)
    writer.write(metadata)
    writer.write(layers)
    writer.write(summary)
    CacheNote.write(name, writer, to: folder)
  }
}
