import Forge

/// How a model is written to an ONNX file.
///
/// ```swift
/// try model.write(onnx: "net.onnx", options: ONNXOptions(batch: .exactly(8)))
/// ```
public struct ONNXOptions: Sendable {
  /// The number of examples that the file takes at once.
  public enum Batch: Hashable, Sendable {
    /// Any number: the first axis of each input and output is named `N`.
    case open
    /// So many.
    case exactly(Int)
  }

  /// The number of examples.
  public var batch: Batch
  /// The length of the sequences of a model that takes sequences of any length.
  ///
  /// A file has sequences of one length.
  public var length: Int?
  /// The most bytes of constants in the file itself.
  ///
  /// If there are more, large constants are in a second file beside it, `net.onnx.data`. A file of
  /// Protocol Buffers cannot be larger than 2 GiB.
  public var inlineBytes: Int

  /// Creates options.
  ///
  /// - Parameters:
  ///   - batch: the number of examples.
  ///   - length: the length of sequences.
  ///   - inlineBytes: the most bytes of constants in the file itself.
  public init(batch: Batch = .open, length: Int? = nil, inlineBytes: Int = 1 << 30) {
    self.batch = batch
    self.length = length
    self.inlineBytes = inlineBytes
  }
}
