import ForgeOperations
import ForgeShapes

/// A fully connected recurrent layer: its last output is a part of its input.
///
/// `h′ = f(W·x + R·h + b)` with the output `h` of the time before, which is 0 before the first.
///
/// - Input shape: a sequence [time][channels] of any length and a known number of channels; or two
///   tensors: the sequence, and `h` before the first time. With `masked`, a mask [time] follows.
/// - Output shape: the last output, 1×1×`units`; with `returnSequences` all outputs
///   [time][`units`].
/// - Parameters: weights [units][1][1][channels], recurrentWeights [units][units], biases [units].
///   The forms `.pytorch` and `.onnx` also have recurrentBiases [units], which are added to them.
///   Keras has both matrices transposed.
/// - State: with `stateful`, `hidden` [1][`units`]; see ``ContextState``.
/// - Errors: `wrongInputCount` for a wrong number of tensors, `shapeMismatch` for an input that is
///   not a sequence, or a state or a mask of another size, `invalidArgument` for a number out of
///   range, `unknownSize` for an unknown number of channels.
/// - Names elsewhere: Keras SimpleRNN, PyTorch and ONNX RNN, Core ML simpleRecurrent.
/// - Source: Elman, Finding Structure in Time, 1990.
///
/// ```swift
/// Input(shape: [100, 40]) --> SimpleRNN(units: 64, name: "rnn1")  // 1×1×64
/// ```
public struct SimpleRNN: BuiltInRecurrentLayer {
  package let label: LayerLabel
  /// What the layer computes.
  public let recurrence: Recurrence

  /// Creates a recurrent layer.
  ///
  /// - Parameters:
  ///   - units: the number of units.
  ///   - returnSequences: whether the output is the sequence instead of the output of the
  ///     time that is read last.
  ///   - activation: the function `f`.
  ///   - useBias: whether there are biases.
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
    useBias: Bool = true, isReversed: Bool = false, stateful: Bool = false, masked: Bool = false,
    form: RecurrentForm = .keras,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    var optional: Set<RecurrentRule.Operand> = masked ? [.mask] : []
    if useBias, form.hasRecurrentBiases { optional.insert(.recurrentBiases) }
    let rule = RecurrentRule(
      cell: .simple(activation), units: units, isReversed: isReversed,
      optional: optional)
    recurrence = Recurrence(
      rule: rule, bias: useBias ? .single : .none, returnsSequences: returnSequences,
      isStateful: stateful)
    label = LayerLabel(name, fileID, line, column)
  }
}
