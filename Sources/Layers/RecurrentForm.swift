/// The form in which a recurrent layer has its parameters: that of a framework.
///
/// | form | gates of an LSTM | gates of a GRU | biases |
/// | --- | --- | --- | --- |
/// | `.keras` | i, f, c, o | z, r, h | biases; of a GRU that is reset after the product two rows |
/// | `.pytorch` | i, f, g, o | r, z, n | biases and recurrentBiases |
/// | `.onnx` | i, o, f, c | z, r, h | biases and recurrentBiases |
///
/// The i, f and o are the input, forget and output gates, c or g is the cell's candidate. The z and
/// r are the update and reset gates, h or n is the candidate. The gates follow each other along the
/// outputs of all parameters. Keras has one bias for an input and its recurrent product together,
/// except for a GRU that is reset after the product, whose two rows are for the one and for the
/// other.
public enum RecurrentForm: String, Hashable, Sendable, CaseIterable {
  /// Keras and TensorFlow.
  case keras
  /// PyTorch.
  case pytorch
  /// ONNX.
  case onnx

  /// The block of each gate of an LSTM, for i, f, c and o.
  var lstmBlocks: [Int] { self == .onnx ? [0, 2, 3, 1] : [0, 1, 2, 3] }
  /// The block of each gate of a GRU, for z, r and h.
  var gruBlocks: [Int] { self == .pytorch ? [1, 0, 2] : [0, 1, 2] }
  /// Whether there is a second bias, of the recurrent products.
  var hasRecurrentBiases: Bool { self != .keras }
}
