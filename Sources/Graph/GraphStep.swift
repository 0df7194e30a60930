import ForgeLayers

/// A step that makes tensors in its own way: anything right of `-->` but a layer or a block.
public protocol GraphStep: Step {
  /// Applies the step to tensors.
  ///
  /// - Parameter inputs: the tensors left of `-->`.
  /// - Returns: the results, usually one.
  func outputs(for inputs: [Tensor]) -> [Tensor]
}
