import ForgeCPU
import ForgeGraph
import ForgeLoaders
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// A compile that looks for its result in a cache first.
struct CachedCompile {
  private let model: LoadedModel
  private let options: CompileOptions
  private let metadata: ModelMetadata
  private let cache: CompileCache
  private let folder: CacheFolder
  private let threads: Int

  init(
    _ model: LoadedModel, _ options: CompileOptions, _ metadata: ModelMetadata,
    _ cache: CompileCache
  ) {
    (self.model, self.options, self.metadata) = (model, options, metadata)
    self.cache = cache
    folder = CacheFolder(cache.directory)
    threads = options.compileThreads.count(usable: Device.usableCores())
  }

  /// The network, from the cache or compiled.
  ///
  /// - Throws: `CompileError` of the compile. A cache that cannot be used does not fail it.
  func network() throws(CompileError) -> CompiledModel {
    let key: CompileKey
    do { key = try makeKey() } catch is CancellationError where CompileWatch.isCancelled {
      throw .cancelled
    } catch {
      return try compiled(notStored: Self.reason(error))
    }
    switch entry(of: key) {
    case .found(let network): return network
    case .missing: return try stored(key, replacing: nil)
    case .unusable(let fault): return try stored(key, replacing: fault)
    }
  }

  private func makeKey() throws -> CompileKey {
    let hashes = ParameterHashes(in: folder, threads: threads)
    let key = try CompileKey(model, options, hashes)
    hashes.save()
    return key
  }

  // MARK: Looking

  private enum Entry {
    case found(CompiledModel)
    case missing
    case unusable(String)
  }

  private func entry(of key: CompileKey) -> Entry {
    do {
      let entry = try CacheEntry(key.text, in: folder, options, threads: threads)
      model.parameters.endLoading()
      let layers = NetworkFacts.layers(of: model.inference)
      return .found(
        CompiledModel(
          entry.stored, from: .cache(CachedOrigin(model, options, file: entry.file)),
          entry.stored.description.facts.with(layers: layers), options, metadata,
          cache: .cached(path: entry.path)))
    } catch {
      if let error = error as? LoadError, error.kind == .fileMissing { return .missing }
      return .unusable(Self.reason(error))
    }
  }

  // MARK: Compiling

  private func compiled(notStored reason: String) throws(CompileError) -> CompiledModel {
    try CompiledModel(
      model.compiler(options), metadata: metadata, cache: .notStored(reason: reason))
  }

  /// Compiles the network and stores it.
  private func stored(
    _ key: CompileKey, replacing fault: String?
  ) throws(CompileError) -> CompiledModel {
    let network = try CompiledModel(model.compiler(options), metadata: metadata)
    do {
      let bytes = try CompiledFile.bytes(of: try network.stored(key: key.text))
      let size = bytes.bytes.count
      guard size <= cache.sizeLimit else {
        let reason = "\(ShapeError.bytes(size)) exceed the limit of the cache"
        return network.reporting(.notStored(reason: reason))
      }
      // The parameters that were packed must be those of the key.
      guard try makeKey() == key else {
        return network.reporting(.notStored(reason: "a parameter has changed since"))
      }
      let name = key.text + CacheFolder.entrySuffix
      try folder.write(name) { path throws(LoadError) in try CompiledFile.write(bytes, to: path) }
      _ = try? folder.prune(to: cache.sizeLimit, keeping: name)
      return network.reporting(.stored(path: folder.path(of: name), replacing: fault))
    } catch is CancellationError where CompileWatch.isCancelled {
      throw .cancelled
    } catch {
      return network.reporting(.notStored(reason: Self.reason(error)))
    }
  }

  /// What an error says in one line.
  static func reason(_ error: any Error) -> String {
    switch error {
    case let refusal as CompileKey.Refusal: refusal.reason
    case StoredMisfit.damaged: "it is damaged"
    case StoredMisfit.foreign(let reason): reason
    case let error as CompileError: error.problems.first?.headline ?? ""
    default: "\(error)".split(separator: "\n").first.map(String.init) ?? ""
    }
  }
}

extension NetworkFacts {
  /// The same facts with the layers of a model, whose places in the source are those of this
  /// program.
  func with(layers: [Layer]) -> NetworkFacts {
    NetworkFacts(
      inputs: inputs, outputs: outputs, modelOutputCount: modelOutputCount,
      stateNames: stateNames, layers: layers, outline: outline)
  }
}
