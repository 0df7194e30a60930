import ForgeShapes

extension Tensor: TensorReference {
  /// The tensor itself.
  public var tensorIdentity: TensorIdentity { .object(ObjectIdentifier(self)) }
}

/// Tensors are equal when they are the same object, so a dictionary can be keyed by them.
extension Tensor: Hashable {
  /// Whether both are the same tensor.
  public static func == (a: Tensor, b: Tensor) -> Bool { a === b }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
