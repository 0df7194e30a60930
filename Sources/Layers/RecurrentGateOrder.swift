import ForgeOperations

/// The order of the gates in the parameters of a recurrent layer.
///
/// | order | LSTM | GRU |
/// | --- | --- | --- |
/// | `.keras` | i, f, c, o | z, r, h |
/// | `.pytorch` | i, f, g, o | r, z, n |
/// | `.onnx` | i, o, f, c | z, r, h |
///
/// The i, f and o are the input, forget and output gates, c or g is the cell's candidate. The z and
/// r are the update and reset gates, h or n is the candidate.
public enum RecurrentGateOrder: String, Hashable, Sendable, CaseIterable {
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
}
