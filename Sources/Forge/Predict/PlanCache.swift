import ForgeRunner
import ForgeShapes

/// The plans of a compiled model, keyed by input sizes: a bounded least-recently-used cache.
final class PlanCache: Sendable {
  private typealias Entry = (shapes: [Shape], plan: Plan)

  private let capacity: Int
  /// Most recently used last.
  private let entries = ForkSafe<[Entry]>([])

  init(capacity: Int) { self.capacity = capacity }

  /// The cached plan for inputs of these sizes.
  func plan(for shapes: [Shape]) -> Plan? {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.shapes == shapes }) else { return nil }
      let entry = entries[index]
      // The last entry stays in place: usually all inputs have one size.
      if index < entries.count - 1 {
        entries.remove(at: index)
        entries.append(entry)
      }
      return entry.plan
    }
  }

  /// The bytes of all cached plans: steps, their arguments and constant operands.
  var byteCount: Int { entries.withLock { $0.reduce(0) { $0 + $1.plan.byteCount } } }

  /// Adds a plan to the cache.
  func add(_ plan: Plan, for shapes: [Shape]) {
    // Evicted plans are released after the lock: they may hold much memory.
    var dropped: [Entry] = []
    entries.withLock { entries in
      dropped = entries.filter { $0.shapes == shapes }
      entries.removeAll { $0.shapes == shapes }
      if entries.count >= capacity { dropped.append(entries.removeFirst()) }
      entries.append((shapes, plan))
    }
  }
}
