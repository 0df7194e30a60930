import Forge
import ForgeLoaders

/// The files that Keras saves whole models in.
package enum KerasFormat: ModelFormat {
  package static let name = "Keras"
  package static let extensions = ["keras", "h5", "hdf5"]

  /// Zip archives and HDF5 files hold other things, too.
  package static func recognizes(_ head: ArraySlice<UInt8>) -> Bool? {
    head.starts(with: [0x50, 0x4b]) || head.starts(with: [0x89, 0x48, 0x44, 0x46]) ? nil : false
  }

  package static func imported(_ file: ModelFile) throws(ImportError) -> ImportedModel {
    try ImportedModel(keras: file.path, options: file.options)
  }

  package static func facts(_ file: ModelFile) throws(ImportError) -> [ModelFact] {
    let keras = try KerasFile(file.path, file.options.limits)
    let model = try KerasModelDescription(keras.model, path: file.path)
    let quantizations = quantizations(keras.model)
    return [
      ModelFact("Keras", keras.version ?? "of unknown version"),
      ModelFact("model", "\(model.isSequential ? "Sequential" : "Functional") \"\(model.name)\""),
      ModelFact("layers", "\(model.layers.count)"),
    ] + (quantizations.isEmpty ? [] : [ModelFact.counted("quantized", quantizations)])
  }
}
