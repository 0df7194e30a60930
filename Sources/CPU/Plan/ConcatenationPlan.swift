import ForgeOperations
import ForgeShapes

/// The tensors that are written directly into the result of a concatenation.
///
/// An operand is written in place if it is an image that a node produces and every operand begins
/// at a whole block of channels. A value in several concatenations is written into the first.
/// Concatenations may nest. Other operands are copied.
struct ConcatenationPlan {
  /// The position of an operand in the result.
  struct Slot {
    let whole: OperationGraph.Value
    let channel: Int
  }

  /// The slot of each operand that is written in place.
  private(set) var slots: [OperationGraph.Value: Slot] = [:]

  /// Finds the slots in a bound graph; none if the rewrite is disabled.
  init(_ graph: OperationGraph, isEnabled: Bool) {
    guard isEnabled else { return }
    let made = Set(graph.nodes.map(\.output))
    for node in graph.nodes {
      guard case .concatenate(axis: let axis) = node.primitive, node.activation == .linear,
        graph.shape(of: node.output).isImage, axis == 2 || axis == -1
      else { continue }
      var starts: [Int] = []
      var channel = 0
      for input in node.inputs {
        starts.append(channel)
        channel += graph.shape(of: input).channels ?? 0
      }
      // An operand that shared a block with the next one would have nonzero padding lanes.
      guard starts.allSatisfy({ $0.isMultiple(of: PlannedTensor.lanes) }) else { continue }
      for (input, start) in zip(node.inputs, starts) where made.contains(input) {
        if slots[input] == nil { slots[input] = Slot(whole: node.output, channel: start) }
      }
    }
  }
}
