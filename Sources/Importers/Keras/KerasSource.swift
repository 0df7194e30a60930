import Forge
import Synchronization

/// What all layers of a file share.
final class KerasSource: Sendable {
  /// The file, for messages; `nil` for a description.
  let path: String?
  /// The major version of Keras: 1, 2 or 3.
  let generation: Int
  /// The limits of the import.
  let limits: ImportLimits
  /// Reads values that become part of the network.
  let values: KerasValues
  /// What builds layers that Forge does not know, by class name.
  let builders: [String: ImportOptions.KerasLayerBuilder]
  /// Parameters of Forge's layers that are decoded from what the file stores.
  private let decodedValues = Mutex<[ImportedParameters.Key: any ParameterData]>([:])
  /// The parameters of layers that come from numbers of the import, not from the file.
  let made = Mutex<[ImportedParameters.Key: ImportedParameters.Entry]>([:])
  /// The number of layers and calls so far.
  private let layerCount = Atomic(0)

  init(
    path: String?, generation: Int, limits: ImportLimits, values: KerasValues,
    builders: [String: ImportOptions.KerasLayerBuilder]
  ) {
    self.path = path
    self.generation = generation
    self.limits = limits
    self.values = values
    self.builders = builders
  }

  /// Parameters of Forge's layers that are decoded from what the file stores, so far.
  var decoded: [ImportedParameters.Key: any ParameterData] { decodedValues.withLock { $0 } }

  /// States a parameter of a layer of Forge.
  func decode(_ values: any ParameterData, as type: ParameterType, of layer: String) {
    decodedValues.withLock { $0[ImportedParameters.Key(layer: layer, type: type)] = values }
  }

  /// Counts layers or calls, which the caller limits.
  func count() throws(ImportError) {
    let count = layerCount.add(1, ordering: .relaxed).newValue
    guard count <= limits.nodes else {
      throw ImportError(
        .tooLarge, "the model is beyond the limits of the import", path: path,
        received: "more than \(limits.nodes) layers and calls", needs: "at most \(limits.nodes)",
        remedy: "for a file that you trust, raise nodes in ImportLimits")
    }
  }
}
