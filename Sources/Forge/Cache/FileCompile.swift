import ForgeGraph
import ForgeLoaders
import ForgeOperations
import ForgeShapes

/// A compile of a model in files, which a cache may know before they are read.
///
/// The first stage of the cache is a record: of the files that an import has read, and of the entry
/// that their network has. As long as no file has changed, the same import leads to the same entry.
package struct FileCompile: Sendable {
  private let options: CompileOptions
  private let load: @Sendable () throws -> Model
  private let log = FileLog()
  /// The seconds of the clock before any file of the model was opened.
  private let start = CacheFolder.now
  /// The folder and the name of the record; `nil` if there can be none.
  private let place: (folder: CacheFolder, name: String)?

  /// Describes a compile.
  ///
  /// - Parameters:
  ///   - options: the options of the compile.
  ///   - addImport: adds everything that determines the import, apart from what the files hold;
  ///     throws if something has no place in a key, such as Swift code.
  ///   - load: imports the model.
  package init(
    _ options: CompileOptions,
    addImport: (inout ContentKey) throws(ContentKey.Unkeyed) -> Void,
    load: @escaping @Sendable () throws -> Model
  ) {
    (self.options, self.load) = (options, load)
    place = options.cache.flatMap { cache in
      guard let name = try? Self.recordName(options, addImport) else { return nil }
      return (CacheFolder(cache.directory), name)
    }
  }

  private static func recordName(
    _ options: CompileOptions,
    _ addImport: (inout ContentKey) throws(ContentKey.Unkeyed) -> Void
  ) throws -> String? {
    guard options.tuningTimer == nil, let machine = options.device.storedFacts(of: options) else {
      return nil
    }
    var key = ContentKey()
    try addImport(&key)
    try key.add(machine)
    try key.add(options)
    for tensor in options.keep {
      // A tensor belongs to a model of this process.
      guard case .name(let name) = tensor.tensorIdentity else { return nil }
      try key.add(name)
    }
    return key.hash.hex + CacheFolder.importSuffix
  }

  /// The network, from the cache or compiled.
  ///
  /// - Throws: what importing throws, and `CompileError`.
  package func network() throws -> CompiledModel {
    if let known = found() { return known }
    return try compiled(try reading(load))
  }

  /// Notes the files that a body reads: those that the import of the model depends on.
  package func reading<Value>(_ body: () throws -> Value) rethrows -> Value {
    try log.during(body)
  }

  /// Compiles the model that was imported while ``reading(_:)``, and stores the record.
  ///
  /// - Throws: `CompileError`.
  package func compiled(_ model: Model) throws -> CompiledModel {
    let network = try log.during { try model.compile(options: options) }
    if let place, let key = network.report.cache?.key,
      let record = ImportRecord(network, key: key, log, since: start)
    {
      record.save(as: place.name, in: place.folder)
    }
    return network
  }

  /// The network, if the cache has one of files that have not changed; nothing is imported.
  package func found() -> CompiledModel? {
    guard let place, let record = ImportRecord(place.name, in: place.folder) else { return nil }
    let threads = options.compileThreads.count(usable: Device.usableCores())
    guard
      let entry = try? CacheEntry(record.key, in: place.folder, options, threads: threads)
    else { return nil }
    return CompiledModel(
      entry.stored,
      from: .imported(ImportedOrigin(entry, record.summary, options, load: load)),
      entry.stored.description.facts.with(layers: record.layers), options, record.metadata,
      cache: .cached(path: entry.path))
  }
}

extension CacheUse {
  /// The key of the entry; `nil` if there is none.
  fileprivate var key: String? {
    switch self {
    case .cached(let path), .stored(let path, _):
      path.split(separator: "/").last.map { String($0.dropLast(CacheFolder.entrySuffix.count)) }
    case .notStored: nil
    }
  }
}
