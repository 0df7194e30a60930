import ForgeLayers
import ForgeShapes

/// The amount of detail in a summary.
public enum SummaryDetail: Sendable {
  /// Layer, type, output shape and parameters, like the table of the 2017 toolkit.
  case standard
  /// Also inputs, multiply-adds, bytes of activations and, after compiling, the chosen kernel.
  case detailed
  /// Like ``standard``, with one row for all layers of a module or ``Scope``.
  ///
  /// The row has the name of the outermost scope, its type, the shape of its output, and the sum of
  /// its parameters. The number below the table still counts the layers.
  case nested
}

extension Model {
  /// The multiply-adds of one prediction, as far as sizes are known.
  public var multiplyAdds: Int { Inference(self).multiplyAdds }

  /// The number of values of all parameters, shared ones counted once.
  public var parameterCount: Int { Inference(self).parameterCount }

  /// The layers with their shapes and parameter counts, as a table.
  ///
  /// It works at any time. For a model with mistakes, a line states their number, and an unknown
  /// value is shown as `?`.
  ///
  /// - Parameter detail: the amount of detail.
  /// - Returns: the table, without a line break at its end.
  public func summary(_ detail: SummaryDetail = .standard) -> String {
    SummaryTable(Inference(self), detail: detail, kernels: nil).text
  }
}

/// The table of a summary.
package struct SummaryTable {
  /// The text of the table.
  package let text: String

  /// Lays out the table; `kernels` returns the chosen kernels of the layer at a position.
  package init(_ inference: Inference, detail: SummaryDetail, kernels: ((Int) -> String)?) {
    var header = ["Layer", "Type", "Output Shape", "Parameters"]
    // The column widths of the 2017 toolkit, which grow with their content; the last needs none.
    var widths = [30, 10, 16, 10]
    if detail == .detailed {
      header += ["Multiply-adds", "Bytes", "Inputs"]
      widths += [13, 10, 10]
      if kernels != nil {
        header.append("Kernel")
        widths.append(10)
      }
    }
    let layers = inference.nodes.filter { !$0.isInput }
    var rows = detail == .nested ? NestedRows(layers).rows : []
    for node in layers where detail != .nested {
      var row = [node.name.printable, node.summaryName, node.shapeText, "\(node.parameterCount)"]
      if detail == .detailed {
        row.append("\(node.multiplyAdds)")
        row.append(node.shape?.elementCount.map { "\($0 * ElementType.float32.byteCount)" } ?? "?")
        row.append(Self.list(node.inputs) { inference.nodes[$0].name.printable })
        if let kernels { row.append(kernels(node.position)) }
      }
      rows.append(row)
    }
    for row in rows {
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.count) }
    }
    let line = { (cells: [String]) -> String in
      var text = ""
      var spaces = 0
      for (cell, width) in zip(cells, widths) {
        if !cell.isEmpty { text += String(repeating: " ", count: spaces) + cell }
        spaces = (cell.isEmpty ? spaces : 0) + max(width - cell.count, 0) + 1
      }
      return text
    }
    // The rule is as long as the header with its last column at full width.
    let rule = String(repeating: "-", count: widths.reduce(widths.count - 1, +))
    var lines = [line(header), rule] + rows.map(line) + [rule]
    lines.append("Number of layers: \(layers.count)")
    if let sizes = inference.inputs.flatMap({ inference.nodes[$0].lengthAxes }).first?.sizes {
      lines.append("Length of sequences: \(sizes.text); shapes are those of the longest")
    }
    if let open = inference.openSizes {
      let sizes = open.sizes.map { "\($0.name.printable) \($0.sizes.text)" }
      lines.append(
        "Open sizes: \(sizes.joined(separator: ", ")); shapes are those of the largest")
    }
    let mistakes = inference.problems.count
    if mistakes > 0 { lines.append("Number of mistakes: \(mistakes); check() describes them") }
    lines.append("Total parameters: \(inference.parameterCount)")
    if detail == .detailed { lines.append("Total multiply-adds: \(inference.multiplyAdds)") }
    self.text = lines.joined(separator: "\n")
  }

  /// The most names in a cell; all rows are as wide as the widest cell of a column.
  private static let mostNames = 8

  /// The names of some elements, or the first of them and the number of the others.
  package static func list<Element>(
    _ elements: some Collection<Element>, name: (Element) -> String
  ) -> String {
    let names = elements.prefix(mostNames).map(name).joined(separator: ", ")
    let others = elements.count - mostNames
    return others > 0 ? "\(names) and \(others) more" : names
  }
}

extension Inference.Node {
  /// The type in the column "Type".
  package var summaryName: String { layer.map { type(of: $0).summaryName } ?? typeName }
  /// The shape in the column "Output Shape".
  var shapeText: String { shape?.tupleText ?? "?" }
}
