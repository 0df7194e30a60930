import Dispatch
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
    guard state.withLock({ !$0.fillsSmallPages }) else { return }
    let first = AlignedMemory.round(range.lowerBound, to: Self.pageBytes)
    for page in stride(from: first, to: range.upperBound, by: Self.pageBytes) {
      let clock = ContinuousClock()
      let start = clock.now
      guard madvise(UnsafeMutableRawPointer(bitPattern: page), 1 << 12, Self.populateWrite) == 0
      else { return }
      let isSlow = clock.now - start > slowPage
      let goesOn = state.withLock { state in
        state.slowPages = isSlow ? state.slowPages + 1 : 0
        // One may be slow because somebody else had the core.
        guard state.slowPages == 2 else { return isSlow && !state.fillsSmallPages }
        state.fillsSmallPages = true
        if let region = state.regions.first(where: { $0.contains(page) }) {
          region.fillSmallPages(from: page + Self.pageBytes)
        }
        return false
      }
      if !goesOn { return }
    }
  }

  /// Moves what was filled in small pages to large ones, in the background.
  ///
  /// It begins after a pause, in which whoever waits for a first prediction gets it. Memory can be used meanwhile; who
  /// touches a page that is moving waits for some milliseconds.
  package func moveToLargePages(after pause: DispatchTimeInterval = .milliseconds(500)) {
    let begins = state.withLock { state in
      guard state.fillsSmallPages, !state.isMoving else { return false }
      state.isMoving = true
      return true
    }
    guard begins else { return }
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + pause) { [weak self] in
      // Whoever lets go of the memory need not wait for more than a page.
      var next: Int? = 0
      while let page = next {
        guard let self else { return }
        next = self.movePage(page)
      }
    }
  }

  /// Whether memory is filled in small pages, because large ones came slowly.
  package var fillsSmallPages: Bool { state.withLock { $0.fillsSmallPages } }

  /// Whether all memory that may be in large pages is.
  package var isSettled: Bool { state.withLock { !$0.isMoving } }

  /// Moves the `index`th page of all regions if it is in use as a whole; gives the next one's index.
  private func movePage(_ index: Int) -> Int? {
    state.withLock { state in
      var offset = index * Self.pageBytes
      let region = state.regions.first { region in
        guard offset >= region.byteCount else { return true }
        offset -= region.byteCount
        return false
      }
      guard let region else {
        state.isMoving = false
        return nil
      }
      let page = region.address + offset..<region.address + offset + Self.pageBytes
      guard !region.free.contains(where: { $0.overlaps(page) }) else { return index + 1 }
      let start = UnsafeMutableRawPointer(bitPattern: page.lowerBound)
      madvise(start, Self.pageBytes, MADV_HUGEPAGE)
      if madvise(start, Self.pageBytes, Self.collapse) != 0, errno == EINVAL {
        // A system that cannot: small pages it is.
        state.isMoving = false
        return nil
      }
      return index + 1
    }
  }
}

extension LargePages.Region {
  /// What is written from here on comes in small pages.
  func fillSmallPages(from start: Int) {
    let end = address + byteCount
    guard start < end else { return }
    madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, MADV_NOHUGEPAGE)
  }
}
