import Forge

/// The selections of a graph, whose numbers of rows each prediction chooses.
///
/// The network has the largest number of rows; those after the selected ones are −1. What other
/// nodes compute from such rows is cut off in the outputs, if they keep rows apart; a node that
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
  ///
  /// - Throws: ``NodeFailure``.
  mutating func follow(_ call: ONNXCall) throws {
    for index in selections.indices { selections[index].axes.follow(call) }
    guard case .selected? = ONNXOperators.find(call.node)?.examples,
      case .network(let rows)? = call.outputs[0], let name = call.node.outputs.first
    else { return }
    var axes = ONNXOpenAxes(base: rows.sizes[0])
    axes.add(name, rows, along: 0)
    // A row that counts has no number below 0.
    let column = try call.apply(
      Slice(starts: [0], ends: [1], axes: [1]), to: rows.tensor(as: [0, 1]))
    let counts = try call.apply(Compare(.greaterOrEqual, than: [0]), to: column)
    let sum = try call.apply(Reduce(.sum, axes: [0, 1]), to: counts)
    selections.append(
      Selection(axes: axes, count: sum.chained(to: Identity(name: "\(name)/count"))))
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
