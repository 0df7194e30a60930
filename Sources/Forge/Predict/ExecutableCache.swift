import ForgeOperations
import ForgeShapes
import ForgeSystem

/// The executables of a compiled model, keyed by input sizes: a bounded least-recently-used cache.
final class ExecutableCache: Sendable {
  private typealias Entry = (shapes: [Shape], executable: any Executable, facts: NetworkFacts)

  private let capacity: Int
  /// Most recently used last.
  private let entries = ForkSafe<[Entry]>([])

  init(capacity: Int) { self.capacity = capacity }

  /// The cached executable for inputs of these sizes.
  func executable(for shapes: [Shape]) -> (any Executable)? {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.shapes == shapes }) else { return nil }
      let entry = entries[index]
      // The last entry stays in place: usually all inputs have one size.
      if index < entries.count - 1 {
        entries.remove(at: index)
        entries.append(entry)
      }
      return entry.executable
    }
  }

  /// The bytes of all cached executables.
  var byteCount: Int { entries.withLock { $0.reduce(0) { $0 + $1.executable.byteCount } } }

  /// Removes all executables but one.
  func removeAll(except kept: (any Executable)?) {
    // They are released after the lock: they may hold much memory.
    _ = entries.withLock { entries in
      let dropped = entries.filter { $0.executable !== kept }
      entries.removeAll { $0.executable !== kept }
      return dropped
    }
  }

  /// The facts of an executable; `nil` if the cache has let go of it.
  func facts(of executable: any Executable) -> NetworkFacts? {
    entries.withLock { $0.first { $0.executable === executable }?.facts }
  }

  /// Adds an executable to the cache, with the facts of its model.
  func add(_ executable: any Executable, _ facts: NetworkFacts, for shapes: [Shape]) {
    // Evicted executables are released after the lock: they may hold much memory.
    var dropped: [Entry] = []
    entries.withLock { entries in
      dropped = entries.filter { $0.shapes == shapes }
      entries.removeAll { $0.shapes == shapes }
      if entries.count >= capacity { dropped.append(entries.removeFirst()) }
      entries.append((shapes, executable, facts))
    }
  }
}
