import ForgeGraph
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// A network whose compiled form was found in a cache before its model was imported.
///
/// What needs its layers imports and compiles the model, once.
final class ImportedOrigin: Sendable {
  /// The tables of the summary.
  let summary: StoredSummary
  /// The entry.
  let entry: CacheEntry
  private let options: CompileOptions
  private let load: @Sendable () throws -> Model
  private let compiled = ForkSafe<Compiler?>(nil)

  init(
    _ entry: CacheEntry, _ summary: StoredSummary, _ options: CompileOptions,
    load: @escaping @Sendable () throws -> Model
  ) {
    (self.entry, self.summary, self.options, self.load) = (entry, summary, options, load)
  }

  /// Stage 4 of the model.
  ///
  /// - Throws: `CompileError` if the model can no longer be imported, or the file has changed.
  func compiler() throws(CompileError) -> Compiler {
    if let known = compiled.withLock(\.self) { return known }
    let model: Model
    do { model = try load() } catch {
      throw CompileError([
        Problem(headline: "the model of the network could not be imported again", cause: error)
      ])
    }
    let loaded = try model.loaded(options)
    let folder = CacheFolder(options.cache?.directory ?? "")
    let key = try? CompileKey(loaded, options, ParameterHashes(in: folder, threads: 1))
    guard key?.text == entry.stored.description.key else {
      throw CompileError([
        Problem(
          headline: "the model file has changed since its network was found in the cache",
          details: [("remedy", "compile the model again")])
      ])
    }
    let made = try loaded.compiler(options)
    compiled.withLock { $0 = made }
    return made
  }
}
