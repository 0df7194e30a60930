import ForgeGraph
import ForgeOperations

extension Model {
  /// The inputs whose values choose rows of a table, by index, with the number of rows.
  ///
  /// The tool draws ids for them, whatever type a file declares. It is empty for a model that does
  /// not compile.
  package var indexInputs: [Int: Int] {
    (try? LoweredModel(Inference(self)))?.graph.indexInputs ?? [:]
  }
}
