import ForgeOperations
import ForgeSystem

/// The memory of one prediction at a time, for inputs of changing sizes.
///
/// Its bytes are kept when the sizes change and replaced only by more of them. It is not
/// `Sendable`: its owner has exclusive access.
final class ReusableMemory {
  private var bytes: WorkspaceMemory?
  private var current: PredictionMemory?

  /// The memory for an executable, that of the previous prediction if it fits.
  ///
  /// - Throws: `NoMemory` if the allocation fails.
  func memory(
    for executable: any Executable, batch: Int = 1, threads: Int
  ) throws(NoMemory) -> PredictionMemory {
    if let current, current.executable === executable, current.maximumBatch >= batch {
      return current
    }
    // The runner of the previous sizes ends before its memory is used again.
    current = nil
    let needed = try Workspace.byteCount(of: executable, batch: batch)
    let bytes: WorkspaceMemory
    if let kept = self.bytes, kept.byteCount >= needed {
      bytes = kept
    } else {
      // Both are not held at once.
      self.bytes = nil
      bytes = try WorkspaceMemory(byteCount: needed)
      self.bytes = bytes
    }
    let memory = try PredictionMemory(
      executable, batch: batch, threads: threads, workspace: bytes)
    current = memory
    return memory
  }
}
