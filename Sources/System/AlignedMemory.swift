#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Memory aligned to 64 bytes (a cache line, an AVX-512 register), owned by whoever holds it.
///
/// Plans and packed parameters lie in it; a compiled model has no other raw memory.
package final class AlignedMemory: Sendable {
  /// The alignment in bytes.
  package static let alignment = 64

  /// Written only while it is created; freed by `deinit`, when nobody reads it any more.
  nonisolated(unsafe) private let base: UnsafeMutableRawBufferPointer
  /// Where the memory comes from, unless from the C library.
  private let pages: LargePages?

  /// Allocates `byteCount` bytes and lets `fill` write them; they are zeroed first if `isZeroed`.
  ///
  /// Large allocations come from `pages`.
  ///
  /// - Throws: ``NoMemory`` when the system refuses, and what `fill` throws.
  package init(
    byteCount: Int, isZeroed: Bool = true, pages: LargePages? = nil,
    fill: (UnsafeMutableRawBufferPointer) throws -> Void
  ) throws {
    if let pages, byteCount >= LargePages.leastBytes,
      let memory = pages.allocate(byteCount: byteCount)
    {
      base = UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
      self.pages = pages
      guard Self.leavesReserve(byteCount) else { throw NoMemory(byteCount: byteCount) }
    } else {
      guard let memory = Self.allocate(byteCount: byteCount) else {
        throw NoMemory(byteCount: byteCount)
      }
      base = UnsafeMutableRawBufferPointer(start: memory, count: max(byteCount, 1))
      self.pages = nil
    }
    if isZeroed { base.initializeMemory(as: UInt8.self, repeating: 0) }
    try fill(base)
  }

  deinit {
    if let pages { pages.free(base) } else { base.baseAddress.map { Self.free($0) } }
  }

  /// The number of bytes.
  package var byteCount: Int { base.count }

  /// The bytes, valid while this object lives.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(base) }

  /// The floats, valid while this object lives.
  package var floats: UnsafePointer<Float>? {
    UnsafePointer(base.baseAddress?.assumingMemoryBound(to: Float.self))
  }

  /// The floats, as the C type of the bases of a frame requires; a plan never writes constants.
  package var writableFloats: UnsafeMutablePointer<Float>? {
    base.baseAddress?.assumingMemoryBound(to: Float.self)
  }

  /// Uninitialised bytes, to be freed with ``free(_:)``; `nil` when the system refuses.
  ///
  /// Large allocations ask for large pages: see ``LargePages``.
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

  /// Uninitialised floats, to be freed with ``free(_:)``.
  ///
  /// - Throws: ``NoMemory`` when there is no memory of that size.
  package static func allocate(floatCount: Int) throws(NoMemory) -> UnsafeMutableRawPointer {
    let (byteCount, overflow) = floatCount.multipliedReportingOverflow(
      by: MemoryLayout<Float>.stride)
    guard !overflow, let memory = allocate(byteCount: byteCount) else {
      throw NoMemory(byteCount: overflow ? .max : byteCount)
    }
    return memory
  }

  /// Frees memory of ``allocate(byteCount:)``.
  package static func free(_ memory: UnsafeMutableRawPointer?) {
    releaseMemory(memory)
  }

  /// The bytes that a large allocation leaves for the small ones around it.
  private static let reserve = 16 << 20

  /// Whether memory remains for the small allocations that follow one of `byteCount` bytes.
  ///
  /// Swift ends a process when an object or array finds no memory. A large allocation is therefore
  /// refused while there is still enough to create and report the error.
  private static func leavesReserve(_ byteCount: Int) -> Bool {
    guard byteCount >= LargePages.leastBytes else { return true }
    return (try? MemoryProbe.check(byteCount: reserve)) != nil
  }

  /// `count` rounded up to a multiple of `unit`.
  package static func round(_ count: Int, to unit: Int) -> Int { (count + unit - 1) / unit * unit }
}

// Outside the class, where `free` is the C library's function.
private func releaseMemory(_ memory: UnsafeMutableRawPointer?) { free(memory) }
