import ForgeGraph
import ForgeShapes

/// The names of a network's inputs, or of its outputs and kept layers.
final class TensorTable: Sendable {
  /// The names, those of kept layers last.
  let names: [String]
  /// The number of tensors that are the model's own, without kept layers.
  let modelCount: Int
  /// The tensors of the description, which the identities of references stand for.
  private let tensors: [Tensor]

  init(names: [String], tensors: [Tensor], modelCount: Int) {
    self.names = names
    self.tensors = tensors
    self.modelCount = modelCount
  }

  /// The index of a tensor.
  func index(of reference: some TensorReference) -> Int? {
    switch reference.tensorIdentity {
    case .name(let name): names.firstIndex(of: name)
    case .object(let object): tensors.firstIndex { ObjectIdentifier($0) == object }
    }
  }
}
