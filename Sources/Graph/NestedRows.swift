import ForgeShapes

/// The rows of a summary in which every module is one row.
struct NestedRows {
  /// One row: a layer, or all layers of one use of a module.
  private struct Row {
    let name: String
    let typeName: String
    /// The shapes of the outputs; of the last layer while no output of a module is known.
    var shapes: [String]
    var hasOutputs: Bool
    var parameterCount: Int
  }

  /// The cells: name, type, output shape and parameters.
  let rows: [[String]]

  /// Folds the layers of a model, which are in order of creation.
  init(_ layers: [Inference.Node]) {
    var rows: [Row] = []
    var places: [Int: Int] = [:]
    for node in layers {
      guard let use = node.tensor.scopes.first else {
        rows.append(
          Row(
            name: node.name, typeName: node.summaryName, shapes: [node.shapeText], hasOutputs: true,
            parameterCount: node.parameterCount))
        continue
      }
      let place = places[use.id] ?? rows.count
      if place == rows.count {
        places[use.id] = place
        rows.append(
          Row(
            name: use.name ?? "__\(use.typeName)_\(node.position)__", typeName: use.typeName,
            shapes: [], hasOutputs: false, parameterCount: 0))
      }
      rows[place].parameterCount = rows[place].parameterCount.addingSaturated(node.parameterCount)
      if use.isOutput {
        rows[place].shapes = (rows[place].hasOutputs ? rows[place].shapes : []) + [node.shapeText]
        rows[place].hasOutputs = true
      } else if !rows[place].hasOutputs {
        rows[place].shapes = [node.shapeText]
      }
    }
    self.rows = rows.map { row in
      [
        row.name.printable, row.typeName, row.shapes.joined(separator: ", "),
        "\(row.parameterCount)",
      ]
    }
  }
}
