#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Tests whether the system grants memory, before an array traps because it does not.
package enum MemoryProbe {
  /// Tests an allocation of `byteCount` bytes.
  ///
  /// It maps and unmaps them: the compiler removes a `malloc` that is freed at once.
  ///
  /// - Throws: ``NoMemory`` when the system refuses.
  package static func check(byteCount: Int) throws(NoMemory) {
    // An array has a header besides its elements, and the allocator rounds up.
    let (whole, overflow) = byteCount.addingReportingOverflow(1 << 16)
    guard !overflow,
      let probe = mmap(nil, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      probe != UnsafeMutableRawPointer(bitPattern: -1)
    else { throw NoMemory(byteCount: byteCount) }
    munmap(probe, whole)
  }
}
