/// Floats whose allocation can fail with an error, whereas an array would terminate the process.
package final class FloatMemory {
  /// The floats, uninitialized at first and valid while this object exists.
  ///
  /// The compiler may release the object after its last use, so readers of the floats hold it with
  /// `withExtendedLifetime`.
  package let floats: UnsafeMutableBufferPointer<Float>
  /// The floats that the memory has room for, at least those that it holds.
  package let capacity: Int
  private let pool: FloatPool?

  /// Allocates `count` floats, or takes them from a pool to which they return.
  ///
  /// - Throws: ``NoMemory`` if the allocation fails.
  package init(count: Int, from pool: FloatPool? = nil) throws(NoMemory) {
    self.pool = pool
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Float>.stride)
    let start: UnsafeMutableRawPointer
    if let taken = pool?.take(count: count) {
      (start, capacity) = taken
    } else if !overflow, let new = AlignedMemory.allocate(byteCount: byteCount) {
      (start, capacity) = (new, count)
    } else {
      throw NoMemory(byteCount: overflow ? .max : byteCount)
    }
    floats = UnsafeMutableBufferPointer(
      start: start.bindMemory(to: Float.self, capacity: count), count: count)
  }

  /// Copies an array.
  ///
  /// - Throws: ``NoMemory`` if the allocation fails.
  package convenience init(_ values: [Float]) throws(NoMemory) {
    try self.init(count: values.count)
    _ = floats.update(fromContentsOf: values)
  }

  deinit {
    guard let start = floats.baseAddress else { return }
    if let pool { pool.give(start, capacity: capacity) } else { AlignedMemory.free(start) }
  }
}
