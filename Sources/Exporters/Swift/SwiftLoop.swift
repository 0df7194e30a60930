/// Layers that repeat: `count` times `length` layers from `start`, written as one loop.
///
/// The iterations differ in the numbers of names, which grow evenly, and in what they read from the
/// iteration before: for the first iteration, this comes from before the loop.
struct SwiftLoop: Equatable {
  /// The first layer.
  let start: Int
  /// The number of layers of one iteration.
  let length: Int
  /// The number of iterations.
  let count: Int
  /// What passes from one iteration to the next: its position in an iteration and its first value.
  let carried: [Carried]
  /// What is added to the numbers of each layer's name from one iteration to the next.
  let steps: [[Int]]

  /// A tensor that passes from one iteration to the next.
  struct Carried: Equatable {
    /// The position of the layer in an iteration.
    let offset: Int
    /// The layer or input that the first iteration reads instead.
    let initial: Int
  }

  /// The layers of all iterations.
  var range: Range<Int> { start..<start + length * count }

  /// The most layers of one iteration.
  static let longest = 512
  /// The fewest layers that a loop saves.
  static let leastSaving = 6
  /// The most candidates that are examined for one start.
  private static let mostCandidates = 16

  /// The loops of a network, from its first layer to its last.
  static func all(in nodes: [SwiftNode]) -> [SwiftLoop] {
    let search = SwiftLoopSearch(nodes)
    var loops: [SwiftLoop] = []
    var start = 0
    while start < nodes.count {
      guard let loop = first(search, at: start) else {
        start += 1
        continue
      }
      loops.append(loop)
      start = loop.range.upperBound
    }
    return loops
  }

  /// The best loop that begins at a layer, or a little later where it hands less from one time to
  /// the next.
  private static func first(_ search: SwiftLoopSearch, at start: Int) -> SwiftLoop? {
    for candidate in search.candidates(at: start).prefix(mostCandidates) {
      guard let loop = search.loop(at: start, length: candidate) else { continue }
      var best = loop
      for shift in 1..<max(loop.length, 1) where best.carried.count > 1 {
        guard let other = search.loop(at: start + shift, length: loop.length),
          other.count >= loop.count - 1, other.carried.count < best.carried.count
        else { continue }
        best = other
      }
      return best
    }
    return nil
  }
}

/// Finds the loops of a network.
struct SwiftLoopSearch {
  private let nodes: [SwiftNode]
  /// A number for each signature.
  private let kinds: [Int]
  /// The layers that read each layer.
  private let readers: [[Int]]
  /// For each length, how many layers from a start are like those that many layers later.
  private let runs: [[Int32]]

  init(_ nodes: [SwiftNode]) {
    self.nodes = nodes
    var numbers: [SwiftNode.Signature: Int] = [:]
    var kinds: [Int] = []
    for signature in nodes.map(\.signature) {
      let number = numbers[signature] ?? numbers.count
      numbers[signature] = number
      kinds.append(number)
    }
    self.kinds = kinds
    var readers: [[Int]] = Array(repeating: [], count: nodes.count)
    for (position, node) in nodes.enumerated() {
      for input in node.inputs where input >= 0 { readers[input].append(position) }
    }
    self.readers = readers
    let longest = min(SwiftLoop.longest, nodes.count / 2)
    var runs: [[Int32]] = []
    for length in stride(from: 1, through: longest, by: 1) {
      var run = [Int32](repeating: 0, count: nodes.count + 1)
      for start in stride(from: nodes.count - length - 1, through: 0, by: -1)
      where kinds[start] == kinds[start + length] {
        run[start] = run[start + 1] + 1
      }
      runs.append(run)
    }
    self.runs = runs
  }

  /// The lengths of loops that may begin at a layer, those that save most first.
  func candidates(at start: Int) -> [Int] {
    runs.indices.compactMap { index -> (length: Int, saving: Int)? in
      let length = index + 1
      let saving = Int(runs[index][start]) / length * length
      return saving >= SwiftLoop.leastSaving ? (length, saving) : nil
    }
    .sorted { ($1.saving, $0.length) < ($0.saving, $1.length) }.map(\.length)
  }

