import ForgeOperations
import ForgeShapes

/// A recurrent layer that reads its sequence in both directions.
///
/// The outputs of both directions are in the order of the input and are joined along the channels,
/// added, multiplied, or averaged. Without `returnSequences`, they are the outputs after the last
/// time of each direction. At times that a mask hides, the outputs of a sequence are 0, as in
/// Keras.
///
/// - Input shape: a sequence [time][channels], or that and the initial state of the direction of
///   the given layer, then that of the other one. A mask [time] follows if the layer has one.
/// - Output shape: that of the layer, with twice as many channels for ``Merge/concatenate``.
/// - Parameters: those of the layer, and the same for the other direction with types that begin
///   with "backward": backwardWeights, backwardRecurrentWeights, backwardBiases.
/// - Errors: those of the layer.
/// - Names elsewhere: Keras Bidirectional, PyTorch `bidirectional`, ONNX direction bidirectional,
///   Core ML biDirectionalLSTM.
/// - Source: Schuster and Paliwal, Bidirectional Recurrent Neural Networks, 1997.
///
/// ```swift
/// Input(shape: [100, 40])
///   --> Bidirectional(LSTM(units: 64, returnSequences: true), name: "lstm1")  // 100×128
/// ```
public struct Bidirectional: BuiltInLayer {
  /// How the outputs of the directions are merged.
  public enum Merge: String, Hashable, Sendable, CaseIterable {
    /// Joined along the channels.
    case concatenate
    /// Added.
    case sum
    /// Multiplied.
    case multiply
    /// Added and halved.
    case average
  }

  /// `BiRNN`.
  public static var summaryName: String { "BiRNN" }
  package let label: LayerLabel
  /// What the layer of the first direction computes.
  public let recurrence: Recurrence
  /// How the outputs are merged.
  public let merge: Merge

  /// Creates a layer of two directions.
  ///
  /// - Parameters:
  ///   - layer: the layer of the first direction; its own name is not used.
  ///   - merge: how the outputs are merged.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ layer: some RecurrentLayer, merge: Merge = .concatenate, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    recurrence = layer.recurrence
    self.merge = merge
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to the cells of both directions.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try ArgumentRule.require(
      !recurrence.isStateful, "stateful", "true", needs: "the whole sequence for two directions")
    let (states, mask) = lowering.statesAndMask(of: recurrence.rule)
    let each = recurrence.rule.hasCells ? 2 : 1
    guard states.isEmpty || states.count == 2 * each else {
      throw .wrongInputCount(
        lowering.inputs.count,
        needs: "a sequence, or \(1 + 2 * each): a sequence and \(each == 2 ? "h and c" : "h") of "
          + "each direction" + (recurrence.rule.optional.contains(.mask) ? "; and a mask" : ""))
    }
    let half = states.count / 2
    let first = try lowering.recur(recurrence, states: Array(states[..<half]))
    let second = try lowering.recur(
      recurrence.reversed,
      type: { type in
        ParameterType("backward" + type.name.prefix(1).uppercased() + type.name.dropFirst())
      },
      states: Array(states[half...]))
    var outputs = [first, second]
    if let mask, recurrence.returnsSequences {
      let column = try lowering.column(mask, of: lowering.inputs[0])
      let zero = try lowering.constant([0], shape: Shape(sizes: [1]))
      for index in outputs.indices {
        outputs[index] = try lowering.apply(.select, to: [column, outputs[index], zero])
      }
    }
    switch merge {
    case .concatenate:
      let rank = lowering.shape(of: first).rank
      lowering.output = try lowering.apply(.concatenate(axis: rank - 1), to: outputs)
    case .sum: lowering.output = try lowering.apply(.binary(.add), to: outputs)
    case .multiply: lowering.output = try lowering.apply(.binary(.multiply), to: outputs)
    case .average:
      let sum = try lowering.apply(.binary(.add), to: outputs)
      let half = try lowering.constant([0.5], shape: Shape(sizes: [1]))
      lowering.output = try lowering.apply(.binary(.multiply), to: [sum, half])
    }
  }
}
