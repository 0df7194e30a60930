import ForgeRunner

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Large pages that come slowly.
//
// A virtual machine may give memory that it does not use back to its host, by whole large pages
// ("free page reporting", balloons). The next one to touch such a page waits until the host has
// found another: 2 to 5 ms on a virtual Zen 4, so that the 220 MB of Inception-v3 took 290 to 550
// ms, not 20. Small pages come from what the machine has kept, in 90 to 160 ms. So where large
// pages come slowly, memory is filled in small ones; when the model has been compiled they are put
// together to large ones in the background, which takes 200 to 400 ms.

extension LargePages {
  /// `MADV_POPULATE_WRITE`, Linux 5.14, and `MADV_COLLAPSE`, Linux 6.1; older systems refuse them.
  private static let populateWrite: Int32 = 23
  private static let collapse: Int32 = 25

  /// Takes the first page that begins in memory which is about to be written, and sees how long
  /// that takes; when it is long, the next one, too.
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
  package var isSettled: Bool { state.withLock { $0.ownMoves == nil } }

  /// Moves what was filled in small pages to large ones, in the background.
  ///
  /// It begins after a pause, in which whoever waits for a first prediction gets it. Memory can be
  /// used meanwhile; who touches a page that is moving waits for some milliseconds.
  package func moveToLargePages(after pause: Duration) {
    let begins = state.withLock { state in
      guard state.fillsSmallPages else { return false }
      // What has been filled since others began is behind them, maybe.
      let begins = state.ownMoves == nil
      state.ownMoves = begins ? .once : .again
      return begins
    }
    guard begins else { return }
    let isStarted = WorkerThread.start { [weak self] in
      usleep(useconds_t(clamping: Int(pause / .microseconds(1))))
      var index = 0
      // Whoever lets go of the memory need not wait for more than a page.
      while let pages = self {
        if pages.movePage(index) {
          index += 1
        } else if pages.state.withLock({ $0.isToMoveAgain() }) {
          index = 0
        } else {
          return
        }
      }
    }
    if !isStarted { state.withLock { $0.ownMoves = nil } }
  }

  /// Moves what was filled in small pages to large ones before it returns.
  package func moveToLargePagesNow() {
    guard fillsSmallPages else { return }
    var index = 0
    while movePage(index) { index += 1 }
  }

  /// Moves the `index`th page of all regions if it is in use as a whole; where the system refuses
  /// it stays.
  ///
  /// Not under the lock, for which everybody would wait: the region stays while this object does,
  /// and a page that is freed meanwhile may as well be a large one.
  ///
  /// - Returns: whether there is such a page.
  private func movePage(_ index: Int) -> Bool {
    guard let page = state.withLock({ $0.page(index) }) else { return false }
    guard !page.isPartlyFree else { return true }
    let start = UnsafeMutableRawPointer(bitPattern: page.address)
    madvise(start, Self.pageBytes, MADV_HUGEPAGE)
    madvise(start, Self.pageBytes, Self.collapse)
    return true
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

  /// The `index`th page of all regions; `nil` after the last.
  func page(_ index: Int) -> (address: Int, isPartlyFree: Bool)? {
    var offset = index * LargePages.pageBytes
    for region in regions {
      guard offset >= region.byteCount else {
        let page = region.address + offset
        return (page, region.free.contains { $0.overlaps(page..<page + LargePages.pageBytes) })
      }
      offset -= region.byteCount
    }
    return nil
  }

  /// Ends a round of all pages; gives whether there is to be another.
  mutating func isToMoveAgain() -> Bool {
    ownMoves = ownMoves == .again ? .once : nil
    return ownMoves != nil
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
