/// Floats whose allocation can fail with an error, whereas an array would terminate the process.
package final class FloatMemory {
  /// The floats, uninitialized at first and valid while this object exists.
  ///
  /// The compiler may release the object after its last use, so readers of the floats hold it with
  /// `withExtendedLifetime`.
  package let floats: UnsafeMutableBufferPointer<Float>

  /// Allocates `count` floats.
  ///
  /// - Throws: ``NoMemory`` if the allocation fails.
  package init(count: Int) throws(NoMemory) {
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Float>.stride)
    guard !overflow, let start = AlignedMemory.allocate(byteCount: byteCount) else {
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

  deinit { floats.baseAddress.map { AlignedMemory.free($0) } }
}
