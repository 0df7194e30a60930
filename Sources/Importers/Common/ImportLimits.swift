/// Limits on the size and the memory of a model file that is imported.
///
/// The defaults accept models from training programs and refuse files made to exhaust memory or
/// time. A file beyond a limit throws an ``ImportError`` of kind `tooLarge` that names the limit.
public struct ImportLimits: Sendable, Hashable {
  /// The maximum size of the model file in bytes, without external data.
  public var fileBytes: Int
  /// The maximum number of nodes or layers.
  public var nodes: Int
  /// The maximum number of stored tensors.
  public var tensors: Int
  /// The maximum nesting depth of graphs, functions and models.
  public var depth: Int
  /// The maximum number of elements of all constants that are computed while importing.
  public var foldedElements: Int

  /// Creates limits; those that are not given have defaults.
  ///
  /// - Parameters:
  ///   - fileBytes: the maximum size of the file in bytes.
  ///   - nodes: the maximum number of nodes or layers.
  ///   - tensors: the maximum number of stored tensors.
  ///   - depth: the maximum nesting depth of graphs, functions and models.
  ///   - foldedElements: the maximum number of elements of all computed constants.
  public init(
    fileBytes: Int = 1 << 33, nodes: Int = 1 << 17, tensors: Int = 1 << 17, depth: Int = 32,
    foldedElements: Int = 1 << 28
  ) {
    self.fileBytes = fileBytes
    self.nodes = nodes
    self.tensors = tensors
    self.depth = depth
    self.foldedElements = foldedElements
  }
}
