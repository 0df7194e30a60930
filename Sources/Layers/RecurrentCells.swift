import ForgeOperations
import ForgeShapes

/// Recurrent cells as model files state them: several rows, and all of their results in one vector.
///
/// ``RecurrentPart`` takes the results apart.
///
/// - Input shapes: the sequence [times][rows][channels], then the operands of the rule that are not
///   constants: initial hidden values [rows][outputs] and cells [rows][units], lengths [rows], and
///   a mask [times][rows].
/// - Output shape: a vector, which `RecurrentOperation` describes.
/// - Parameters: those of ``LSTM``, ``GRU`` or ``SimpleRNN``.
package struct RecurrentCells: BuiltInLayer {
  /// `Recurrent`.
  package static var summaryName: String { "Recurrent" }
  package let label: LayerLabel
  /// The formula and the operands.
  package let rule: RecurrentRule
  private let bias: Recurrence.Bias

  /// Creates cells.
  package init(_ rule: RecurrentRule, hasBias: Bool, name: String) {
    self.rule = rule
    bias = hasBias ? .single : .none
    label = LayerLabel(name, "", 0, 0)
  }

  /// Creates the cells of a layer.
  ///
  /// - Parameters:
  ///   - layer: the layer.
  ///   - hasState: whether initial hidden values, and cells if it has any, are inputs.
  ///   - name: the name of the parameters.
  package init(_ layer: any RecurrentLayer, hasState: Bool, name: String) {
    let rule = layer.recurrence.rule
    self.rule = hasState ? rule.withState : rule
    bias = layer.recurrence.bias
    label = LayerLabel(name, "", 0, 0)
  }

  /// Lowers to a product for all times and rows, and the cells.
  package func lower(into lowering: inout Lowering) throws(ShapeError) {
    guard let sequence = lowering.inputs.first else {
      throw .wrongInputCount(0, needs: "a sequence")
    }
    let others = Array(lowering.inputs.dropFirst())
    lowering.output = try lowering.cells(rule, bias: bias, of: sequence, others).all
  }
}

/// A part of the results of ``RecurrentCells``.
///
/// - Input shapes: the vector, and the sequence that the cells have read, for its sizes.
/// - Output shape: [times][rows][outputs], [rows][outputs] or [rows][units].
/// - Parameters: none.
package struct RecurrentPart: BuiltInLayer {
  package let label = LayerLabel(nil, "", 0, 0)
  /// The formula and the operands of the cells.
  package let rule: RecurrentRule
  /// The part.
  package let part: RecurrentRule.Part

  /// Creates a part.
  package init(_ rule: RecurrentRule, _ part: RecurrentRule.Part) {
    self.rule = rule
    self.part = part
  }

  /// Lowers to one operation.
  package func lower(into lowering: inout Lowering) throws(ShapeError) {
    guard lowering.inputs.count == 2 else {
      throw .wrongInputCount(lowering.inputs.count, needs: "the cells and their sequence")
    }
    lowering.output = try lowering.apply(.recurrentPart(rule, part), to: lowering.inputs)
  }
}
