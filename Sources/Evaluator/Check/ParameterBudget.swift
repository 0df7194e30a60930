#if Macros
  import ForgeGraph
  import SwiftSyntax

  /// The most parameters that a network may have.
  struct ParameterBudget {
    let check: NetworkCheck
    let inference: Inference
    let body: Syntax

    /// The mistake of having more, with a note at the largest layers.
    func findings(_ budget: Int) -> [Finding] {
      let count = inference.parameterCount
      guard count > budget else { return [] }
      let largest = inference.nodes.sorted { $0.parameterCount > $1.parameterCount }.prefix(3)
      let notes = largest.compactMap { node -> Finding.Note? in
        guard node.parameterCount > 0, let place = check.node(at: node.place) else { return nil }
        return Finding.Note(
          node: place, message: "\(node.reference) has \(node.parameterCount) parameters")
      }
      return [
        Finding(
          severity: .error, node: body,
          message:
            "the network has \(count) parameters, \(count - budget) more than maxParameters, "
            + "which is \(budget)",
          notes: notes)
      ]
    }
  }
#endif