  /// The longest loop with a number of layers per iteration, from a start.
  func loop(at start: Int, length: Int) -> SwiftLoop? {
    guard runs.indices.contains(length - 1), start + length < nodes.count else { return nil }
    var most = 1 + Int(runs[length - 1][start]) / length
    while (most - 1) * length >= SwiftLoop.leastSaving {
      guard let loop = verified(start, length, most) else { return nil }
      if let loop = closed(loop) { return loop }
      most = loop.count - 1
    }
    return nil
  }

  /// The repetitions from a start with matching names and inputs, at most `most`.
  private func verified(_ start: Int, _ length: Int, _ most: Int) -> SwiftLoop? {
    guard let steps = steps(start, length) else { return nil }
    /// What stands for an offset before the first time.
    var initial: [Int: Int] = [:]
    /// The offset that each input from the time before has; fixed inputs have none.
    var sources: [[Int]: Int?] = [:]
    var fixed: Set<Int> = []
    var count = 1
    times: for time in 1..<most {
      var (newInitial, newSources) = (initial, sources)
      for offset in 0..<length {
        let (base, node) = (nodes[start + offset], nodes[start + time * length + offset])
        guard numbersFollow(base, node, steps[offset], time) else { break times }
        for (place, (first, input)) in zip(base.inputs, node.inputs).enumerated() {
          let begin = start + time * length
          if input >= begin {
            guard first - start == input - begin else { break times }
            continue
          }
          guard first < start else { break times }
          let source: Int?
          if input >= begin - length, input >= start {
            source = input - (begin - length)
          } else if input == first {
            source = nil
            fixed.insert(input)
          } else {
            break times
          }
          if let known = newSources[[offset, place]] {
            guard known == source else { break times }
          } else {
            guard time == 1 else { break times }
            newSources[[offset, place]] = .some(source)
          }
          if let source {
            guard newInitial[source] == nil || newInitial[source] == first else { break times }
            newInitial[source] = first
          }
        }
      }
      (initial, sources) = (newInitial, newSources)
      count = time + 1
    }
    // A variable stands for one thing only.
    let isClear =
      Set(initial.values).count == initial.count && fixed.isDisjoint(with: initial.values)
    guard (count - 1) * length >= SwiftLoop.leastSaving, isClear else { return nil }
    let carried = initial.sorted { $0.key < $1.key }
      .map { SwiftLoop.Carried(offset: $0.key, initial: $0.value) }
    return SwiftLoop(start: start, length: length, count: count, carried: carried, steps: steps)
  }

  /// A loop of which only what it hands on is read after it; `nil` if more is read.
  private func closed(_ loop: SwiftLoop) -> SwiftLoop? {
    let last = loop.range.upperBound - loop.length
    for position in loop.range {
      let isRead =
        nodes[position].isOutput || readers[position].contains { $0 >= loop.range.upperBound }
      guard isRead else { continue }
      let isCarried = loop.carried.contains { $0.offset == position - last }
      guard position >= last, isCarried else { return nil }
    }
    return loop
  }

  /// What is added to the numbers of the names from the first time to the second.
  private func steps(_ start: Int, _ length: Int) -> [[Int]]? {
    var result: [[Int]] = []
    for offset in 0..<length {
      let first = nodes[start + offset].name?.numbers ?? []
      let second = nodes[start + length + offset].name?.numbers ?? []
      guard first.count == second.count else { return nil }
      result.append(zip(first, second).map { $1 - $0 })
    }
    return result
  }

  private func numbersFollow(
    _ base: SwiftNode, _ node: SwiftNode, _ steps: [Int], _ time: Int
  ) -> Bool {
    let (first, numbers) = (base.name?.numbers ?? [], node.name?.numbers ?? [])
    guard first.count == numbers.count, steps.count == first.count else { return false }
    return zip(zip(first, numbers), steps).allSatisfy { $0.1 == $0.0 + time * $1 }
  }
}
