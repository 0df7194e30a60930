import ForgeSystem

/// Collects what a compiled file holds: facts, one after the other, and memory that kernels read.
package struct StoredWriter {
  /// The facts as bytes, little-endian.
  package private(set) var facts: [UInt8] = []
  /// The memory in order, each once.
  package private(set) var memories: [AlignedMemory] = []
  private var indices: [ObjectIdentifier: Int] = [:]

  package init() {}

  /// Adds a fact.
  package mutating func write(_ value: some StoredValue) { value.write(to: &self) }

  /// Adds bytes, of which a reader must know the number.
  package mutating func write(bytes: UnsafeRawBufferPointer) { facts += bytes }

  /// The index of memory, which is added if it is new.
  package mutating func index(of memory: AlignedMemory) -> Int {
    let id = ObjectIdentifier(memory)
    if let known = indices[id] { return known }
    indices[id] = memories.count
    memories.append(memory)
    return memories.count - 1
  }
}
