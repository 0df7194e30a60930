/// The places of the boxes and edges of a drawing, rows from top to bottom.
package struct GraphLayout: Sendable {
  /// A point in pixels.
  package struct Point: Hashable, Sendable {
    package var x: Double
    package var y: Double
  }

  /// The box of a node.
  package struct Box: Sendable {
    /// Its center.
    package let center: Point
    /// Its width.
    package let width: Double
  }

  /// A part of an edge: a curve between two points, which leaves and arrives vertically.
  package struct Link: Sendable {
    package let from: Point
    package let to: Point
    /// Whether it ends at a box.
    package let hasArrow: Bool
  }

  /// The height of every box.
  package static let boxHeight = 46.0
  private static let rowGap = 26.0
  private static let columnGap = 18.0
  private static let placeWidth = 6.0
  private static let margin = 20.0

  /// The boxes, in the order of the nodes.
  package let boxes: [Box]
  /// The edges.
  package let links: [Link]
  /// The width of the drawing.
  package let width: Double
  /// The height of the drawing.
  package let height: Double

  /// Lays out a graph whose boxes have these widths.
  package init(_ graph: NetworkGraph, widths: [Double]) {
    var ranks = LayerRanks(graph.nodes)
    ranks.order()
    let sizes = ranks.items.map { item in item.node.map { widths[$0] } ?? Self.placeWidth }
    var x = GraphColumns(ranks, widths: sizes, gap: Self.columnGap).centers
    let left = ranks.items.indices.map { x[$0] - sizes[$0] / 2 }.min() ?? 0
    // Half pixels keep vertical lines straight.
    for index in x.indices { x[index] = ((x[index] + Self.margin - left) * 2).rounded() / 2 }
    width = (ranks.items.indices.map { x[$0] + sizes[$0] / 2 }.max() ?? 0) + Self.margin
    let pitch = Self.boxHeight + Self.rowGap
    height = Double(ranks.rows.count) * pitch - Self.rowGap + 2 * Self.margin
    func middle(_ item: Int) -> Double {
      Self.margin + Self.boxHeight / 2 + Double(ranks.items[item].rank) * pitch
    }
    boxes = graph.nodes.indices.map {
      Box(center: Point(x: x[$0], y: middle($0)), width: widths[$0])
    }
    func bottom(_ item: Int) -> Point {
      Point(x: x[item], y: middle(item) + Self.boxHeight / 2)
    }
    func top(_ item: Int) -> Point {
      Point(x: x[item], y: middle(item) - Self.boxHeight / 2)
    }
    var links: [Link] = []
    for (index, item) in ranks.items.enumerated() {
      if item.node == nil {
        links.append(Link(from: top(index), to: bottom(index), hasArrow: false))
      }
      for lower in item.below {
        links.append(
          Link(
            from: bottom(index), to: top(lower), hasArrow: ranks.items[lower].node != nil))
      }
    }
    links += ranks.direct.map { Link(from: bottom($0.from), to: top($0.to), hasArrow: true) }
    self.links = Self.joined(links)
  }

  /// The links with vertical ones that continue each other made one.
  private static func joined(_ links: [Link]) -> [Link] {
    var starts: [Point: Int] = [:]
    var startCounts: [Point: Int] = [:]
    for (index, link) in links.enumerated() {
      starts[link.from] = index
      startCounts[link.from, default: 0] += 1
    }
    var isDone = Array(repeating: false, count: links.count)
    var result: [Link] = []
    for (index, link) in links.enumerated() where !isDone[index] {
      isDone[index] = true
      var end = link
      while end.from.x == end.to.x, !end.hasArrow, let next = starts[end.to],
        startCounts[end.to] == 1, !isDone[next], links[next].from.x == links[next].to.x
      {
        isDone[next] = true
        end = links[next]
      }
      result.append(Link(from: link.from, to: end.to, hasArrow: end.hasArrow))
    }
    return result
  }
}
