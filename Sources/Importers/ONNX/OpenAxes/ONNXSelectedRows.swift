import Forge

/// The selections of a graph, whose numbers of rows each prediction chooses.
///
/// The network has the largest number of rows, of which the selected ones come first. What other
/// nodes compute from the others is cut off in the outputs, if they keep rows apart; a node that
/// combines rows is refused.
struct ONNXSelectedRows {
  /// One selection: where its rows are, and how many there are.
  private struct Selection {
    var axes: ONNXOpenAxes
    let count: Tensor
  }

  private var selections: [Selection] = []

  /// The detail of a node that is refused.
  private static let refusal = "the rows of a selection, whose number depends on the values"

  /// Follows the rows through a node, or adds those that it selects.
  mutating func follow(_ call: ONNXCall) {
    for index in selections.indices { selections[index].axes.follow(call) }
    guard let chosen = call.chosenRows, let first = call.outputs.compactMap({ $0 }).first else {
      return
    }
    var axes = ONNXOpenAxes(base: first.sizes[chosen.axis])
    for (index, (name, output)) in zip(call.node.outputs, call.outputs).enumerated()
    where !name.isEmpty && !chosen.wholeOutputs.contains(index) {
      if case .network(let rows)? = output { axes.add(name, rows, along: chosen.axis) }
    }
    let name = call.node.outputs.first { !$0.isEmpty } ?? call.node.name
    selections.append(
      Selection(axes: axes, count: chosen.count.chained(to: Identity(name: "\(name)/count"))))
  }

  /// States that values combine rows if what chose them follows their number.
  mutating func mix(_ names: [String], _ mixture: ONNXMixture, on inputs: [String]) {
    for index in selections.indices { selections[index].axes.mix(names, mixture, on: inputs) }
  }

  /// The rows of an output, and the tensor that counts them; `nil` if it has none.
  ///
  /// - Throws: ``UnsupportedNode`` for an output that combines rows.
  func rows(
    of name: String
  ) throws(ONNXRowMixture) -> (rows: ImportedModel.Port.Rows, count: Tensor)? {
    var found: (rows: ImportedModel.Port.Rows, count: Tensor)?
    for selection in selections {
      switch selection.axes.states[name] {
      case nil: continue
      case .along(let place)? where place.outer == 1 && found == nil:
        let rows = ImportedModel.Port.Rows(
          axis: place.axis, countName: selection.count.givenName ?? "", entries: place.inner)
        found = (rows, selection.count)
      case .mixed(let mixture)?:
        throw ONNXRowMixture(
          node: UnsupportedNode(
            type: mixture.type, detail: Self.refusal, name: mixture.node))
      case .numbers?, .along?:
        throw ONNXRowMixture(
          node: UnsupportedNode(type: "output", detail: Self.refusal, name: name))
      }
    }
    return found
  }
}

/// An output in which the rows of a selection are combined.
struct ONNXRowMixture: Error {
  let node: UnsupportedNode
}
