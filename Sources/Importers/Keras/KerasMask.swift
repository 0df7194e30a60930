import Forge

/// Masks of Keras, which say which positions of a sequence count.
///
/// `Embedding` with `mask_zero` and `Masking` make a mask: [positions], 1 for a position that
/// counts and 0 for one that is hidden. A layer passes the mask of its first input on, applies it,
/// or loses it. Operations lose it.
enum KerasMask {
  /// Whether a layer passes the mask of its first input on.
  static func passes(_ layer: KerasLayer) -> Bool {
    guard !layer.isOperation, layer.builder == nil, let known = KerasClasses.find(layer.kind) else {
      return false
    }
    return known.passesMask(generation: layer.generation)
  }

  /// The mask of the result of a layer that merges tensors of one size.
  ///
  /// Keras 3 has none if an input has none.
  static func merged(_ call: KerasCall) throws(KerasFault) -> Tensor? {
    let masks = call.inputs.compactMap(\.mask)
    guard let first = masks.first, call.layer.generation < 3 || masks.count == call.inputs.count
    else { return nil }
    guard masks.allSatisfy({ $0 === first }) else {
      throw .unsupported("inputs with different masks")
    }
    return first
  }

  /// Refuses masked inputs of a layer that computes something else with a mask.
  static func refuse(_ call: KerasCall) throws(KerasFault) {
    guard call.inputs.contains(where: { $0.mask != nil }) else { return }
    throw .unsupported("a mask of its input, from mask_zero or Masking")
  }

  /// The mask among the arguments of a call, as Keras 3 writes it: [positions].
  static func stated(
    _ arguments: KerasArguments, _ call: KerasCall, _ name: String = "mask"
  ) throws(KerasFault) -> Tensor? {
    guard let mask = try arguments.tensor(name) else { return nil }
    guard mask.rank == 1 else { throw .unsupported("a mask of \(mask.rank) axes") }
    return try call.apply(Reshape(to: [-1]), to: mask.tensor)
  }

  /// A mask as a column that multiplies a sequence: [positions][1].
  static func column(_ mask: Tensor, _ call: KerasCall) throws(KerasFault) -> Tensor {
    try call.apply(Reshape(to: [-1, 1]), to: mask)
  }
}
