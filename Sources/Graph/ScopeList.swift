import Synchronization

/// The modules that made a tensor, outermost first: a list that grows at its front.
///
/// Any thread may read and extend it. It has no lock, which a fork could leave locked in the child.
struct ScopeList: ~Copyable, Sendable {
  private final class Link: Sendable {
    let use: ScopeUse
    let inner: Link?

    init(_ use: ScopeUse, inner: Link?) {
      self.use = use
      self.inner = inner
    }
  }

  /// The outermost link; the list owns it, and each link owns the one inside it.
  ///
  /// No link is released before the list, so that one that was read stays valid.
  private let outermost = Atomic<Unmanaged<Link>?>(nil)

  deinit { outermost.load(ordering: .acquiring)?.release() }

  /// The uses of modules.
  var uses: [ScopeUse] {
    var uses: [ScopeUse] = []
    var next = outermost.load(ordering: .acquiring)?.takeUnretainedValue()
    while let link = next {
      uses.append(link.use)
      next = link.inner
    }
    return uses
  }

  /// Adds a use around all others.
  func enclose(in use: ScopeUse) {
    var old = outermost.load(ordering: .acquiring)
    while true {
      let new = Unmanaged.passRetained(Link(use, inner: old?.takeUnretainedValue()))
      let (isDone, found) = outermost.compareExchange(
        expected: old, desired: new, ordering: .acquiringAndReleasing)
      if isDone {
        // The new link owns the old one.
        old?.release()
        return
      }
      new.release()
      old = found
    }
  }
}
