/// Tests whether memory is available, because an array traps if it is not.
package enum MemoryProbe {
  /// Tests an allocation of `byteCount` bytes.
  ///
  /// It maps and unmaps memory, because the compiler removes a `malloc` that is freed immediately.
  ///
  /// - Throws: ``NoMemory`` if the mapping fails.
  package static func check(byteCount: Int) throws(NoMemory) {
    // An array has a header, and the allocator rounds up.
    let (probedBytes, overflow) = byteCount.addingReportingOverflow(1 << 16)
    guard !overflow,
      let probe = mmap(
        nil, probedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      probe != MAP_FAILED
    else { throw NoMemory(byteCount: byteCount) }
    munmap(probe, probedBytes)
  }
}
