import ForgeOperations
import ForgeShapes

/// Which tensors are written straight into the tensor they are concatenated into.
///
/// A part can be when it is an image made by a node and a part of nothing else, and when every part
/// of the whole begins at a whole block of channels. Parts of parts nest. The others are copied.
struct ConcatenationPlan {
  /// Where a part lies in the whole.
  struct Slot {
    let whole: OperationGraph.Value
    let channel: Int
  }

  /// The slot of each part, by value.
  private(set) var slots: [OperationGraph.Value: Slot] = [:]

  /// The concatenations of a bound graph; none when the rewrite is disabled.
  init(_ graph: OperationGraph, halos: inout HaloNeeds, isEnabled: Bool) {
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
      // A part that shared a block with the next one would not have zeros in its padded lanes.
      guard starts.allSatisfy({ $0.isMultiple(of: TensorDescriptor.blockWidth) }) else { continue }
      for (input, start) in zip(node.inputs, starts) where made.contains(input) {
        if slots[input] == nil { slots[input] = Slot(whole: node.output, channel: start) }
      }
    }
    // Every tensor of a nest has the same size, so the border of one is the border of all.
    var groups: [OperationGraph.Value: [OperationGraph.Value]] = [:]
    for part in slots.keys {
      groups[outermost(part), default: []].append(part)
    }
    for (whole, parts) in groups { halos.share(parts + [whole]) }
  }

  private func outermost(_ value: OperationGraph.Value) -> OperationGraph.Value {
    var value = value
    while let slot = slots[value] { value = slot.whole }
    return value
  }
}
