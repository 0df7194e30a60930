/// The rows of a drawing: every node one row below the lowest that it takes, and places on the rows
/// that long edges pass.
struct LayerRanks {
  /// A node of the graph, or a place where an edge passes a row.
  struct Item {
    /// The node; `nil` for a place of an edge.
    let node: Int?
    let rank: Int
    /// The items one row above that it is connected with.
    var above: [Int] = []
    /// The items one row below that it is connected with.
    var below: [Int] = []
  }

  /// The number of places beyond which long edges are drawn without them.
  private static let mostPlaces = 20_000

  /// All items; the nodes of the graph come first, in their order.
  private(set) var items: [Item]
  /// The rows, each a list of items.
  private(set) var rows: [[Int]]
  /// Edges between rows that are not neighbors, drawn without places on the rows between.
  private(set) var direct: [(from: Int, to: Int)] = []

  init(_ nodes: [NetworkGraph.Node]) {
    var ranks = Array(repeating: 0, count: nodes.count)
    var users: [[Int]] = Array(repeating: [], count: nodes.count)
    for (index, node) in nodes.enumerated() {
      for input in node.inputs {
        ranks[index] = max(ranks[index], ranks[input] + 1)
        users[input].append(index)
      }
    }
    // What takes nothing stands just above its first user.
    for (index, node) in nodes.enumerated() where node.inputs.isEmpty {
      ranks[index] = max((users[index].map { ranks[$0] }.min() ?? 1) - 1, 0)
    }
    items = ranks.enumerated().map { Item(node: $0, rank: $1) }
    rows = Array(repeating: [], count: (ranks.max() ?? -1) + 1)
    for index in nodes.indices { rows[ranks[index]].append(index) }
    for index in nodes.indices { connect(index, to: Array(Set(users[index])).sorted()) }
  }

  /// Adds the edges of a node; those to the same row share their places.
  private mutating func connect(_ index: Int, to users: [Int]) {
    let start = items[index].rank
    let last = users.map { items[$0].rank }.max() ?? start
    guard items.count + (last - start) <= Self.mostPlaces else {
      for user in users {
        if items[user].rank == start + 1 { link(index, user) } else { direct.append((index, user)) }
      }
      return
    }
    var chain = [index]
    for rank in (start + 1)..<max(last, start + 1) {
      let item = items.count
      items.append(Item(node: nil, rank: rank))
      rows[rank].append(item)
      link(chain[chain.count - 1], item)
      chain.append(item)
    }
    for user in users { link(chain[items[user].rank - 1 - start], user) }
  }

  private mutating func link(_ upper: Int, _ lower: Int) {
    items[upper].below.append(lower)
    items[lower].above.append(upper)
  }

  // MARK: Order within rows

  /// Orders the items of each row so that few edges cross.
  mutating func order() {
    let sweeps = items.count > 5000 ? 6 : 16
    var best = rows
    var fewest = crossings()
    for sweep in 0..<sweeps where fewest > 0 {
      let isDown = sweep.isMultiple(of: 2)
      var positions = self.positions()
      let order = isDown ? Array(rows.indices.dropFirst()) : rows.indices.dropLast().reversed()
      for row in order {
        let keyed = rows[row].enumerated().map { column, item in
          let neighbors = isDown ? items[item].above : items[item].below
          let places = neighbors.map { positions[$0] }.sorted()
          return (key: Self.median(places) ?? Double(column), place: column, item: item)
        }
        rows[row] = keyed.sorted { ($0.key, $0.place) < ($1.key, $1.place) }.map(\.item)
        for (column, item) in rows[row].enumerated() { positions[item] = Double(column) }
      }
      let count = crossings()
      if count < fewest { (fewest, best) = (count, rows) }
    }
    rows = best
  }

  private func positions() -> [Double] {
    var positions = Array(repeating: 0.0, count: items.count)
    for row in rows {
      for (column, item) in row.enumerated() { positions[item] = Double(column) }
    }
    return positions
  }

  private static func median(_ sorted: [Double]) -> Double? {
    guard !sorted.isEmpty else { return nil }
    let middle = sorted.count / 2
    if !sorted.count.isMultiple(of: 2) { return sorted[middle] }
    return (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// The number of pairs of edges that cross.
  func crossings() -> Int {
    let positions = self.positions()
    var total = 0
    for row in rows.indices.dropLast() {
      let width = rows[row + 1].count
      // A tree of partial sums counts the ends to the right of each new one.
      var tree = Array(repeating: 0, count: width + 1)
      var seen = 0
      for item in rows[row] {
        let ends = items[item].below.map { Int(positions[$0]) }
        for end in ends {
          var at = end + 1
          var left = 0
          while at > 0 {
            left += tree[at]
            at &= at - 1
          }
          total += seen - left
        }
        for end in ends {
          var at = end + 1
          while at <= width {
            tree[at] += 1
            at += at & -at
          }
          seen += 1
        }
      }
    }
    return total
  }
}
