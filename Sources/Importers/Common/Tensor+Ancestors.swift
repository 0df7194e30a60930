import Forge

extension Tensor {
  /// The tensors that some tensors are computed from, and these themselves.
  static func ancestors(of tensors: [Tensor]) -> Set<ObjectIdentifier> {
    Set(reached(from: tensors).map { ObjectIdentifier($0) })
  }

  /// The tensors that some tensors are computed from, and these themselves, each once.
  static func reached(from tensors: [Tensor]) -> [Tensor] {
    var seen: Set<ObjectIdentifier> = []
    var found: [Tensor] = []
    var queue = tensors
    while let tensor = queue.popLast() {
      guard seen.insert(ObjectIdentifier(tensor)).inserted else { continue }
      found.append(tensor)
      queue += tensor.inputs
    }
    return found
  }
}
