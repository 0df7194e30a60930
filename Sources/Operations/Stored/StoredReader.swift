import ForgeSystem

/// Why a compiled file cannot be used.
package enum StoredMisfit: Error, Hashable {
  /// Its bytes are not those that were written.
  case damaged
  /// It is whole, but belongs to another machine, another version of Forge or another network.
  case foreign(String)
}

/// Reads the facts of a compiled file in the order in which they were written.
///
/// No read reaches beyond the bytes, and no count that they state allocates more than there are
/// bytes.
package struct StoredReader {
  /// The memory that kernels read, in the order of ``StoredWriter/memories``.
  package let memories: [UnsafeRawBufferPointer]
  /// What keeps the bytes and ``memories`` alive.
  package let owner: StoredBytes
  private let facts: UnsafeRawBufferPointer
  private var position = 0

  package init(
    facts: UnsafeRawBufferPointer, memories: [UnsafeRawBufferPointer], owner: StoredBytes
  ) {
    (self.facts, self.memories, self.owner) = (facts, memories, owner)
  }

  /// The bytes that are left.
  package var remaining: Int { facts.count - position }

  /// Reads a fact of the type that the caller expects.
  package mutating func read<Value: StoredValue>(
    _ type: Value.Type = Value.self
  ) throws(StoredMisfit) -> Value { try Value(from: &self) }

  /// Reads a number of bytes, valid while ``owner`` exists.
  package mutating func bytes(_ count: Int) throws(StoredMisfit) -> UnsafeRawBufferPointer {
    guard count >= 0, count <= remaining else { throw .damaged }
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: facts[position..<position + count])
  }

  /// Reads a number of elements, each of which takes a byte or more.
  package mutating func count() throws(StoredMisfit) -> Int {
    let count = try read(Int.self)
    guard count >= 0, count <= remaining else { throw .damaged }
    return count
  }
}
