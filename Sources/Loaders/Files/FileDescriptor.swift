import ForgeShapes
import ForgeSystem

/// Identifies one version of a file.
package struct FileIdentity: Sendable, Hashable {
  /// The size in bytes.
  package let count: Int
  private let device: UInt64
  private let inode: UInt64
  private let seconds: Int
  private let nanoseconds: Int

  fileprivate init(_ info: stat) {
    count = Int(info.st_size)
    device = UInt64(info.st_dev)
    inode = UInt64(info.st_ino)
    seconds = Int(info.st_mtim.tv_sec)
    nanoseconds = Int(info.st_mtim.tv_nsec)
  }

  /// The version of the file as what holds values.
  var owner: ValueIdentity.Owner {
    .file(
      device: device, inode: inode, count: count, seconds: seconds, nanoseconds: nanoseconds)
  }

  /// Waits until a change to the file would change its modification time.
  ///
  /// File times advance in steps of a few milliseconds. A file that is opened and written again
  /// within one step would keep the same time.
  func waitUntilChangesShow() {
    for _ in 0..<Self.mostWaits {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME_COARSE, &now)
      let second = Int(now.tv_sec)
      // A time far in the future was set explicitly, so any change replaces it.
      guard seconds >= second, seconds - second <= 1 else { return }
      let ahead = (seconds - second) * 1_000_000_000 + nanoseconds - Int(now.tv_nsec)
      guard 0...Self.longestStep ~= ahead else { return }
      usleep(1000)
    }
  }

  private static let longestStep = 50_000_000
  private static let mostWaits = 50

  /// Whether both are versions of the same file.
  func isSameFile(as other: FileIdentity) -> Bool {
    device == other.device && inode == other.inode
  }
}

/// A regular file that is open for reading until the object is released.
package final class FileDescriptor: Sendable {
  private let path: String
  private let file: Int32

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - followsLinks: whether the path may be a symbolic link.
  ///   - isLogged: whether the present ``FileLog`` notes the file.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable` or `notARegularFile`.
  package init(
    path: String, followsLinks: Bool = true, isLogged: Bool = true
  ) throws(LoadError) {
    guard !path.utf8.contains(0) else { throw .badPath(path) }
    self.path = path
    // O_NONBLOCK: opening a pipe must not wait for a writer.
    let links = followsLinks ? 0 : O_NOFOLLOW
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | links)
    guard file >= 0 else {
      let code = errno
      if isLogged { FileLog.add(path, nil) }
      throw .cannotOpen(path, code)
    }
    let status = try status()
    let form = status.st_mode & S_IFMT
    if isLogged { FileLog.add(path, form == S_IFREG ? FileStamp(status) : nil) }
    guard form == S_IFREG else { throw .notARegularFile(path, isFolder: form == S_IFDIR) }
  }

  // If opening failed, the descriptor is -1 and closing it has no effect.
  deinit { close(file) }

  /// The current identity of the file; throws `unreadable`.
  package func identity() throws(LoadError) -> FileIdentity { FileIdentity(try status()) }

  /// The version of the file, which tells of any change; throws `unreadable`.
  package func stamp() throws(LoadError) -> FileStamp { FileStamp(try status()) }

  /// Whether nobody but the user of this process, or the administrator, owns the file; throws
  /// `unreadable`.
  package func isOwn() throws(LoadError) -> Bool { [0, geteuid()].contains(try status().st_uid) }

  /// Sets the times of the file to now, if the user may.
  package func touch() { _ = futimens(file, nil) }

  /// Reads bytes at an offset and returns their number, which is smaller at the end of the file.
  package func read(
    at offset: Int, into memory: UnsafeMutableRawBufferPointer
  ) throws(LoadError) -> Int {
    var found = 0
    while found < memory.count {
      // The system reads at most 2 GB at once.
      let piece = UnsafeMutableRawBufferPointer(rebasing: memory[found...].prefix(1 << 30))
      let count = pread(file, piece.baseAddress, piece.count, off_t(offset + found))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .cannotRead(path, errno) }
      if count == 0 { break }
      found += count
    }
    return found
  }

  /// The first bytes of the file, mapped; `nil` if the system refuses.
  package func mapped(_ count: Int) -> StoredBytes? { StoredBytes(mapping: file, count: count) }

  /// The path of the open file without symbolic links; `nil` where the system does not tell.
  ///
  /// It is that of the file which is open, whatever its name leads to by now.
  var realPath: String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = bytes.withUnsafeMutableBytes { memory in
      guard let start = memory.bindMemory(to: CChar.self).baseAddress else { return 0 }
      return readlink("/proc/self/fd/\(file)", start, memory.count)
    }
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }

  /// The bytes of a range that the file system stores; those in holes read as zeros.
  ///
  /// A file system that knows no holes stores all of them. Behind very many holes, nothing counts
  /// as stored.
  func storedBytes(in range: Range<Int>) -> Int {
    // The values of Linux for `SEEK_DATA` and `SEEK_HOLE`, which the C library hides.
    let (seekData, seekHole) = (Int32(3), Int32(4))
    var stored = 0
    var position = range.lowerBound
    for _ in 0..<Self.mostHoles {
      let data = Int(lseek(file, off_t(position), seekData))
      guard data >= 0 else { return errno == ENXIO ? stored : range.count }
      guard data < range.upperBound else { return stored }
      let hole = Int(lseek(file, off_t(data), seekHole))
      guard hole > data else { return range.count }
      stored += min(hole, range.upperBound) - data
      guard hole < range.upperBound else { return stored }
      position = hole
    }
    return stored
  }

  private static let mostHoles = 4096

  private func status() throws(LoadError) -> stat {
    var info = stat()
    guard fstat(file, &info) == 0 else { throw .cannotOpen(path, errno) }
    return info
  }
}
