/// Batches of a file, for programs that speak its language, such as servers.
extension ImportedModel {
  /// The node of the file that combines the examples of an open batch, such as a mean over it;
  /// `nil` if every example is computed by itself.
  ///
  /// A batch of several examples then has other numbers in the file than its examples one by one.
  /// Forge refuses it; state the whole batch in ``ImportOptions/sizes`` instead.
  public var exampleMixer: String? { model.metadata.exampleMixer }
}

extension ImportedModel.Port {
  /// The axis of the file along which the examples of an open or fixed batch follow each other.
  ///
  /// ONNX files state it: 0 for images [N, 3, 224, 224], where ``sizes`` has 1, and `nil` for an
  /// input or output that all examples share and for a file without a batch. It is always `nil` for
  /// other formats.
  public var batchAxis: Int? {
    if case .along(let axis)? = examples { return axis }
    return batchSize == nil || examples == .shared ? nil : 0
  }
}
