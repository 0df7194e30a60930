/// The places of the boxes and edges of a drawing, rows from top to bottom.
package struct GraphLayout: Sendable {
  /// A point in pixels.
  package struct Point: Hashable, Sendable {
    package var x: Double
    package var y: Double
  }

  /// The box of a node.
  package struct Box: Sendable {
    /// Its centre.
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
    var x = Self.columns(ranks, sizes)
    let left = ranks.items.indices.map { x[$0] - sizes[$0] / 2 }.min() ?? 0
    for index in x.indices { x[index] += Self.margin - left }
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

  // MARK: Columns

  /// The horizontal place of each item: near those it is connected with, without overlaps.
  private static func columns(_ ranks: LayerRanks, _ sizes: [Double]) -> [Double] {
    var x = Array(repeating: 0.0, count: ranks.items.count)
    for row in ranks.rows {
      var edge = 0.0
      for item in row {
        x[item] = edge + sizes[item] / 2
        edge += sizes[item] + columnGap
      }
      // Rows begin centred.
      for item in row { x[item] -= (edge - columnGap) / 2 }
    }
    let sweeps = ranks.items.count > 5000 ? 12 : 40
    for sweep in 0..<sweeps {
      let isDown = sweep.isMultiple(of: 2)
      let isLast = sweep >= sweeps - 4
      let order = isDown ? Array(ranks.rows.indices) : ranks.rows.indices.reversed()
      for row in order {
        place(ranks.rows[row], ranks, sizes, &x) { item in
          isLast
            ? (item.above, item.below)
            : isDown ? (item.above, []) : ([], item.below)
        }
      }
    }
    // Whole pixels keep vertical lines straight.
    return x.map { ($0 * 2).rounded() / 2 }
  }

  /// Moves the items of a row as near as possible to their neighbours, in least squares.
  private static func place(
    _ row: [Int], _ ranks: LayerRanks, _ sizes: [Double], _ x: inout [Double],
    neighbours: (LayerRanks.Item) -> (above: [Int], below: [Int])
  ) {
    // With the distances of neighbours in the row taken off, places must only ascend: the pools of
    // adjacent violators give the nearest such places.
    var pools: [(sum: Double, weight: Double, count: Int)] = []
    var offsets: [Double] = []
    var offset = 0.0
    for (place, item) in row.enumerated() {
      if place > 0 {
        let other = row[place - 1]
        let isNarrow = ranks.items[item].node == nil && ranks.items[other].node == nil
        offset += (sizes[other] + sizes[item]) / 2 + (isNarrow ? columnGap / 2 : columnGap)
      }
      offsets.append(offset)
      let (above, below) = neighbours(ranks.items[item])
      var (sum, weight) = (0.0, 0.0)
      for other in above + below {
        // Long edges are kept straight before short ones.
        let isPlace = [item, other].filter { ranks.items[$0].node == nil }.count
        let factor = isPlace == 2 ? 8.0 : isPlace == 1 ? 2 : 1
        sum += factor * x[other]
        weight += factor
      }
      if weight == 0 { (sum, weight) = (x[item] * 0.1, 0.1) }
      var pool = (sum: sum - offset * weight, weight: weight, count: 1)
      while let last = pools.last, last.sum / last.weight > pool.sum / pool.weight {
        pools.removeLast()
        pool = (last.sum + pool.sum, last.weight + pool.weight, last.count + pool.count)
      }
      pools.append(pool)
    }
    var place = 0
    for pool in pools {
      for _ in 0..<pool.count {
        x[row[place]] = pool.sum / pool.weight + offsets[place]
        place += 1
      }
    }
  }
}
