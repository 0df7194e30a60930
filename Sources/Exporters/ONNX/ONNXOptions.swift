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
    /// Exactly this number.
    case exactly(Int)
  }

  /// The number of examples.
  public var batch: Batch
  /// The length of the sequences of a model that takes sequences of any length.
  ///
  /// A file has sequences of one length.
  public var length: Int?
  /// The tensors and weights that the file has as 8-bit integers; `nil` for none.
  ///
  /// The file has `QuantizeLinear` and `DequantizeLinear` around these tensors and integers for the
  /// weights and the biases, as `quantize_static` of ONNX Runtime writes them.
  /// `CompiledModel.quantized(calibration:)` finds the table.
  public var quantization: QuantizationTable?
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
  ///   - quantization: the tensors and weights that the file has as 8-bit integers.
  ///   - inlineBytes: the most bytes of constants in the file itself.
  public init(
    batch: Batch = .open, length: Int? = nil, quantization: QuantizationTable? = nil,
    inlineBytes: Int = 1 << 30
  ) {
    self.batch = batch
    self.length = length
    self.quantization = quantization
    self.inlineBytes = inlineBytes
  }
}
