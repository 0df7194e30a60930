import ForgeRunner

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Memory for parameters in pages of 2 MB, where the system has them.
///
/// A prediction reads each parameter about once, so that with pages of 4 KB it walks the page
/// tables for nearly every one, in a virtual machine those of the host as well. Measured on a
/// virtual Zen 4, 25×1024 by 1024×1024 with weights from memory: 87 GFLOP/s in pages of 4 KB, 109
/// in pages of 2 MB, 114 from the cache.
///
/// Where large pages come slowly, memory is filled in small ones first: see LargePages+Slow.swift.
package final class LargePages: Sendable {
  /// The bytes of a page.
  package static let pageBytes = 2 << 20
  /// What is smaller is better off elsewhere: it would hold a whole page.
  package static let leastBytes = 64 << 10
  /// Address space taken at once; pages that nobody has written to take no memory.
  private static let regionBytes = 32 << 20

  struct Region {
    let address, byteCount: Int
    /// What is free, in order, no two ranges touching.
    var free: [Range<Int>]
  }

  struct State {
    var regions: [Region] = []
    /// How many large pages came slowly, one after the other.
    var slowPages = 0
    /// Whether memory is filled in small pages from now on.
    var fillsSmallPages = false
    /// What is under way of moving memory to large pages.
    private var moves: Moves?

    /// The same, unless a thread of the process that this one was forked off was at it: it is not
    /// here.
    var ownMoves: Moves.Rounds? {
      get { moves.flatMap { $0.process == ForkCount.current ? $0.rounds : nil } }
      set { moves = newValue.map { Moves(rounds: $0, process: ForkCount.current) } }
    }
  }

  struct Moves {
    enum Rounds {
      /// All pages, one after the other; or once more after that.
      case once, again
    }

    let rounds: Rounds
    /// The process whose thread it is, as ``ForkCount``.
    let process: Int
  }

  let state = ForkSafe(State())
  /// The time above which a page comes slowly.
  let slowPage: Duration

  /// - Parameter slowPage: how long a page may take that does not come slowly. The system zeroes it
  ///   in 0.1 to 0.3 ms; a host that has to find it first takes 2 to 5.
  package init(slowPage: Duration = .milliseconds(1)) { self.slowPage = slowPage }

  deinit {
    state.withLock { state in
      for region in state.regions {
        munmap(UnsafeMutableRawPointer(bitPattern: region.address), region.byteCount)
      }
    }
  }

  /// The address space taken, in bytes: whole regions, whatever of them is free.
  package var reservedBytes: Int { state.withLock { $0.regions.reduce(0) { $0 + $1.byteCount } } }

  /// The bytes of that in use.
  package var usedBytes: Int {
    state.withLock {
      $0.regions.reduce(0) { $0 + $1.byteCount - $1.free.reduce(0) { $0 + $1.count } }
    }
  }

  /// The bytes that an allocation takes; `nil` when no memory has as many.
  private static func size(_ byteCount: Int) -> Int? {
    let (padded, overflow) = byteCount.addingReportingOverflow(AlignedMemory.alignment - 1)
    guard !overflow, byteCount >= 0 else { return nil }
    // No range is empty, so that each has an address of its own.
    return max(padded / AlignedMemory.alignment, 1) * AlignedMemory.alignment
  }

  /// Bytes aligned to a cache line, of any content; `nil` when there is no memory.
  package func allocate(byteCount: Int) -> UnsafeMutableRawPointer? {
    guard let size = Self.size(byteCount) else { return nil }
    let address = state.withLock { state -> Int? in
      for index in state.regions.indices {
        if let address = state.regions[index].take(size) { return address }
      }
      guard var region = Region(byteCount: max(size, Self.regionBytes)) else { return nil }
      if state.fillsSmallPages {
        Self.fillSmallPages(region.address..<region.address + region.byteCount)
      }
      let address = region.take(size)
      state.regions.append(region)
      return address
    }
    guard let address else { return nil }
    watch(address..<address + size)
    return UnsafeMutableRawPointer(bitPattern: address)
  }

  /// Gives bytes of ``allocate(byteCount:)`` back; whole pages of them go to the system.
  package func free(_ memory: UnsafeMutableRawBufferPointer) {
    guard let base = memory.baseAddress, let size = Self.size(memory.count) else { return }
    let address = Int(bitPattern: base)
    state.withLock { state in
      guard let index = state.regions.firstIndex(where: { $0.contains(address) }) else { return }
      let range = address..<address + size
      state.regions[index].give(range)
      if state.fillsSmallPages { Self.fillSmallPages(range) }
    }
  }
}

extension LargePages.Region {
  /// Address space of at least this size; `nil` when there is none.
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
    // Aligned to a page: what sticks out on both sides is given back.
    let start = Int(bitPattern: base)
    address = AlignedMemory.round(start, to: page)
    self.byteCount = size
    if address > start { munmap(base, address - start) }
    let rest = start + padded - (address + size)
    if rest > 0 { munmap(UnsafeMutableRawPointer(bitPattern: address + size), rest) }
    // Where the system knows no such pages, the small ones do.
    madvise(UnsafeMutableRawPointer(bitPattern: address), size, MADV_HUGEPAGE)
    free = [address..<address + size]
  }

  /// Whether an address lies in it.
  func contains(_ address: Int) -> Bool {
    self.address <= address && address < self.address + byteCount
  }

  /// The first free range that holds `size` bytes, shortened by them.
  mutating func take(_ size: Int) -> Int? {
    guard let index = free.firstIndex(where: { $0.count >= size }) else { return nil }
    let range = free[index]
    if range.count == size {
      free.remove(at: index)
    } else {
      free[index] = range.lowerBound + size..<range.upperBound
    }
    return range.lowerBound
  }

  /// Makes a range free again, together with what is free beside it.
  mutating func give(_ range: Range<Int>) {
    var range = range
    let index = free.firstIndex { $0.lowerBound > range.lowerBound } ?? free.endIndex
    var replaced = index..<index
    if index < free.endIndex, free[index].lowerBound == range.upperBound {
      range = range.lowerBound..<free[index].upperBound
      replaced = index..<index + 1
    }
    if index > 0, free[index - 1].upperBound == range.lowerBound {
      range = free[index - 1].lowerBound..<range.upperBound
      replaced = index - 1..<replaced.upperBound
    }
    free.replaceSubrange(replaced, with: [range])
    let page = LargePages.pageBytes
    let first = AlignedMemory.round(range.lowerBound, to: page)
    let last = range.upperBound / page * page
    if first < last {
      madvise(UnsafeMutableRawPointer(bitPattern: first), last - first, MADV_DONTNEED)
    }
  }
}
