import Forge

extension NetworkGraph {
  /// The longest text of a line in a box.
  private static let longest = 30
  /// The width of a letter, estimated high.
  private static let letterWidth = 6.4

  /// The graph as a drawing.
  package var svg: String {
    let lines = nodes.map { node in
      [Self.shortened(node.type), Self.shortened(node.name), Self.shortened(node.shape)]
    }
    let widths = lines.map { lines in
      // The first line is bold.
      let letters = lines.enumerated().map { Double($1.count) * ($0 == 0 ? 1.2 : 1) }
      return max((letters.max() ?? 0) * Self.letterWidth + 16, 72)
    }
    let layout = GraphLayout(self, widths: widths)
    let heading = 30.0
    let width = max(layout.width, Double(title.count) * 9 + 40)
    let (shownWidth, shownHeight) = (Self.text(width), Self.text(layout.height + heading))
    var parts = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(shownWidth)" height="\(shownHeight)" \
      viewBox="0 0 \(shownWidth) \(shownHeight)" font-family="sans-serif" font-size="11" \
      text-anchor="middle">
      <defs><marker id="arrow" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="6" \
      markerHeight="6" orient="auto"><path d="M0,0.5L8,4L0,7.5Z" fill="#666"/></marker></defs>
      <rect width="100%" height="100%" fill="white"/>
      <text x="20" y="24" font-size="15" font-weight="bold" text-anchor="start">\
      \(Self.escaped(title))</text>
      <g transform="translate(\(Self.text((width - layout.width) / 2)),\(Self.text(heading)))">
      <g fill="none" stroke="#888" stroke-width="1.2">
      """
    ]
    for link in layout.links {
      let (from, to) = (link.from, link.to)
      let middle = Self.text((from.y + to.y) / 2)
      let curve =
        from.x == to.x
        ? "V\(Self.text(to.y))"
        : "C\(Self.text(from.x)),\(middle) \(Self.text(to.x)),\(middle) "
          + "\(Self.text(to.x)),\(Self.text(to.y))"
      parts.append(
        "<path d=\"M\(Self.text(from.x)),\(Self.text(from.y))\(curve)\""
          + (link.hasArrow ? " marker-end=\"url(#arrow)\"/>" : "/>"))
    }
    parts.append("</g>")
    for (index, node) in nodes.enumerated() {
      parts.append(Self.box(node, lines[index], layout.boxes[index]))
    }
    return (parts + ["</g>", "</svg>", ""]).joined(separator: "\n")
  }

  private static func box(_ node: Node, _ lines: [String], _ box: GraphLayout.Box) -> String {
    let colors = NodeColors(node)
    let (x, y) = (text(box.center.x), box.center.y)
    let (left, top) = (box.center.x - box.width / 2, y - GraphLayout.boxHeight / 2)
    return """
      <g><title>\(escaped("\(node.type) \(node.name) \(node.shape)"))</title>\
      <rect x="\(text(left))" y="\(text(top))" width="\(text(box.width))" \
      height="\(text(GraphLayout.boxHeight))" rx="5" fill="\(colors.fill)" \
      stroke="\(colors.line)" stroke-width="\(node.isOutput ? "2.5" : "1")"/>\
      <text x="\(x)" y="\(text(y - 9))" font-weight="bold">\(escaped(lines[0]))</text>\
      <text x="\(x)" y="\(text(y + 4))">\(escaped(lines[1]))</text>\
      <text x="\(x)" y="\(text(y + 17))" fill="#555">\(escaped(lines[2]))</text></g>
      """
  }

  /// A text of at most the longest length, without its middle if need be.
  private static func shortened(_ text: String) -> String {
    guard text.count > longest else { return text }
    return text.prefix(longest / 2 - 1) + "…" + text.suffix(longest / 2)
  }

  /// A number with at most one decimal.
  private static func text(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    let rest = abs(tenths % 10)
    return (tenths < 0 && tenths > -10 ? "-" : "") + "\(tenths / 10)"
      + (rest == 0 ? "" : ".\(rest)")
  }

  /// The text with the signs that XML reserves replaced, and those that it forbids dropped.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.printable.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default:
        let isForbidden =
          scalar.value < 32 || scalar.value == 0xFFFE || scalar.value == 0xFFFF
        if !isForbidden { result.unicodeScalars.append(scalar) }
      }
    }
    return result
  }
}
