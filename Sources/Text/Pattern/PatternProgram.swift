/// A pattern as instructions.
struct PatternProgram: Sendable {
  enum Instruction: Sendable {
    /// A byte.
    case byte(UInt8)
    /// One scalar of a set.
    case set(Int)
    /// As many scalars of a set as the greed takes, within bounds.
    case loop(set: Int, minimum: Int, maximum: Int, PatternGreed)
    /// Goes on with the next instruction, and tries another one if that fails; a number names the
    /// bytes that the next one can begin with, −1 for any.
    case fork(other: Int, first: Int)
    /// Goes on elsewhere, and tries the next instruction if that fails.
    case forkAway(Int)
    case jump(Int)
    /// The instructions to the end look ahead.
    case lookahead(end: Int, isNegative: Bool)
    case lookbehind(Int, isNegative: Bool)
    /// The instructions to the end match in one way.
    case atomic(end: Int)
    case assertion(PatternAssertion)
    /// The end of the pattern or of a part of it.
    case accept
  }

  private(set) var instructions: [Instruction] = []
  let sets: [ScalarSet]
  /// For each table, whether a match can begin with a byte.
  private(set) var firstTables: [[Bool]] = []
  /// Whether the whole pattern can begin with a byte; `nil` if it may match nothing.
  let first: [Bool]?
  private let limit: Int

  /// Compiles a pattern.
  ///
  /// - Throws: ``TokenizerError`` of kind `tooLarge`.
  init(_ node: PatternNode, sets: [ScalarSet], limit: Int) throws(TokenizerError) {
    self.sets = sets
    self.limit = limit
    first = node.firstBytes(sets)
    try compile(node)
    try emit(.accept)
  }

  private mutating func emit(_ instruction: Instruction) throws(TokenizerError) {
    guard instructions.count < limit else {
      throw .tooLarge("instructions of a pattern", limit + 1, limit: limit, "patternSize")
    }
    instructions.append(instruction)
  }

  private mutating func compile(_ node: PatternNode) throws(TokenizerError) {
    switch node {
    case .empty: break
    case .set(let set): try emit(.set(set))
    case .literal(let bytes):
      for byte in bytes { try emit(.byte(byte)) }
    case .sequence(let nodes):
      for node in nodes { try compile(node) }
    case .alternatives(let nodes): try compile(alternatives: nodes)
    case .loop(let body, let minimum, let maximum, let greed):
      try compile(body, minimum, maximum, greed)
    case .lookahead(let body, let isNegative):
      let start = instructions.count
      try emit(.accept)
      try compile(body)
      try emit(.accept)
      instructions[start] = .lookahead(end: instructions.count, isNegative: isNegative)
    case .lookbehind(let set, let isNegative):
      try emit(.lookbehind(set, isNegative: isNegative))
    case .atomic(let body): try compile(atomic: body)
    case .assertion(let assertion): try emit(.assertion(assertion))
    }
  }

  private mutating func compile(atomic body: PatternNode) throws(TokenizerError) {
    let start = instructions.count
    try emit(.accept)
    try compile(body)
    try emit(.accept)
    instructions[start] = .atomic(end: instructions.count)
  }

  private mutating func compile(alternatives nodes: [PatternNode]) throws(TokenizerError) {
    var jumps: [Int] = []
    for (index, node) in nodes.enumerated() {
      guard index < nodes.count - 1 else {
        try compile(node)
        break
      }
      let fork = instructions.count
      try emit(.accept)
      try compile(node)
      jumps.append(instructions.count)
      try emit(.accept)
      var table = -1
      if let bytes = node.firstBytes(sets) {
        table = firstTables.count
        firstTables.append(bytes)
      }
      instructions[fork] = .fork(other: instructions.count, first: table)
    }
    for jump in jumps { instructions[jump] = .jump(instructions.count) }
  }

  private mutating func compile(
    _ body: PatternNode, _ minimum: Int, _ maximum: Int, _ greed: PatternGreed
  ) throws(TokenizerError) {
    if case .set(let set) = body {
      return try emit(.loop(set: set, minimum: minimum, maximum: maximum, greed))
    }
    if greed == .possessive {
      return try compile(
        atomic: .loop(body, minimum: minimum, maximum: maximum, .greedy))
    }
    for _ in 0..<minimum { try compile(body) }
    if maximum == .max {
      let start = instructions.count
      try emit(.accept)
      try compile(body)
      if greed == .greedy {
        try emit(.jump(start))
        instructions[start] = .fork(other: instructions.count, first: -1)
      } else {
        try emit(.jump(start))
        instructions[start] = .forkAway(instructions.count)
      }
      return
    }
    var forks: [Int] = []
    for _ in minimum..<maximum {
      forks.append(instructions.count)
      try emit(.accept)
      try compile(body)
    }
    for fork in forks {
      instructions[fork] =
        greed == .greedy
        ? .fork(other: instructions.count, first: -1) : .forkAway(instructions.count)
    }
  }
}
