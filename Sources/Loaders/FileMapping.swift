#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A regular file mapped into memory, read-only, for as long as the object lives.
///
/// The pages come from the system's page cache: nothing is copied, and processes that load the same
/// file share it. A file that another program cuts while it is mapped loses its last pages; reading
/// those would end the process (SIGBUS). ``withUnsafeBytes(in:_:)`` therefore looks at the size
/// again each time and throws when the file has shrunk; only a cut in the moment between that look
/// and the reading is not caught. Replacing a file (write another, rename it) is always safe.
final class FileMapping: Sendable {
  /// The path, as the user named it.
  let path: String
  /// The size in bytes when the file was mapped.
  let count: Int
  // Fixed after init and only ever read through: the pages are mapped PROT_READ.
  private nonisolated(unsafe) let start: UnsafeMutableRawPointer?
  private let device: UInt64
  private let inode: UInt64
  private let modified: timespec
  /// Of fewer bytes the pages are kept: they are not worth a system call.
  private static let leastReleasedBytes = 64 << 10

  /// Maps the file at `path`.
  init(path: String) throws(LoadError) {
    guard !path.utf8.contains(0) else { throw .badPath(path) }
    // O_NONBLOCK: opening a pipe must not wait for a writer.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .cannotOpen(path, errno) }
    defer { close(file) }
    var info = stat()
    guard fstat(file, &info) == 0 else { throw .cannotOpen(path, errno) }
    let form = info.st_mode & S_IFMT
    guard form == S_IFREG else { throw .notARegularFile(path, isFolder: form == S_IFDIR) }

    self.path = path
    self.count = Int(info.st_size)
    self.device = UInt64(info.st_dev)
    self.inode = UInt64(info.st_ino)
    self.modified = info.st_mtim
    guard count > 0 else {
      self.start = nil
      return
    }
    let address = mmap(nil, count, PROT_READ, MAP_PRIVATE, file, 0)
    guard let address, address != UnsafeMutableRawPointer(bitPattern: -1) else {
      throw .cannotOpen(path, errno)
    }
    self.start = address
  }

  deinit {
    if let start { munmap(start, count) }
  }

  /// All bytes, without a look at the file; valid while the mapping lives.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  /// Gives the bytes of `range` to `body`, after a look whether the file still has them.
  ///
  /// Their pages are let go of afterwards: they stay in the system's cache, but are no longer this process's.
  /// (A process that has loaded Inception-v3 is 93 MB smaller by it.)
  ///
  /// - Precondition: `range` lies within the file as it was mapped.
  func withUnsafeBytes<Result>(
    in range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    try verify()
    defer { letGo(of: range) }
    return try body(UnsafeRawBufferPointer(rebasing: bytes[range]))
  }

  /// Unmaps the pages that lie in a range as a whole; whoever reads them again gets them from the file again.
  private func letGo(of range: Range<Int>) {
    let page = max(Int(sysconf(Int32(_SC_PAGESIZE))), 1)
    let first = (range.lowerBound + page - 1) / page * page
    let last = range.upperBound / page * page
    guard let start, last - first >= Self.leastReleasedBytes else { return }
    madvise(start + first, last - first, MADV_DONTNEED)
  }

  /// Throws when the file has become shorter since it was mapped.
  func verify() throws(LoadError) {
    var info = stat()
    // Another file of that name, or none, says nothing about the pages that are mapped.
    guard stat(path, &info) == 0, UInt64(info.st_dev) == device, UInt64(info.st_ino) == inode
    else { return }
    guard Int(info.st_size) >= count else {
      throw .shrunk(path, received: Int(info.st_size), expected: count)
    }
  }

  /// Throws unless the path still leads to the file that was mapped, as it was then.
  ///
  /// For readers that open the path anew.
  func verifyUnchanged() throws(LoadError) {
    var info = stat()
    guard stat(path, &info) == 0 else { throw .cannotOpen(path, errno) }
    guard UInt64(info.st_dev) == device, UInt64(info.st_ino) == inode,
      Int(info.st_size) == count, info.st_mtim.tv_sec == modified.tv_sec,
      info.st_mtim.tv_nsec == modified.tv_nsec
    else { throw .changed(path) }
  }
}
