#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Memory aligned to 64 bytes (a cache line, an AVX-512 register), owned by whoever holds it.
///
/// The only raw memory of a compiled model: plans and packed parameters lie in it.
package final class AlignedMemory: Sendable {
  /// The alignment in bytes.
  package static let alignment = 64

  /// Written while it is being made and only read afterwards; `deinit` frees it when nobody reads.
  nonisolated(unsafe) private let base: UnsafeMutableRawBufferPointer
  /// Where the memory comes from, unless from the C library.
  private let pages: LargePages?

  /// Makes `byteCount` bytes, zeroed unless `fill` writes every one of them, and lets `fill` write
  /// them.
  ///
  /// They lie in `pages` when there are enough of them.
  ///
  /// - Throws: ``NoMemory`` when the system gives none, and what `fill` throws.
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
  var floats: UnsafePointer<Float>? {
    UnsafePointer(base.baseAddress?.assumingMemoryBound(to: Float.self))
  }

  /// The floats as C sees the bases of a frame, which it writes only where a plan says so.
  var writableFloats: UnsafeMutablePointer<Float>? {
    base.baseAddress?.assumingMemoryBound(to: Float.self)
  }

  /// Bytes that are not written yet, for ``free(_:)``; `nil` when there is no memory of that size.
  ///
  /// Large ones ask for large pages: see ``LargePages``.
  static func allocate(byteCount: Int) -> UnsafeMutableRawPointer? {
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

  /// Floats that are not written yet, for ``free(_:)``.
  ///
  /// - Throws: ``NoMemory`` when there is no memory of that size.
  static func allocate(floatCount: Int) throws(NoMemory) -> UnsafeMutableRawPointer {
    let (byteCount, overflow) = floatCount.multipliedReportingOverflow(
      by: MemoryLayout<Float>.stride)
    guard !overflow, let memory = allocate(byteCount: byteCount) else {
      throw NoMemory(byteCount: overflow ? .max : byteCount)
    }
    return memory
  }

  /// Gives memory of ``allocate(byteCount:)`` back.
  static func free(_ memory: UnsafeMutableRawPointer?) {
    releaseMemory(memory)
  }

  /// The bytes that a large allocation leaves for the small ones around it.
  private static let reserve = 16 << 20

  /// Whether the system has memory for the small things that go with an allocation of so many
  /// bytes.
  ///
  /// Swift ends a process whose objects and arrays find no memory. So whoever asks for much is told
  /// that there is none before the last of it is gone, and the error can be made and reported.
  private static func leavesReserve(_ byteCount: Int) -> Bool {
    guard byteCount >= LargePages.leastBytes else { return true }
    let protection = PROT_READ | PROT_WRITE
    guard
      let memory = mmap(nil, reserve, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      memory != MAP_FAILED
    else { return false }
    munmap(memory, reserve)
    return true
  }

  /// `count` rounded up to a multiple of `unit`.
  static func round(_ count: Int, to unit: Int) -> Int { (count + unit - 1) / unit * unit }
}

// Outside the class, where `free` is the C library's function.
private func releaseMemory(_ memory: UnsafeMutableRawPointer?) { free(memory) }
