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
    var seen: Set<ObjectIdentifier> = []
    var queue = tensors
    while let tensor = queue.popLast() {
      if seen.insert(ObjectIdentifier(tensor)).inserted { queue += tensor.inputs }
    }
    return seen
  }
}
