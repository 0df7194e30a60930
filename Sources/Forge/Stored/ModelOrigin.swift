import ForgeGraph
import ForgeOperations

/// Where a compiled network comes from.
enum ModelOrigin: Sendable {
  /// A model that this process has compiled.
  case model(Compiler)
  /// A compiled file, which holds no layers.
  case file(StoredSummary)

  /// What compiles the model for other sizes; `nil` if a file holds the network.
  var compiler: Compiler? { if case .model(let compiler) = self { compiler } else { nil } }
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
