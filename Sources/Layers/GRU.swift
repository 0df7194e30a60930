import ForgeOperations
import ForgeShapes

/// Gated recurrent units, which mix their last output with a candidate.
///
/// With the output `h` of the time before, `z = g(W_z·x + R_z·h + b_z)`, the same for `r`, and
/// `h′ = (1 − z)∘n + z∘h`. The candidate is `n = a(W_h·x + b_h + r∘(R_h·h + d_h))` if it is reset
/// after the product, else `n = a(W_h·x + b_h + R_h·(r∘h))`. Before the first time, `h` is 0.
///
/// - Input shape: a sequence [time][channels] of any length and a known number of channels; or two
///   tensors: the sequence, and `h` before the first time.
/// - Output shape: the last output, 1×1×`units`; with `returnSequences` all outputs
///   [time][`units`].
/// - Parameters: weights [3 · units][1][1][channels], recurrentWeights [3 · units][units], biases
///   [3 · units], and recurrentBiases `d` [3 · units] for all gates. `gateOrder` is the order of the
///   gates in the first axis; Keras's z, r, h by default, which is also that of ONNX. PyTorch has
///   r, z, n. Keras has all matrices transposed, and both biases in one array.
/// - Errors: `wrongInputCount` for more than two tensors, `shapeMismatch` for an input that is not a
///   sequence or a state of another size, `invalidArgument` for a number out of range,
///   `unknownSize` for an unknown number of channels.
/// - Names elsewhere: Keras, PyTorch and ONNX GRU, Core ML gru. `resetAfter` is ONNX's
///   linear_before_reset; PyTorch always resets after the product, Core ML before.
/// - Source: Cho and others, Learning Phrase Representations using RNN Encoder–Decoder, 2014.
///
/// ```swift
/// Input(shape: [100, 40]) --> GRU(units: 64, name: "gru1")  // 1×1×64
/// ```
public struct GRU: BuiltInRecurrentLayer {
  package let label: LayerLabel
  /// What the layer computes.
  public let recurrence: Recurrence

  /// Creates a GRU.
  ///
  /// - Parameters:
  ///   - units: the number of units.
  ///   - returnSequences: whether the output is the sequence instead of its last element.
  ///   - activation: the function `a` of the candidate.
  ///   - recurrentActivation: the function `g` of the gates.
  ///   - useBias: whether there are biases.
  ///   - resetAfter: whether the candidate is reset after the recurrent product.
  ///   - recurrentBias: whether there are biases of the recurrent products, too; `nil` stands for
  ///     biases that are reset after the product, as in Keras.
  ///   - isReversed: whether the sequence is read from its end; the output has the order of the
  ///     input.
  ///   - gateOrder: the order of the gates in the parameters.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    units: Int, returnSequences: Bool = false, activation: ActivationFunction = .tanh,
    recurrentActivation: ActivationFunction = .sigmoid, useBias: Bool = true,
    resetAfter: Bool = true, recurrentBias: Bool? = nil, isReversed: Bool = false,
    gateOrder: RecurrentGateOrder = .keras, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    let hasRecurrentBias = recurrentBias ?? (useBias && resetAfter)
    let rule = RecurrentRule(
      cell: .gru(gates: recurrentActivation, candidate: activation, resetsAfter: resetAfter),
      units: units, gateBlocks: gateOrder.gruBlocks, isReversed: isReversed,
      optional: hasRecurrentBias ? [.recurrentBiases] : [])
    recurrence = Recurrence(rule: rule, hasBias: useBias, returnsSequences: returnSequences)
    label = LayerLabel(name, fileID, line, column)
  }
}
