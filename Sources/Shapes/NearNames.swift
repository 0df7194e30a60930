/// "Did you mean": the known names most similar to one that was not found.
package enum NearNames {
  /// At most three names of `known` within an edit distance of a third of the length, nearest
  /// first.
  package static func nearest(to name: String, in known: [String]) -> [String] {
    let wanted = Array(name.lowercased().utf8)
    let scored = known.compactMap { candidate -> (String, Int)? in
      let other = Array(candidate.lowercased().utf8)
      let limit = max(2, max(wanted.count, other.count) / 3)
      // A large difference in length rules a name out before the edit distance is computed.
      guard abs(wanted.count - other.count) <= limit else { return nil }
      let distance = edits(wanted, other)
      return distance <= limit && candidate != name ? (candidate, distance) : nil
    }
    return scored.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.prefix(3).map(\.0)
  }

  /// The edit distance: the fewest insertions, deletions and replacements between two texts.
  private static func edits(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, y) in b.enumerated() {
        let above = row[j + 1]
        row[j + 1] = min(above + 1, row[j] + 1, diagonal + (x == y ? 0 : 1))
        diagonal = above
      }
    }
    return row[b.count]
  }
}
