import ForgeSystem

/// The version of a file by everything that the system notes when the file changes.
///
/// Every write sets the time of the last change, which no program can set back. The time advances
/// in steps, so a stamp tells of later changes only once it is ``isOld(_:)``.
package struct FileStamp: Hashable, Sendable {
  private let device, inode: UInt64
  private let count: Int
  private let modified, changed: [Int]

  /// The version of the regular file at a path, which may be a link; `nil` if there is none.
  package init?(path: String) {
    var info = stat()
    guard !path.utf8.contains(0), stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    self.init(info)
  }

  package init(_ info: stat) {
    (device, inode, count) = (UInt64(info.st_dev), UInt64(info.st_ino), Int(info.st_size))
    modified = [Int(info.st_mtim.tv_sec), Int(info.st_mtim.tv_nsec)]
    changed = [Int(info.st_ctim.tv_sec), Int(info.st_ctim.tv_nsec)]
  }

  /// The steps in which any file system notes times, in seconds, and some more.
  private static let longestStep = 3

  /// Whether a write to the file from a time on, in seconds, would have another stamp.
  package func isOld(at now: Int) -> Bool {
    max(modified[0], changed[0]) < now - Self.longestStep
  }

  /// Whether the file was written well before a time, in seconds.
  package func isWrittenBefore(_ now: Int) -> Bool { modified[0] < now - Self.longestStep }

  /// The numbers that make up the stamp.
  package var words: [Int] {
    [Int(truncatingIfNeeded: device), Int(truncatingIfNeeded: inode), count] + modified + changed
  }
}
