import ForgeSystem

/// The tables of a plan, one after the other in one piece of memory.
struct PlanTables {
  /// A table that has been added.
  struct Place { let offset: Int }

  private var copies: [(UnsafeMutableRawPointer) -> Void] = []
  /// The bytes that all tables take.
  private(set) var byteCount = 0

  /// Adds a table; `nil` for an empty one.
  mutating func add<Element: BitwiseCopyable>(_ table: [Element]) -> Place? {
    guard !table.isEmpty else { return nil }
    let offset = byteCount
    copies.append { base in
      table.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(start: base + offset, count: bytes.count).copyMemory(
          from: bytes)
      }
    }
    byteCount = offset.addingSaturated(
      (table.count * MemoryLayout<Element>.stride).addingSaturated(127) / 64 * 64)
    return Place(offset: offset)
  }

  /// Reserves bytes that hold nothing yet.
  mutating func reserve(_ count: Int) -> Place {
    let offset = byteCount
    byteCount = offset.addingSaturated(count.addingSaturated(127) / 64 * 64)
    return Place(offset: offset)
  }

  /// Writes all tables.
  func copy(to base: UnsafeMutableRawPointer) {
    for copy in copies { copy(base) }
  }
}
