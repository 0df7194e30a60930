import ForgeOperations
import ForgeSystem

/// The pointers in the arguments of a plan, which have other values in another process.
///
/// Nothing states which words of the arguments are pointers. They are the words that differ between
/// two plans of one network, each with packed parameters of its own: all else follows from the
/// network alone. So no number is ever mistaken for a pointer, whatever its value.
struct MemoryReferences {
  /// A pointer into packed memory.
  struct Reference: StoredValue {
    /// The distance of the pointer from the start of all arguments in bytes.
    let place: Int
    /// The index of the memory that it points into.
    let memory: Int
    /// The distance from the start of that memory in bytes.
    let offset: Int

    func write(to writer: inout StoredWriter) {
      writer.write(place)
      writer.write(memory)
      writer.write(offset)
    }
  }

  let references: [Reference]

  /// Compares the arguments of two plans; `nil` if they differ in anything but pointers.
  init?(
    _ arguments: UnsafeRawBufferPointer, into retained: [AlignedMemory],
    twin: UnsafeRawBufferPointer, into others: [AlignedMemory]
  ) {
    let word = MemoryLayout<UInt>.size
    guard arguments.count == twin.count, retained.count == others.count,
      zip(retained, others).allSatisfy({ $0.byteCount == $1.byteCount })
    else { return nil }
    let (own, other) = (Places(retained), Places(others))
    var references: [Reference] = []
    for place in stride(from: 0, through: arguments.count - word, by: word) {
      let address = arguments.load(fromByteOffset: place, as: UInt.self)
      let twinAddress = twin.load(fromByteOffset: place, as: UInt.self)
      if address == twinAddress { continue }
      guard let found = own.place(of: address), let same = other.place(of: twinAddress),
        found == same
      else { return nil }
      references.append(Reference(place: place, memory: found.memory, offset: found.offset))
    }
    self.references = references
  }

  /// Pieces of memory in the order of their addresses.
  private struct Places {
    struct Place: Hashable { let memory, offset: Int }

    private let pieces: [(start: UInt, index: Int, byteCount: Int)]

    init(_ memories: [AlignedMemory]) {
      var first: [ObjectIdentifier: Int] = [:]
      for (index, memory) in memories.enumerated() where first[ObjectIdentifier(memory)] == nil {
        first[ObjectIdentifier(memory)] = index
      }
      pieces = first.values.map { index in
        let bytes = memories[index].bytes
        return (UInt(bitPattern: bytes.baseAddress), index, bytes.count)
      }.sorted { $0.start < $1.start }
    }

    /// The piece that an address is in, its end included.
    func place(of address: UInt) -> Place? {
      // The first piece behind the address.
      var range = pieces.indices
      while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
        if pieces[middle].start > address {
          range = range.lowerBound..<middle
        } else {
          range = middle + 1..<range.upperBound
        }
      }
      guard range.lowerBound > 0 else { return nil }
      let piece = pieces[range.lowerBound - 1]
      let offset = Int(address - piece.start)
      return offset <= piece.byteCount ? Place(memory: piece.index, offset: offset) : nil
    }
  }
}

extension MemoryReferences.Reference {
  init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(
      place: try reader.read(), memory: try reader.read(), offset: try reader.read())
  }
}
