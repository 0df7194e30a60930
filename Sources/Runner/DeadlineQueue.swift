/// The tickets with a deadline that an engine has not answered yet, the earliest deadline first.
///
/// It is a binary heap. A ticket that has been answered stays in it until it is the first, or until
/// half of the entries are such tickets. So the memory follows the number of tickets that wait, and
/// one sleeping task is enough for all.
struct DeadlineQueue {
  /// The deadlines of entries `2i + 1` and `2i + 2` are at or after that of entry `i`.
  private var heap: [Ticket] = []
  /// The number of entries that have been answered.
  private var answered = 0

  /// The fewest answered entries that are removed at once.
  private static let fewestRemoved = 32

  /// Adds a ticket.
  mutating func add(_ ticket: Ticket) {
    heap.append(ticket)
    rise(from: heap.count - 1)
  }

  /// Notes that a ticket in the queue has been answered.
  mutating func noteAnswer() {
    answered += 1
    _ = earliest()
    guard answered >= Self.fewestRemoved, 2 * answered >= heap.count else { return }
    heap.removeAll { $0.phase == .over }
    answered = 0
    for index in heap.indices.prefix(heap.count / 2).reversed() { sink(from: index) }
  }

  /// The earliest deadline of a ticket that has not been answered; `nil` if there is none.
  mutating func earliest() -> Nanoseconds? {
    while let first = heap.first, first.phase == .over {
      removeFirst()
      answered -= 1
    }
    return heap.first?.deadline
  }

  /// Removes the tickets whose deadline has passed and that have not been answered.
  mutating func takeOverdue(at now: Nanoseconds) -> [Ticket] {
    var overdue: [Ticket] = []
    while let deadline = earliest(), deadline <= now, let first = heap.first {
      overdue.append(first)
      removeFirst()
    }
    return overdue
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    if !heap.isEmpty { sink(from: 0) }
  }

  private mutating func rise(from start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard heap[index].deadline < heap[parent].deadline else { return }
      heap.swapAt(index, parent)
      index = parent
    }
  }

  private mutating func sink(from start: Int) {
    var index = start
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < heap.count && heap[child].deadline < heap[least].deadline {
        least = child
      }
      guard least != index else { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}
