/// Looks for the matches of a program in a text, by trying and going back, with a budget of steps.
struct PatternMatcher {
  /// A place to go on at if what was tried fails.
  private struct Choice {
    var instruction: Int
    var position: Int
    /// For a loop, the place up to which it can give scalars back, or the scalars that it can
    /// still take.
    var bound: Int
    var kind: Kind

    enum Kind { case plain, greedy, lazy }
  }

  private let program: PatternProgram
  private let text: UnsafeBufferPointer<UInt8>
  private var choices: [Choice] = []
  /// The steps that are left.
  private(set) var budget: Int
  /// Whether the budget ended the search.
  private(set) var isExhausted = false

  init(_ program: PatternProgram, _ text: UnsafeBufferPointer<UInt8>, budget: Int) {
    self.program = program
    self.text = text
    self.budget = budget
  }

  /// The end of the match that begins at a place; `nil` if there is none.
  mutating func match(at position: Int) -> Int? {
    choices.removeAll(keepingCapacity: true)
    return program.instructions.withUnsafeBufferPointer { instructions in
      program.sets.withUnsafeBufferPointer { sets in
        run(instructions, sets, from: 0, at: position)
      }
    }
  }

  private mutating func run(
    _ instructions: UnsafeBufferPointer<PatternProgram.Instruction>,
    _ sets: UnsafeBufferPointer<ScalarSet>, from start: Int, at place: Int
  ) -> Int? {
    let base = choices.count
    var (pc, position) = (start, place)
    while true {
      budget -= 1
      guard budget > 0 else {
        isExhausted = true
        choices.removeLast(choices.count - base)
        return nil
      }
      var hasFailed = false
      switch instructions[pc] {
      case .byte(let byte):
        if position < text.count, text[position] == byte {
          position += 1
          pc += 1
        } else {
          hasFailed = true
        }
      case .set(let set):
        if position < text.count {
          let (scalar, width) = UTF8Bytes.scalar(text, position)
          if sets[set].contains(scalar) {
            position += width
            pc += 1
            break
          }
        }
        hasFailed = true
      case .loop(let set, let minimum, let maximum, let greed):
        hasFailed = !loop(sets[set], minimum, maximum, greed, pc: pc, position: &position)
        pc += 1
      case .fork(let other, let first):
        if first >= 0, position >= text.count || !program.firstTables[first][Int(text[position])] {
          pc = other
        } else {
          choices.append(Choice(instruction: other, position: position, bound: 0, kind: .plain))
          pc += 1
        }
      case .forkAway(let other):
        choices.append(Choice(instruction: pc + 1, position: position, bound: 0, kind: .plain))
        pc = other
      case .jump(let target): pc = target
      case .lookahead(let end, let isNegative):
        let found = run(instructions, sets, from: pc + 1, at: position) != nil
        guard !isExhausted else { return nil }
        if found == isNegative { hasFailed = true } else { pc = end }
      case .lookbehind(let set, let isNegative):
        var found = false
        if position > 0 {
          let before = UTF8Bytes.before(text, position)
          found = sets[set].contains(UTF8Bytes.scalar(text, before).value)
        }
        if found == isNegative { hasFailed = true } else { pc += 1 }
      case .atomic(let end):
        if let after = run(instructions, sets, from: pc + 1, at: position) {
          position = after
          pc = end
        } else {
          hasFailed = true
        }
        guard !isExhausted else { return nil }
      case .assertion(let assertion):
        if holds(assertion, at: position) { pc += 1 } else { hasFailed = true }
      case .accept:
        choices.removeLast(choices.count - base)
        return position
      }
      if hasFailed, !goBack(base, sets, instructions, &pc, &position) { return nil }
    }
  }

  /// Takes the scalars of a loop; false if there are too few.
  @inline(__always)
  private mutating func loop(
    _ set: ScalarSet, _ minimum: Int, _ maximum: Int, _ greed: PatternGreed, pc: Int,
    position: inout Int
  ) -> Bool {
    var count = 0
    var enough = position
    let most = greed == .lazy ? minimum : maximum
    while count < most, position < text.count {
      let (scalar, width) = UTF8Bytes.scalar(text, position)
      guard set.contains(scalar) else { break }
      position += width
      count += 1
      if count == minimum { enough = position }
    }
    budget -= count
    guard count >= minimum else { return false }
    switch greed {
    case .greedy where position > enough:
      choices.append(
        Choice(instruction: pc + 1, position: position, bound: enough, kind: .greedy))
    case .lazy where maximum > minimum:
      choices.append(
        Choice(instruction: pc, position: position, bound: maximum - minimum, kind: .lazy))
    default: break
    }
    return true
  }

  /// Goes back to the last choice; false if there is none.
  private mutating func goBack(
    _ base: Int, _ sets: UnsafeBufferPointer<ScalarSet>,
    _ instructions: UnsafeBufferPointer<PatternProgram.Instruction>, _ pc: inout Int,
    _ position: inout Int
  ) -> Bool {
    while choices.count > base {
      let last = choices.count - 1
      let choice = choices[last]
      switch choice.kind {
      case .plain:
        choices.removeLast()
        (pc, position) = (choice.instruction, choice.position)
        return true
      case .greedy:
        let previous = UTF8Bytes.before(text, choice.position)
        if previous > choice.bound {
          choices[last].position = previous
        } else {
          choices.removeLast()
        }
        (pc, position) = (choice.instruction, previous)
        return true
      case .lazy:
        guard case .loop(let set, _, _, _) = instructions[choice.instruction],
          choice.position < text.count
        else {
          choices.removeLast()
          continue
        }
        let (scalar, width) = UTF8Bytes.scalar(text, choice.position)
        guard sets[set].contains(scalar) else {
          choices.removeLast()
          continue
        }
        position = choice.position + width
        pc = choice.instruction + 1
        if choice.bound > 1 {
          choices[last].position = position
          choices[last].bound -= 1
        } else {
          choices.removeLast()
        }
        return true
      }
    }
    return false
  }

  private func isWord(_ position: Int) -> Bool {
    position >= 0 && position < text.count
      && PatternSets.words.contains(UTF8Bytes.scalar(text, position).value)
  }

  private func holds(_ assertion: PatternAssertion, at position: Int) -> Bool {
    switch assertion {
    case .lineStart:
      return position == 0 || (position < text.count && text[position - 1] == 0x0A)
    case .lineEnd: return position == text.count || text[position] == 0x0A
    case .textStart: return position == 0
    case .textEnd: return position == text.count
    case .lastLineEnd:
      return position == text.count || (position == text.count - 1 && text[position] == 0x0A)
    case .wordBoundary, .noWordBoundary:
      let before = position > 0 && isWord(UTF8Bytes.before(text, position))
      return (before != isWord(position)) == (assertion == .wordBoundary)
    }
  }
}
