/// Floats whose allocation may fail, where an array's would end the process.
package final class FloatMemory {
  /// The floats, of undefined value until they are written, valid while this object lives.
  ///
  /// The compiler may release the object after its last use, so readers of the floats hold it with
  /// `withExtendedLifetime`.
  package let floats: UnsafeMutableBufferPointer<Float>

  /// Room for `count` floats.
  ///
  /// - Throws: ``NoMemory`` when there is none.
  package init(count: Int) throws(NoMemory) {
    let start = try AlignedMemory.allocate(floatCount: count)
    floats = UnsafeMutableBufferPointer(
      start: start.bindMemory(to: Float.self, capacity: count), count: count)
  }

  /// A copy of an array.
  ///
  /// - Throws: ``NoMemory`` when there is none.
  package convenience init(_ values: [Float]) throws(NoMemory) {
    try self.init(count: values.count)
    _ = floats.update(fromContentsOf: values)
  }

  deinit { floats.baseAddress.map { AlignedMemory.free($0) } }
}
