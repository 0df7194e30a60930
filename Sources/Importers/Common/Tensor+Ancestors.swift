import Forge

extension Tensor {
  /// The tensors that some tensors are computed from, and these themselves.
  static func ancestors(of tensors: [Tensor]) -> Set<ObjectIdentifier> {
    var seen: Set<ObjectIdentifier> = []
    var queue = tensors
    while let tensor = queue.popLast() {
      if seen.insert(ObjectIdentifier(tensor)).inserted { queue += tensor.inputs }
    }
    return seen
  }
}
