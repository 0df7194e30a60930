/// What a function between tensors takes or returns: one ``Tensor`` or an array of them.
public protocol TensorGroup {
  /// The tensors in order.
  var tensors: [Tensor] { get }
  /// Returns a group of exactly these tensors; `nil` if it cannot hold their number.
  ///
  /// - Parameter tensors: the tensors in order.
  /// - Returns: the group, or `nil`.
  static func group(of tensors: [Tensor]) -> Self?
}

extension Tensor: TensorGroup {
  /// The tensor alone.
  public var tensors: [Tensor] { [self] }

  /// Returns the only tensor of an array; `nil` if there is not exactly one.
  ///
  /// - Parameter tensors: an array of one tensor.
  /// - Returns: the tensor, or `nil`.
  public static func group(of tensors: [Tensor]) -> Self? {
    tensors.count == 1 ? tensors.first as? Self : nil
  }
}

extension Array: TensorGroup where Element == Tensor {
  /// The array itself.
  public var tensors: [Tensor] { self }

  /// Returns the array itself.
  ///
  /// - Parameter tensors: any number of tensors.
  /// - Returns: the same tensors.
  public static func group(of tensors: [Tensor]) -> [Tensor]? { tensors }
}
