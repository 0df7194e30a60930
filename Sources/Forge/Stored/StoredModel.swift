import ForgeGraph
import ForgeOperations
import ForgeSystem

/// A network as a compiled file holds it.
struct StoredModel {
  /// The key of an entry of a cache; empty in other files.
  let key: String
  let facts: NetworkFacts
  let metadata: ModelMetadata
  let options: StoredOptions
  let summary: StoredSummary
  let rewrites: [CompileReport.RewriteCount]
  let network: any BackendNetwork
  let executable: any Executable

  /// Reads past what stands in front of the plan.
  static func skipBeginning(of reader: inout StoredReader) throws(StoredMisfit) {
    _ = try reader.read(String.self)
    _ = try reader.read(NetworkFacts.self)
    _ = try reader.read(ModelMetadata.self)
    _ = try reader.read(StoredOptions.self)
    _ = try reader.read(StoredSummary.self)
    _ = try reader.read([CompileReport.RewriteCount].self)
  }

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
    key = try reader.read()
    facts = try reader.read()
    metadata = try reader.read()
    options = try reader.read()
    summary = try reader.read()
    rewrites = try reader.read()
    (network, executable) = try device.storedNetwork(from: &reader, threads: threads)
    guard reader.remaining == 0 else { throw StoredMisfit.damaged }
  }
}
