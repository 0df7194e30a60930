import Forge

/// What matrix products do to an open size: examples stay apart along every axis but the one over
/// which products are summed.
enum ONNXOpenProducts {
  /// The place in a product as NumPy's `matmul` makes it.
  static func multiplied(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let ranks = [try node.rank(0), try node.rank(1)]
    // Counted from the last axis, 1 is the last.
    let fromEnd = (0..<2).map { index in node.place(index).map { ranks[index] - $0.axis } }
    // A vector has no rows, or no columns, in the result.
    let isSummed =
      fromEnd[0] == 1 || (fromEnd[1] != nil && (ranks[1] == 1 || fromEnd[1] == 2))
    guard !isSummed, let rank = node.call.outputs[0]?.sizes.count else {
      throw ONNXOpenNode.Mixes()
    }
    let lost = (ranks[0] == 1 ? 1 : 0, ranks[1] == 1 ? 1 : 0)
    var result: ONNXOpenAxis?
    for index in 0..<2 {
      guard let place = node.place(index), let end = fromEnd[index] else { continue }
      // Columns of the second factor stay last; rows and matrices lose the axes of vectors.
      let endOfResult = end == 1 ? 1 : end == 2 ? end - lost.1 : end - lost.0 - lost.1
      let moved = place.on(rank - endOfResult)
      guard result == nil || (result == moved && end >= 3) else { throw ONNXOpenNode.Mixes() }
      result = moved
    }
    guard let result else { throw ONNXOpenNode.Mixes() }
    return [result]
  }

  /// The place in `A'·B' + C`.
  static func gemm(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let (rows, columns) = (
      node.call.node.int("transA") != 0 ? 1 : 0, node.call.node.int("transB") != 0 ? 0 : 1
    )
    var found: [ONNXOpenAxis] = []
    if let place = node.place(0) {
      guard place.axis == rows else { throw ONNXOpenNode.Mixes() }
      found.append(place.on(0))
    }
    if let place = node.place(1) {
      guard place.axis == columns else { throw ONNXOpenNode.Mixes() }
      found.append(place.on(1))
    }
    guard found.count == 1, let result = found.first else { throw ONNXOpenNode.Mixes() }
    if node.call.has(2) {
      let rank = try node.rank(2)
      if let place = node.place(2) {
        guard place.on(place.axis + 2 - rank) == result else { throw ONNXOpenNode.Mixes() }
      } else {
        let axis = result.axis - 2 + rank
        guard try axis < 0 || node.sizes(2)[axis] == 1 else { throw ONNXOpenNode.Mixes() }
      }
    }
    return [result]
  }

  /// The place in a sum of products of named axes, without an ellipsis.
  static func einsum(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let formula = node.call.node.string("equation").filter { !$0.isWhitespace }
    let sides = formula.split(separator: "->", omittingEmptySubsequences: false)
    guard sides.count == 2, !formula.contains("."), formula.utf8.count <= 1000 else {
      throw ONNXOpenNode.Mixes()
    }
    let terms = sides[0].split(separator: ",", omittingEmptySubsequences: false).map {
      Array($0.utf8)
    }
    guard terms.count == node.places.count else { throw ONNXOpenNode.Mixes() }
    var found: (letter: UInt8, place: ONNXOpenAxis)?
    for (term, place) in zip(terms, node.places) {
      guard let place else { continue }
      guard term.indices.contains(place.axis) else { throw ONNXOpenNode.Mixes() }
      let letter = term[place.axis]
      guard
        found == nil
          || (found?.letter == letter && found?.place == place.on(found?.place.axis ?? 0))
      else { throw ONNXOpenNode.Mixes() }
      found = found ?? (letter, place)
    }
    guard let found, let axis = Array(sides[1].utf8).firstIndex(of: found.letter) else {
      throw ONNXOpenNode.Mixes()
    }
    return [found.place.on(axis)]
  }
}
