import ForgeOperations
import ForgeShapes

/// A long short-term memory: recurrent units that keep a cell through the times of a sequence.
///
/// With the output `h` and the cell `c` of the time before,
/// `i = g(Wᵢ·x + Rᵢ·h + bᵢ)`, the same for `f` and `o`,
/// `c′ = f∘c + i∘a(W_c·x + R_c·h + b_c)`, and `h′ = o∘a(c′)`. Before the first time, `h` and `c`
/// are 0. With peepholes, the sums of `i` and `f` also have `p∘c`, that of `o` has `p∘c′`. With a
/// projection, `h′ = P·(o∘a(c′))`.
///
/// - Input shape: a sequence [time][channels] of any length and a known number of channels; or
///   three tensors: the sequence, `h` and `c` before the first time. With `masked`, a mask [time]
///   follows.
/// - Output shape: the last output, 1×1×`units`; with `returnSequences` all outputs
///   [time][`units`]. With a projection there are `projection` numbers instead of `units`.
/// - Parameters: weights [4 · units][1][1][channels], recurrentWeights [4 · units][outputs], where
///   `outputs` is `projection`, else `units`, biases [4 · units]. The forms `.pytorch` and `.onnx`
///   also have recurrentBiases [4 · units], which are added to them. With `peepholes` there are
///   peepholes [3][units] for i, f and o, in the order of the gates; with `projection` projection
///   [projection][units]. ``RecurrentForm`` states the order of the gates. Keras has all matrices
///   transposed.
/// - State: with `stateful`, `hidden` [1][`projection`, else `units`] and `cells` [1][`units`]; see
///   ``ContextState``.
/// - Errors: `wrongInputCount` for a wrong number of tensors, `shapeMismatch` for an input that is
///   not a sequence, or states or a mask of another size, `invalidArgument` for a number out of
///   range, `unknownSize` for an unknown number of channels.
/// - Names elsewhere: Keras, PyTorch and ONNX LSTM, Core ML uniDirectionalLSTM.
/// - Source: Hochreiter and Schmidhuber, Long Short-Term Memory, 1997; with forget gates and
///   peepholes by Gers, Schraudolph and Schmidhuber, 2002; with projections by Sak, Senior and
///   Beaufays, 2014.
///
/// ```swift
/// Input(shape: [100, 40]) --> LSTM(units: 128, returnSequences: true, name: "lstm1")  // 100×128
/// ```
public struct LSTM: BuiltInRecurrentLayer {
  package let label: LayerLabel
  /// What the layer computes.
  public let recurrence: Recurrence

  /// Creates an LSTM.
  ///
  /// - Parameters:
  ///   - units: the number of units.
  ///   - returnSequences: whether the output is the sequence instead of the output of the
  ///     time that is read last.
  ///   - activation: the function `a`.
  ///   - recurrentActivation: the function `g` of the gates.
  ///   - useBias: whether there are biases.
  ///   - peepholes: whether gates see the cell.
  ///   - projection: the size of the output, if it is projected.
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
    peepholes: Bool = false, projection: Int? = nil,
    isReversed: Bool = false, stateful: Bool = false, masked: Bool = false,
    form: RecurrentForm = .keras,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    var optional: Set<RecurrentRule.Operand> = []
    if useBias, form.hasRecurrentBiases { optional.insert(.recurrentBiases) }
    if peepholes { optional.insert(.peepholes) }
    if projection != nil { optional.insert(.projection) }
    if masked { optional.insert(.mask) }
    let rule = RecurrentRule(
      cell: .lstm(
        gates: recurrentActivation, cell: activation, hidden: activation, isCoupled: false),
      units: units, outputs: projection, gateBlocks: form.lstmBlocks, isReversed: isReversed,
      optional: optional)
    recurrence = Recurrence(
      rule: rule, bias: useBias ? .single : .none, returnsSequences: returnSequences,
      isStateful: stateful)
    label = LayerLabel(name, fileID, line, column)
  }
}
