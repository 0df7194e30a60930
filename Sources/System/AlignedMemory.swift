/// Memory aligned to 64 bytes (a cache line, an AVX-512 register).
///
/// Plans and packed parameters use it; a compiled model has no other raw memory.
package final class AlignedMemory: Sendable {
  /// The alignment in bytes.
  package static let alignment = 64

  /// The memory, written only during initialization; `deinit` frees it, when no reader remains.
  nonisolated(unsafe) private let base: UnsafeMutableRawBufferPointer
  /// The allocator, unless it is the C library.
  private let pages: LargePages?

  /// Allocates `byteCount` bytes and calls `fill` to write them; zeroes them first if `isZeroed`.
  ///
  /// Large allocations come from `pages`.
  ///
  /// - Throws: ``NoMemory`` if the allocation fails, and errors of `fill`.
  package init(
    byteCount: Int, isZeroed: Bool = true, pages: LargePages? = nil,
    fill: (UnsafeMutableRawBufferPointer) throws -> Void
  ) throws {
    let isLarge = byteCount >= LargePages.leastBytes
    let large = isLarge ? pages?.allocate(byteCount: byteCount) : nil
    guard let memory = large ?? Self.allocate(byteCount: byteCount) else {
      throw NoMemory(byteCount: byteCount)
    }
    base = UnsafeMutableRawBufferPointer(start: memory, count: max(byteCount, 1))
    self.pages = large.flatMap { _ in pages }
    guard large == nil || Self.leavesReserve(byteCount) else {
      throw NoMemory(byteCount: byteCount)
    }
    if isZeroed { base.initializeMemory(as: UInt8.self, repeating: 0) }
    try fill(base)
  }

  deinit {
    if let pages { pages.free(base) } else { base.baseAddress.map { Self.free($0) } }
  }

  /// The number of bytes.
  package var byteCount: Int { base.count }

  /// The bytes, valid while this object exists.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(base) }

  /// The floats, valid while this object exists.
  package var floats: UnsafePointer<Float>? { UnsafePointer(writableFloats) }

  /// The floats with the mutable type that the C frame requires; a plan never writes constants.
  package var writableFloats: UnsafeMutablePointer<Float>? {
    base.baseAddress?.assumingMemoryBound(to: Float.self)
  }

  /// Allocates uninitialized bytes, to be freed with ``free(_:)``; returns `nil` on failure.
  ///
  /// Large allocations request large pages; see ``LargePages``.
  package static func allocate(byteCount: Int) -> UnsafeMutableRawPointer? {
    var memory: UnsafeMutableRawPointer?
    let page = LargePages.pageBytes
    let isLarge = byteCount >= page
    guard byteCount >= 0,
      posix_memalign(&memory, isLarge ? page : alignment, max(byteCount, 1)) == 0
    else { return nil }
    guard leavesReserve(byteCount) else {
      free(memory)
      return nil
    }
    if isLarge { madvise(memory, byteCount / page * page, MADV_HUGEPAGE) }
    return memory
  }

  /// Frees memory of ``allocate(byteCount:)``.
  package static func free(_ memory: UnsafeMutableRawPointer?) { releaseMemory(memory) }

  /// The bytes that a large allocation leaves for subsequent small ones.
  private static let reserve = 16 << 20

  /// Whether memory remains for the small allocations that follow one of `byteCount` bytes.
  ///
  /// Swift terminates the process if an object or array cannot be allocated. A large allocation is
  /// therefore refused while there is still enough memory to create and report the error.
  private static func leavesReserve(_ byteCount: Int) -> Bool {
    guard byteCount >= LargePages.leastBytes else { return true }
    return (try? MemoryProbe.check(byteCount: reserve)) != nil
  }

  /// Returns `count` rounded up to a multiple of `unit`.
  package static func round(_ count: Int, to unit: Int) -> Int { (count + unit - 1) / unit * unit }
}

// This is outside the class, so that `free` is the C library's function.
private func releaseMemory(_ memory: UnsafeMutableRawPointer?) { free(memory) }
