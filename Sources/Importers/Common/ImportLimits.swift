/// Limits on the size and the memory of a model file that is imported.
///
/// The defaults accept models from training programs and refuse files made to exhaust memory or
/// time. What may be taken grows with the size of the file. A file beyond a limit throws an
/// ``ImportError`` of kind `tooLarge` that names the limit.
public struct ImportLimits: Sendable, Hashable, Encodable {
  /// The maximum size of the model file in bytes, without external data.
  public var fileBytes: Int
  /// The maximum number of nodes or layers, with inputs and outputs; that of sections of a Darknet
  /// configuration is an eighth of it.
  public var nodes: Int
  /// The maximum number of stored tensors.
  public var tensors: Int
  /// The maximum nesting depth of graphs, functions and models.
  public var depth: Int
  /// The maximum length of a name in bytes.
  public var nameBytes: Int
  /// The maximum number of elements that are read and written to compute constants while importing,
  /// beyond 16 for each byte of the files.
  public var foldedElements: Int
  /// The maximum bytes of computed constants at one time, beyond 8 for each byte of the files.
  public var foldedBytes: Int
  /// The maximum bytes of the values of one prediction, beyond 64 for each byte of parameters.
  ///
  /// A compile of the model checks it before it takes memory. Inputs whose sizes the caller states
  /// add 1,024 bytes for each of their elements.
  public var predictionBytes: Int
  /// The maximum work of one prediction, in multiply-adds, comparisons and elements moved, beyond
  /// 131,072 for each parameter.
  ///
  /// Inputs whose sizes the caller states add 2²⁰ for each of their elements.
  public var predictionWork: Int

  /// Creates limits; those that are not given have defaults.
  ///
  /// - Parameters:
  ///   - fileBytes: the maximum size of the file in bytes.
  ///   - nodes: the maximum number of nodes or layers.
  ///   - tensors: the maximum number of stored tensors.
  ///   - depth: the maximum nesting depth of graphs, functions and models.
  ///   - nameBytes: the maximum length of a name in bytes.
  ///   - foldedElements: the maximum number of elements that are read and written to compute
  ///     constants.
  ///   - foldedBytes: the maximum bytes of computed constants at one time.
  ///   - predictionBytes: the maximum bytes of the values of one prediction.
  ///   - predictionWork: the maximum work of one prediction.
  public init(
    fileBytes: Int = 1 << 33, nodes: Int = 1 << 15, tensors: Int = 1 << 17, depth: Int = 32,
    nameBytes: Int = 4096, foldedElements: Int = 1 << 25, foldedBytes: Int = 40 << 20,
    predictionBytes: Int = 1 << 26, predictionWork: Int = 1 << 30
  ) {
    self.fileBytes = fileBytes
    self.nodes = nodes
    self.tensors = tensors
    self.depth = depth
    self.nameBytes = nameBytes
    self.foldedElements = foldedElements
    self.foldedBytes = foldedBytes
    self.predictionBytes = predictionBytes
    self.predictionWork = predictionWork
  }

  /// The limits for a file that you trust: it may ask for any memory and work.
  ///
  /// The size of the file, the number of nodes and tensors, a million each, and the depth stay
  /// limited.
  public static var trusted: ImportLimits {
    ImportLimits(
      nodes: 1 << 20, tensors: 1 << 20, foldedElements: .max, foldedBytes: .max,
      predictionBytes: .max, predictionWork: .max)
  }
}
