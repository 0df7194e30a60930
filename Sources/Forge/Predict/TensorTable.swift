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
  /// The first index of each name and of each tensor; empty for a few, which are compared.
  private let places: (names: [String: Int], tensors: [ObjectIdentifier: Int])

  /// Fewer names are compared one by one.
  private static let mostCompared = 16

  init(names: [String], tensors: [Tensor], modelCount: Int) {
    self.names = names
    self.tensors = tensors
    self.modelCount = modelCount
    guard names.count > Self.mostCompared else {
      places = ([:], [:])
      return
    }
    places = (
      Dictionary(zip(names, names.indices)) { first, _ in first },
      Dictionary(tensors.enumerated().map { (ObjectIdentifier($1), $0) }) { first, _ in first }
    )
  }

  /// The index of a tensor.
  func index(of reference: some TensorReference) -> Int? {
    let isCompared = names.count <= Self.mostCompared
    switch reference.tensorIdentity {
    case .name(let name):
      return isCompared ? names.firstIndex(of: name) : places.names[name]
    case .object(let object):
      return isCompared
        ? tensors.firstIndex { ObjectIdentifier($0) == object } : places.tensors[object]
    }
  }
}
