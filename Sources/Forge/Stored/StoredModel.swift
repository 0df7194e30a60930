import ForgeGraph
import ForgeOperations
import ForgeSystem

/// A network as a compiled file holds it.
struct StoredModel {
  let description: StoredDescription
  let network: any BackendNetwork
  let executable: any Executable

  /// Reads the parts; kernels read the bytes where they are.
  ///
  /// - Parameters:
  ///   - file: the bytes of the file.
  ///   - device: the back end that has written it.
  ///   - threads: the threads of one prediction.
  ///   - readingThreads: the threads that check the digest; `nil` if it was checked before.
  /// - Throws: ``StoredMisfit`` if the file is damaged or not of this machine, and `NoMemory`.
  init(
    _ file: StoredBytes, on device: any Backend, threads: CompileOptions.Threads,
    readingThreads: Int?
  ) throws {
    var reader = try CompiledFile.reader(of: file, threads: readingThreads)
    description = try reader.read()
    (network, executable) = try device.storedNetwork(from: &reader, threads: threads)
    guard reader.remaining == 0 else { throw StoredMisfit.damaged }
  }
}

extension CompiledModel {
  /// The network of a file.
  convenience init(
    _ stored: StoredModel, from origin: ModelOrigin, _ facts: NetworkFacts,
    _ options: CompileOptions, _ metadata: ModelMetadata, cache: CacheUse? = nil
  ) {
    self.init(
      origin, facts, options, metadata, stored.network, stored.executable,
      report: CompileReport(
        stored.network, executable: stored.executable, facts: facts, options: options,
        rewrites: stored.description.rewrites, cache: cache))
  }
}
