/// The horizontal places of a drawing's items, by the method of Brandes and Köpf.
///
/// Items are aligned in vertical blocks, each with the middle one of its neighbors, from above and
/// from below, with the left one or the right one of two middles. The four results are packed, and
/// each item stands at the mean of its two middle places.
struct GraphColumns {
  private let ranks: LayerRanks
  private let widths: [Double]
  private let gap: Double
  /// The place of each item in its row.
  private var places: [Int]
  /// Edges that would bend a long one, which aligns first.
  private var conflicts: Set<[Int]> = []

  /// The horizontal center of each item.
  private(set) var centers: [Double]

  init(_ ranks: LayerRanks, widths: [Double], gap: Double) {
    self.ranks = ranks
    self.widths = widths
    self.gap = gap
    places = Array(repeating: 0, count: ranks.items.count)
    centers = Array(repeating: 0, count: ranks.items.count)
    for row in ranks.rows {
      for (column, item) in row.enumerated() { places[item] = column }
    }
    markConflicts()
    var layouts: [[Double]] = []
    for isUpward in [false, true] {
      for isMirrored in [false, true] {
        layouts.append(layout(isUpward: isUpward, isMirrored: isMirrored))
      }
    }
    centers = balanced(layouts)
  }

  // MARK: Blocks

  private func isPlace(_ item: Int) -> Bool { ranks.items[item].node == nil }

  /// Marks edges that cross a part of a long edge.
  private mutating func markConflicts() {
    for row in ranks.rows.indices.dropLast() {
      let (upper, lower) = (ranks.rows[row], ranks.rows[row + 1])
      var (first, next) = (0, 0)
      for (column, item) in lower.enumerated() {
        let inner = isPlace(item) ? ranks.items[item].above.first(where: isPlace) : nil
        guard inner != nil || column == lower.count - 1 else { continue }
        let last = inner.map { places[$0] } ?? upper.count - 1
        while next <= column {
          for other in ranks.items[lower[next]].above
          where !(first...max(first, last)).contains(places[other])
            && !(isPlace(other) && isPlace(lower[next]))
          {
            conflicts.insert([other, lower[next]])
          }
          next += 1
        }
        first = last
      }
    }
  }

  /// One of the four layouts.
  private func layout(isUpward: Bool, isMirrored: Bool) -> [Double] {
    var rows = isUpward ? Array(ranks.rows.reversed()) : ranks.rows
    if isMirrored { rows = rows.map { $0.reversed() } }
    let place = { (item: Int) -> Int in
      isMirrored ? -self.places[item] : self.places[item]
    }
    var roots = Array(ranks.items.indices)
    var hasLower = Array(repeating: false, count: roots.count)
    for row in rows.dropFirst() {
      var limit = Int.min
      for item in row {
        let neighbors = (isUpward ? ranks.items[item].below : ranks.items[item].above)
          .sorted { place($0) < place($1) }
        guard !neighbors.isEmpty else { continue }
        let middles = [(neighbors.count - 1) / 2, neighbors.count / 2]
        for middle in middles where roots[item] == item {
          let other = neighbors[middle]
          let edge = isUpward ? [item, other] : [other, item]
          guard !hasLower[other], place(other) > limit, !conflicts.contains(edge) else { continue }
          hasLower[other] = true
          roots[item] = roots[other]
          limit = place(other)
        }
      }
    }
    let packed = packed(rows, roots)
    return isMirrored ? packed.map { -$0 } : packed
  }

  // MARK: Packing

  private func distance(_ left: Int, _ right: Int) -> Double {
    (widths[left] + widths[right]) / 2 + (isPlace(left) && isPlace(right) ? gap / 2 : gap)
  }

  /// The places of items whose blocks stand as far left as they may, then as far right as blocks
  /// beside them leave room.
  private func packed(_ rows: [[Int]], _ roots: [Int]) -> [Double] {
    var after: [[(block: Int, distance: Double)]] = Array(repeating: [], count: roots.count)
    var pending = Array(repeating: 0, count: roots.count)
    for row in rows {
      for (left, right) in zip(row, row.dropFirst()) {
        after[roots[left]].append((roots[right], distance(left, right)))
        pending[roots[right]] += 1
      }
    }
    var order = roots.indices.filter { roots[$0] == $0 && pending[$0] == 0 }
    var x = Array(repeating: 0.0, count: roots.count)
    var next = 0
    while next < order.count {
      let block = order[next]
      next += 1
      for (other, distance) in after[block] {
        x[other] = max(x[other], x[block] + distance)
        pending[other] -= 1
        if pending[other] == 0 { order.append(other) }
      }
    }
    for block in order.reversed() {
      if let room = after[block].map({ x[$0.block] - $0.distance }).min() {
        x[block] = max(x[block], room)
      }
    }
    return roots.map { x[$0] }
  }

  /// The mean of the two middle places of each item, with the layouts moved over the narrowest.
  private func balanced(_ layouts: [[Double]]) -> [Double] {
    let items = Array(ranks.items.indices)
    let edges = layouts.map { x in
      (
        left: items.map { x[$0] - widths[$0] / 2 }.min() ?? 0,
        right: items.map { x[$0] + widths[$0] / 2 }.max() ?? 0
      )
    }
    guard let narrowest = edges.min(by: { $0.right - $0.left < $1.right - $1.left }) else {
      return []
    }
    let moved = zip(layouts, edges).enumerated().map { index, layout in
      let isMirrored = !index.isMultiple(of: 2)
      let shift =
        isMirrored ? narrowest.right - layout.1.right : narrowest.left - layout.1.left
      return layout.0.map { $0 + shift }
    }
    return items.map { item in
      let sorted = moved.map { $0[item] }.sorted()
      return (sorted[1] + sorted[2]) / 2
    }
  }
}
