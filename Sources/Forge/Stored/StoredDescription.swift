import ForgeGraph
import ForgeOperations

/// What a compiled file says about a network in front of the plan.
struct StoredDescription: StoredValue {
  /// The key of an entry of a cache; empty in other files.
  let key: String
  let facts: NetworkFacts
  let metadata: ModelMetadata
  let options: StoredOptions
  let summary: StoredSummary
  let rewrites: [CompileReport.RewriteCount]

  /// Describes a network.
  init(_ network: CompiledModel, key: String) {
    (self.key, facts, metadata) = (key, network.facts, network.metadata)
    (options, summary) = (StoredOptions(network.options), StoredSummary(network))
    rewrites = network.report.rewrites
  }

  func write(to writer: inout StoredWriter) {
    writer.write(key)
    writer.write(facts)
    writer.write(metadata)
    writer.write(options)
    writer.write(summary)
    writer.write(rewrites)
  }

  init(from reader: inout StoredReader) throws(StoredMisfit) {
    (key, facts, metadata) = (try reader.read(), try reader.read(), try reader.read())
    (options, summary) = (try reader.read(), try reader.read())
    rewrites = try reader.read()
  }
}
