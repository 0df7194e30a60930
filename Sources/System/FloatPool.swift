/// Memory that a ``FloatMemory`` leaves to the next one.
///
/// The system clears the pages of new memory, which takes longer than reading a file into them. One
/// piece of up to ``mostBytes`` is kept until the pool is closed.
package final class FloatPool: Sendable {
  /// The largest piece that is kept, in bytes.
  package static let mostBytes = 32 << 20

  private struct Spare {
    /// The address of the kept piece; 0 if there is none.
    var address = 0
    var count = 0
    var isOpen = true
  }

  private let spare = ForkSafe(Spare())

  /// Creates an empty pool.
  package init() {}

  deinit { close() }

  /// Frees the kept piece; pieces returned later are freed at once.
  package func close() {
    let address = spare.withLock { spare in
      defer { spare = Spare(isOpen: false) }
      return spare.address
    }
    UnsafeMutableRawPointer(bitPattern: address).map { AlignedMemory.free($0) }
  }

  /// Takes the kept piece if it has room for `count` floats, and frees it if it is too small.
  func take(count: Int) -> (start: UnsafeMutableRawPointer, capacity: Int)? {
    let taken = spare.withLock { spare in
      defer { spare = Spare(isOpen: spare.isOpen) }
      return spare
    }
    guard let start = UnsafeMutableRawPointer(bitPattern: taken.address) else { return nil }
    if taken.count >= count { return (start, taken.count) }
    AlignedMemory.free(start)
    return nil
  }

  /// Keeps a piece if it is larger than the kept one; frees the other.
  func give(_ start: UnsafeMutableRawPointer, capacity: Int) {
    let freed = spare.withLock { spare in
      let address = Int(bitPattern: start)
      guard spare.isOpen, capacity > spare.count,
        capacity <= Self.mostBytes / MemoryLayout<Float>.stride
      else { return address }
      defer { (spare.address, spare.count) = (address, capacity) }
      return spare.address
    }
    UnsafeMutableRawPointer(bitPattern: freed).map { AlignedMemory.free($0) }
  }
}
