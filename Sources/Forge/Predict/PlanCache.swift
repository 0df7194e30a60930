import ForgeRunner
import ForgeShapes

/// The plans of a compiled model by the sizes of its inputs: at most so many, the oldest use dropped.
final class PlanCache: Sendable {
  private typealias Entry = (shapes: [Shape], plan: Plan)

  private let capacity: Int
  /// Most recently used last.
  private let entries = ForkSafe<[Entry]>([])

  init(capacity: Int) { self.capacity = capacity }

  /// The plan for inputs of these sizes, when there is one.
  func plan(for shapes: [Shape]) -> Plan? {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.shapes == shapes }) else { return nil }
      let entry = entries[index]
      // Moving the last entry would be work for nothing: one size is the common case.
      if index < entries.count - 1 {
        entries.remove(at: index)
        entries.append(entry)
      }
      return entry.plan
    }
  }

  /// The bytes of all plans that are kept: steps, their arguments and constant operands.
  var byteCount: Int { entries.withLock { $0.reduce(0) { $0 + $1.plan.byteCount } } }

  /// Keeps a plan.
  func add(_ plan: Plan, for shapes: [Shape]) {
    // What is dropped is released after the turn: it may be much memory.
    var dropped: [Entry] = []
    entries.withLock { entries in
      dropped = entries.filter { $0.shapes == shapes }
      entries.removeAll { $0.shapes == shapes }
      if entries.count >= capacity { dropped.append(entries.removeFirst()) }
      entries.append((shapes, plan))
    }
  }
}
