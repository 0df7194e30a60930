/// A tensor of a model, named by a string or by the `Tensor` that described it.
///
/// ```swift
/// let options = CompileOptions(keep: ["conv1", features])
/// let boxes = predictions["boxes"]
/// let classes = predictions[scores]
/// ```
public protocol TensorReference: Sendable {
  /// What identifies the tensor.
  var tensorIdentity: TensorIdentity { get }
}

/// What identifies a tensor of a model.
public enum TensorIdentity: Hashable, Sendable {
  /// The name of an input or of a layer.
  case name(String)
  /// The object that described the tensor.
  case object(ObjectIdentifier)
}

extension String: TensorReference {
  /// The name.
  public var tensorIdentity: TensorIdentity { .name(self) }
}

extension Substring: TensorReference {
  /// The name.
  public var tensorIdentity: TensorIdentity { .name(String(self)) }
}
