import ForgeGraph
import ForgeOperations
import ForgeSystem

/// Where a compiled network comes from.
enum ModelOrigin: Sendable {
  /// A model that this process has compiled.
  case model(Compiler)
  /// An entry of a cache, and the model that it was found for.
  case cache(CachedOrigin)
  /// An entry of a cache, which was found before the model was imported.
  case imported(ImportedOrigin)
  /// A compiled file, which holds no layers.
  case file(StoredSummary)

  /// What has compiled the model, and compiles it for other sizes; `nil` if a file holds the
  /// network.
  var compiler: Compiler? { if case .model(let compiler) = self { compiler } else { nil } }

  /// The layers; `nil` for a compiled file, and for a model that was not imported.
  var inference: Inference? {
    switch self {
    case .model(let compiler): compiler.inference
    case .cache(let cached): cached.model.inference
    case .imported, .file: nil
    }
  }

  /// The tensors that described the outputs and the kept layers.
  var outputTensors: [Tensor] {
    switch self {
    case .model(let compiler): compiler.outputTensors
    case .cache(let cached): cached.model.outputTensors(keeping: cached.options)
    case .imported, .file: []
    }
  }

  /// The tables of the summary of a network without layers.
  var summary: StoredSummary? {
    switch self {
    case .model, .cache: nil
    case .imported(let imported): imported.summary
    case .file(let summary): summary
    }
  }

  /// The bytes of a network that a cache holds.
  var entry: StoredBytes? {
    switch self {
    case .cache(let cached): cached.file
    case .imported(let imported): imported.entry.file
    case .model, .file: nil
    }
  }

  /// What compiles the model again; an entry of a cache is compiled at the first call.
  ///
  /// - Throws: `CompileError` for a compiled file, and if a parameter can no longer be read.
  func compilerOfLayers() throws(CompileError) -> Compiler {
    switch self {
    case .model(let compiler): compiler
    case .cache(let cached): try cached.compiler()
    case .imported(let imported): try imported.compiler()
    case .file: throw .storedAlready
    }
  }
}

/// The tables of a network's summary.
struct StoredSummary: Sendable, StoredValue {
  private let standard, detailed, nested: String

  init(_ network: CompiledModel) {
    standard = network.summary(.standard)
    detailed = network.summary(.detailed)
    nested = network.summary(.nested)
  }

  func text(_ detail: SummaryDetail) -> String {
    switch detail {
    case .standard: standard
    case .detailed: detailed
    case .nested: nested
    }
  }

  func write(to writer: inout StoredWriter) {
    for table in [standard, detailed, nested] { writer.write(table) }
  }

  init(from reader: inout StoredReader) throws(StoredMisfit) {
    (standard, detailed, nested) = (try reader.read(), try reader.read(), try reader.read())
  }
}
