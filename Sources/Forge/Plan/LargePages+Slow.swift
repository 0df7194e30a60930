import ForgeRunner
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Large pages that come slowly.
//
// A virtual machine may give memory that it does not use back to its host, by whole large pages ("free page
// reporting", balloons). The next one to touch such a page waits until the host has found another: 2 to 5 ms on a
// virtual Zen 4, so that the 220 MB of Inception-v3 took 290 to 550 ms, not 20. Small pages come from what the machine
// has kept, in 90 to 160 ms. So where large pages come slowly, memory is filled in small ones; when the model has
// been compiled they are put together to large ones in the background, which takes 200 to 400 ms.

extension LargePages {
  /// `MADV_POPULATE_WRITE`, Linux 5.14, and `MADV_COLLAPSE`, Linux 6.1; older systems refuse them.
  private static let populateWrite: Int32 = 23
  private static let collapse: Int32 = 25

  /// Takes the first page that begins in memory which is about to be written, and sees how long that takes; when it
  /// is long, the next one, too.
  func watch(_ range: Range<Int>) {
    guard !fillsSmallPages else { return }
    let first = AlignedMemory.round(range.lowerBound, to: Self.pageBytes)
    for page in stride(from: first, to: range.upperBound, by: Self.pageBytes) {
      let clock = ContinuousClock()
      let start = clock.now
      guard madvise(UnsafeMutableRawPointer(bitPattern: page), 1 << 12, Self.populateWrite) == 0
      else { return }
      let time = clock.now - start
      guard state.withLock({ $0.took(time, slow: slowPage) }) else { return }
    }
  }

  /// Whether memory is filled in small pages, because large ones came slowly.
  package var fillsSmallPages: Bool { state.withLock { $0.fillsSmallPages } }

  /// Whether nothing is to move to large pages, or all of it has.
  package var isSettled: Bool { state.withLock { $0.moves == nil } }

  /// Moves what was filled in small pages to large ones, in the background.
  ///
  /// It begins after a pause, in which whoever waits for a first prediction gets it. Memory can be used meanwhile; who
  /// touches a page that is moving waits for some milliseconds.
  package func moveToLargePages(after pause: Duration) {
    let begins = state.withLock { state in
      guard state.fillsSmallPages else { return false }
      // What has been filled since others began is behind them, maybe.
      let begins = state.moves == nil
      state.moves = begins ? .once : .again
      return begins
    }
    guard begins else { return }
    let microseconds = useconds_t(clamping: pause.components.attoseconds / 1_000_000_000_000)
    let isStarted = WorkerThread.start { [weak self] in
      usleep(microseconds)
      // Whoever lets go of the memory need not wait for more than a page.
      var page: Int? = 0
      while let next = page { page = self?.move(next) }
    }
    if !isStarted { state.withLock { $0.moves = nil } }
  }

  /// Moves what was filled in small pages to large ones before it returns.
  package func moveToLargePagesNow() {
    guard fillsSmallPages else { return }
    for index in 0... {
      switch page(index) {
      case .inUse(let address): Self.move(address)
      case .partlyFree: continue
      case nil: return
      }
    }
  }

  /// Moves a page; gives the next one's index.
  private func move(_ index: Int) -> Int? {
    switch page(index) {
    case .inUse(let address): Self.move(address)
    case .partlyFree: break
    case nil:
      return state.withLock { state in
        state.moves = state.moves == .again ? .once : nil
        return state.moves == nil ? nil : 0
      }
    }
    return index + 1
  }

  private enum Page {
    case inUse(Int), partlyFree
  }

  /// The `index`th page of all regions; `nil` after the last.
  private func page(_ index: Int) -> Page? {
    state.withLock { state in
      var offset = index * Self.pageBytes
      for region in state.regions {
        guard offset >= region.byteCount else {
          let page = region.address + offset
          let isFree = region.free.contains { $0.overlaps(page..<page + Self.pageBytes) }
          return isFree ? .partlyFree : .inUse(page)
        }
        offset -= region.byteCount
      }
      return nil
    }
  }

  /// Moves the page at an address, or leaves it where the system refuses.
  ///
  /// Not under the lock, which a child of a fork would never get: the region stays while this object does, and a page
  /// that is freed meanwhile may as well be a large one.
  private static func move(_ page: Int) {
    let start = UnsafeMutableRawPointer(bitPattern: page)
    madvise(start, pageBytes, MADV_HUGEPAGE)
    madvise(start, pageBytes, collapse)
  }
}

extension LargePages.State {
  /// Notes the time that a large page took; gives whether the next one is to be watched, too.
  mutating func took(_ time: Duration, slow: Duration) -> Bool {
    slowPages = time > slow ? slowPages + 1 : 0
    guard slowPages > 0, !fillsSmallPages else { return false }
    // A page may take a while because somebody else had the core, but not often so long.
    guard slowPages == 2 || time > slow * 2 else { return true }
    fillsSmallPages = true
    for region in regions {
      for range in region.free { LargePages.fillSmallPages(range) }
    }
    return false
  }
}

extension LargePages {
  /// What is written to whole pages of a range comes in small ones.
  static func fillSmallPages(_ range: Range<Int>) {
    let first = AlignedMemory.round(range.lowerBound, to: pageBytes)
    let last = range.upperBound / pageBytes * pageBytes
    guard first < last else { return }
    madvise(UnsafeMutableRawPointer(bitPattern: first), last - first, MADV_NOHUGEPAGE)
  }
}
