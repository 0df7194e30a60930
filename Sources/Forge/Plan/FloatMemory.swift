#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Floats for a moment, whose allocation may fail where an array's would end the process.
final class FloatMemory {
  /// The floats, which hold anything until they are written, valid while this object lives.
  ///
  /// The compiler ends it after its last use: who reads them holds it by `withExtendedLifetime`.
  let floats: UnsafeMutableBufferPointer<Float>

  /// Room for `count` floats.
  ///
  /// - Throws: ``NoMemory`` when there is none.
  init(count: Int) throws(NoMemory) {
    let start = try AlignedMemory.allocate(floatCount: count)
    floats = UnsafeMutableBufferPointer(
      start: start.bindMemory(to: Float.self, capacity: count), count: count)
  }

  /// A copy of an array.
  ///
  /// - Throws: ``NoMemory`` when there is none.
  convenience init(_ values: [Float]) throws(NoMemory) {
    try self.init(count: values.count)
    _ = floats.update(fromContentsOf: values)
  }

  deinit { floats.baseAddress.map { AlignedMemory.free($0) } }

  /// Sees whether there is memory for so many bytes more, which an array is about to take.
  ///
  /// The system is asked itself, because the compiler leaves out memory that is allocated and freed
  /// at once.
  ///
  /// - Throws: ``NoMemory`` when there is none.
  static func check(byteCount: Int) throws(NoMemory) {
    // An array has a head, and small ones come from what the process has.
    let (whole, overflow) = byteCount.addingReportingOverflow(1 << 16)
    guard !overflow,
      let probe = mmap(nil, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      probe != UnsafeMutableRawPointer(bitPattern: -1)
    else { throw NoMemory(byteCount: byteCount) }
    munmap(probe, whole)
  }
}
