import ForgeSystem

/// The bytes of a workspace: allocated here, or a caller's.
///
/// Workspaces for inputs of different sizes may use the same bytes one after the other. The inputs
/// of custom layers may keep them alive.
package final class WorkspaceMemory {
  /// The first byte.
  package let start: UnsafeMutableRawPointer
  /// The number of bytes.
  package let byteCount: Int
  private let isOwned: Bool

  /// Allocates memory.
  ///
  /// - Throws: `NoMemory` if the allocation fails.
  package init(byteCount: Int) throws(NoMemory) {
    guard let start = AlignedMemory.allocate(byteCount: byteCount) else {
      throw NoMemory(byteCount: byteCount)
    }
    self.start = start
    self.byteCount = byteCount
    isOwned = true
  }

  /// Uses memory of a caller, which must outlive this object.
  package init(borrowing start: UnsafeMutableRawPointer, byteCount: Int) {
    self.start = start
    self.byteCount = byteCount
    isOwned = false
  }

  deinit { if isOwned { AlignedMemory.free(start) } }
}
