import ForgeOperations
import ForgeSystem

/// A model whose compiled form was found in a cache.
///
/// What needs its layers compiles it, once.
final class CachedOrigin: Sendable {
  let model: LoadedModel
  let options: CompileOptions
  /// The entry.
  let file: StoredBytes
  private let compiled = ForkSafe<Compiler?>(nil)

  init(_ model: LoadedModel, _ options: CompileOptions, file: StoredBytes) {
    (self.model, self.options, self.file) = (model, options, file)
  }

  /// Stage 4 of the model.
  ///
  /// - Throws: `CompileError` if a parameter can no longer be read.
  func compiler() throws(CompileError) -> Compiler {
    if let known = compiled.withLock(\.self) { return known }
    let made = try model.compiler(options)
    compiled.withLock { $0 = made }
    return made
  }
}
