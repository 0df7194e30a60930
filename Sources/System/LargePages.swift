/// Memory for parameters in 2 MB pages, if the system supports them.
///
/// A prediction reads each parameter about once. With 4 KB pages, nearly every cache line requires
/// a page table walk, and in a virtual machine a walk of the host's tables too.
/// Docs/Engine/Measurements.md has the measurement.
package final class LargePages: Sendable {
  /// The bytes of a page.
  package static let pageBytes = 2 << 20
  /// The minimum size of an allocation in large pages.
  package static let leastBytes = 64 << 10
  /// The address space reserved at a time; untouched pages take no memory.
  private static let regionBytes = 32 << 20

  struct Region {
    let address, byteCount: Int
    var free: RangeSet<Int>
  }

  private let regions = ForkSafe<[Region]>([])

  /// Creates an empty set of regions.
  package init() {}

  deinit {
    regions.withLock { regions in
      for region in regions {
        munmap(UnsafeMutableRawPointer(bitPattern: region.address), region.byteCount)
      }
    }
  }

  /// The reserved address space in bytes, including free ranges.
  package var reservedBytes: Int { regions.withLock { $0.reduce(0) { $0 + $1.byteCount } } }

  /// The bytes in use.
  package var usedBytes: Int {
    regions.withLock {
      $0.reduce(0) { $0 + $1.byteCount - $1.free.ranges.reduce(0) { $0 + $1.count } }
    }
  }

  /// Returns the bytes that an allocation takes; `nil` if the number overflows.
  private static func size(_ byteCount: Int) -> Int? {
    let (padded, overflow) = byteCount.addingReportingOverflow(AlignedMemory.alignment - 1)
    guard !overflow, byteCount >= 0 else { return nil }
    // Each allocation takes at least one unit, so that its address is unique.
    return max(padded / AlignedMemory.alignment, 1) * AlignedMemory.alignment
  }

  /// Allocates uninitialized bytes aligned to a cache line; returns `nil` on failure.
  package func allocate(byteCount: Int) -> UnsafeMutableRawPointer? {
    guard let size = Self.size(byteCount) else { return nil }
    let address = regions.withLock { regions -> Int? in
      for index in regions.indices {
        if let address = regions[index].take(size) { return address }
      }
      guard var region = Region(byteCount: max(size, Self.regionBytes)) else { return nil }
      let address = region.take(size)
      regions.append(region)
      return address
    }
    return address.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
  }

  /// Frees bytes of ``allocate(byteCount:)`` and returns whole pages to the system.
  package func free(_ memory: UnsafeMutableRawBufferPointer) {
    guard let base = memory.baseAddress, let size = Self.size(memory.count) else { return }
    let address = Int(bitPattern: base)
    regions.withLock { regions in
      guard let index = regions.firstIndex(where: { $0.contains(address) }) else { return }
      let range = address..<address + size
      regions[index].give(range)
    }
  }
}

extension LargePages.Region {
  /// Reserves at least this much address space; returns `nil` on failure.
  init?(byteCount: Int) {
    let page = LargePages.pageBytes
    let (padded, overflow) = byteCount.addingReportingOverflow(2 * page)
    if overflow { return nil }
    let size = AlignedMemory.round(byteCount, to: page)
    guard
      let base = mmap(
        nil, padded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
      base != MAP_FAILED
    else { return nil }
    // Unmaps the parts outside the page boundaries.
    let start = Int(bitPattern: base)
    address = AlignedMemory.round(start, to: page)
    self.byteCount = size
    if address > start { munmap(base, address - start) }
    let rest = start + padded - (address + size)
    if rest > 0 { munmap(UnsafeMutableRawPointer(bitPattern: address + size), rest) }
    // This fails on systems without large pages, which use small ones instead.
    madvise(UnsafeMutableRawPointer(bitPattern: address), size, MADV_HUGEPAGE)
    free = RangeSet(address..<address + size)
  }

  func contains(_ address: Int) -> Bool {
    self.address <= address && address < self.address + byteCount
  }

  /// Removes `size` bytes from the first free range that is large enough and returns their address.
  mutating func take(_ size: Int) -> Int? {
    guard let start = free.ranges.first(where: { $0.count >= size })?.lowerBound else { return nil }
    free.remove(contentsOf: start..<start + size)
    return start
  }

  /// Frees a range and returns whole pages around it to the system.
  mutating func give(_ range: Range<Int>) {
    free.insert(contentsOf: range)
    // The set has joined it with adjacent free ranges.
    guard let joined = free.ranges.first(where: { $0.contains(range.lowerBound) }) else { return }
    let page = LargePages.pageBytes
    let first = AlignedMemory.round(joined.lowerBound, to: page)
    let last = joined.upperBound / page * page
    if first < last {
      madvise(UnsafeMutableRawPointer(bitPattern: first), last - first, MADV_DONTNEED)
    }
  }
}
