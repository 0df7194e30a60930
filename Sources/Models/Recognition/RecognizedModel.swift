import Forge

/// A ready architecture recognized by its weight file.
package struct RecognizedModel {
  /// The architecture with the arguments the file was made with: `mobilenet (alpha 0.25, …)`.
  package let name: String
  /// The network with the parameters of the file.
  package let model: Model

  /// Finds the ready architecture whose parameters are exactly those of a file.
  ///
  /// Layers are matched by name. If that fails, those of HDF5 files and `.keras` archives are
  /// matched in order.
  ///
  /// - Parameter path: a weight file of any format that ``WeightFile`` reads.
  /// - Throws: `LoadError` when the file cannot be read; ``RecognitionError`` when no architecture
  ///   matches.
  package init(weights path: String) throws {
    let file = try WeightFile(path)
    let names = try file.parameters().availableNames
    let facts = WeightFacts(file, layers: names)
    var nearest: Fit?
    for reading in file.readings {
      let source = try file.parameters(reading)
      for architecture in Architecture.allCases {
        for variant in architecture.variants(for: facts) {
          let fit = Fit(variant, source)
          if fit.isWhole {
            name = variant.name
            var model = variant.model
            model.parameters = fit.source
            self.model = model
            return
          }
          if fit.share > nearest?.share ?? 0 { nearest = fit }
        }
      }
    }
    throw RecognitionError(path: path, entryCount: file.entries.count, nearest: nearest)
  }
}
