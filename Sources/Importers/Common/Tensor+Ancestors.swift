import Forge

extension Tensor {
  /// The elements of some tensors and of all that they are computed from, each counted once.
  static func elementCount(of tensors: [Tensor]) -> Int {
    var seen: Set<ObjectIdentifier> = []
    var queue = tensors
    var count = 0
    while let tensor = queue.popLast() {
      guard seen.insert(ObjectIdentifier(tensor)).inserted else { continue }
      count = count.addingSaturated(tensor.shape?.elementCount ?? .max)
      queue += tensor.inputs
    }
    return count
  }

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
