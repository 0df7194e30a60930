/// A pattern as a tree.
indirect enum PatternNode {
  case empty
  /// One scalar of a set, by the set's number.
  case set(Int)
  /// Bytes as they are.
  case literal([UInt8])
  case sequence([PatternNode])
  case alternatives([PatternNode])
  case loop(PatternNode, minimum: Int, maximum: Int, PatternGreed)
  case lookahead(PatternNode, isNegative: Bool)
  /// The scalar before the place is, or is not, of a set.
  case lookbehind(Int, isNegative: Bool)
  /// What matched is not tried in another way.
  case atomic(PatternNode)
  case assertion(PatternAssertion)

  /// The least number of scalars or bytes that the pattern takes; 0 if it may take none.
  var minimumLength: Int {
    switch self {
    case .empty, .lookahead, .lookbehind, .assertion: 0
    case .set: 1
    case .literal(let bytes): bytes.count
    case .sequence(let nodes): nodes.reduce(0) { min($0 + $1.minimumLength, 1 << 20) }
    case .alternatives(let nodes): nodes.map(\.minimumLength).min() ?? 0
    case .loop(let node, let minimum, _, _): min(minimum, 1) * node.minimumLength
    case .atomic(let node): node.minimumLength
    }
  }

  /// The bytes that a match can begin with; `nil` if it may be empty.
  func firstBytes(_ sets: [ScalarSet]) -> [Bool]? {
    switch self {
    case .empty, .lookahead, .lookbehind, .assertion: return nil
    case .set(let index):
      var bytes = [Bool](repeating: false, count: 256)
      for byte in 0..<128 where sets[index].contains(UInt32(byte)) { bytes[byte] = true }
      for byte in 0xC2..<0xF5 { bytes[byte] = true }
      return bytes
    case .literal(let literal):
      guard let first = literal.first else { return nil }
      var bytes = [Bool](repeating: false, count: 256)
      bytes[Int(first)] = true
      return bytes
    case .sequence(let nodes):
      var bytes = [Bool](repeating: false, count: 256)
      for node in nodes {
        // A look around takes nothing, so what follows it begins the match.
        switch node {
        case .lookahead, .lookbehind, .assertion, .empty: continue
        default: break
        }
        if let first = node.firstBytes(sets) {
          return zip(bytes, first).map { $0 || $1 }
        }
        guard let inner = node.contentFirstBytes(sets) else { return nil }
        bytes = zip(bytes, inner).map { $0 || $1 }
      }
      return nil
    case .alternatives(let nodes):
      var bytes = [Bool](repeating: false, count: 256)
      for node in nodes {
        guard let first = node.firstBytes(sets) else { return nil }
        bytes = zip(bytes, first).map { $0 || $1 }
      }
      return bytes
    case .loop(let node, let minimum, _, _): return minimum > 0 ? node.firstBytes(sets) : nil
    case .atomic(let node): return node.firstBytes(sets)
    }
  }

  /// The bytes that a loop that may take nothing begins with if it takes something.
  private func contentFirstBytes(_ sets: [ScalarSet]) -> [Bool]? {
    switch self {
    case .loop(let node, _, _, _): node.firstBytes(sets)
    case .atomic(let node): node.contentFirstBytes(sets)
    default: nil
    }
  }
}

/// How much a loop takes first.
enum PatternGreed { case greedy, lazy, possessive }

/// What holds at a place of the text.
enum PatternAssertion {
  case lineStart, lineEnd, textStart, textEnd, lastLineEnd, wordBoundary, noWordBoundary
}
