import ForgeOperations
import ForgeShapes

/// Gated recurrent units, which mix their last output with a candidate.
///
/// With the output `h` of the time before, `z = g(W_z·x + R_z·h + b_z)`, the same for `r`, and
/// `h′ = (1 − z)∘n + z∘h`. The candidate is `n = a(W_h·x + b_h + r∘(R_h·h))` if it is reset after
/// the product, else `n = a(W_h·x + b_h + R_h·(r∘h))`. Recurrent biases `d` are added to the
/// products with `R`: `R_z·h + d_z`, `r∘(R_h·h + d_h)`. Before the first time, `h` is 0.
///
/// - Input shape: a sequence [time][channels] of any length and a known number of channels; or two
///   tensors: the sequence, and `h` before the first time. With `masked`, a mask [time] follows.
/// - Output shape: the last output, 1×1×`units`; with `returnSequences` all outputs
///   [time][`units`].
/// - Parameters: weights [3 · units][1][1][channels], recurrentWeights [3 · units][units], biases
///   [3 · units] and recurrentBiases `d` [3 · units] for all gates. In Keras's form, biases are
///   both, [2][3 · units], if the candidate is reset after the product, else there is no `d`.
///   ``RecurrentForm`` states the order of the gates. Keras has all matrices transposed.
/// - State: with `stateful`, `hidden` [1][`units`]; see ``ContextState``.
/// - Errors: `wrongInputCount` for a wrong number of tensors, `shapeMismatch` for an input that is
///   not a sequence, or a state or a mask of another size, `invalidArgument` for a number out of
///   range, `unknownSize` for an unknown number of channels.
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
  ///   - returnSequences: whether the output is the sequence instead of the output of the
  ///     time that is read last.
  ///   - activation: the function `a` of the candidate.
  ///   - recurrentActivation: the function `g` of the gates.
  ///   - useBias: whether there are biases.
  ///   - resetAfter: whether the candidate is reset after the recurrent product.
  ///   - isReversed: whether the sequence is read from its end; the output has the order of the
  ///     input.
  ///   - stateful: whether a prediction begins with the state that the previous one left, in the
  ///     same context or session: running a sequence in parts then gives bit-identical results.
  ///   - masked: whether the last input is a mask: one number per time, 0 for a time that the
  ///     layer passes over. Its output there is that of the time read before, or 0.
  ///   - form: the framework whose form the parameters have.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    units: Int, returnSequences: Bool = false, activation: ActivationFunction = .tanh,
    recurrentActivation: ActivationFunction = .sigmoid, useBias: Bool = true,
    resetAfter: Bool = true, isReversed: Bool = false, stateful: Bool = false, masked: Bool = false,
    form: RecurrentForm = .keras, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    let isJoined = form == .keras && resetAfter
    var optional: Set<RecurrentRule.Operand> = masked ? [.mask] : []
    if useBias, isJoined || form.hasRecurrentBiases { optional.insert(.recurrentBiases) }
    let rule = RecurrentRule(
      cell: .gru(gates: recurrentActivation, candidate: activation, resetsAfter: resetAfter),
      units: units, gateBlocks: form.gruBlocks, isReversed: isReversed,
      optional: optional)
    recurrence = Recurrence(
      rule: rule, bias: !useBias ? .none : isJoined ? .joined : .single,
      returnsSequences: returnSequences,
      isStateful: stateful)
    label = LayerLabel(name, fileID, line, column)
  }
}
