import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The one file of the process, in memory, for readers that take paths.
enum ScratchFile {
  private static let file: Int32 = {
    var name = Array("/dev/shm/forge-fuzz-XXXXXX".utf8CString)
    let file = mkstemp(&name)
    guard file >= 0 else { fatalError("/dev/shm cannot be written to") }
    unlink(name)
    return file
  }()

  /// The path of a file with these bytes.
  static func path(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard ftruncate(file, 0) == 0,
      bytes.isEmpty || pwrite(file, bytes.baseAddress, bytes.count, 0) == bytes.count
    else { fatalError("/dev/shm is full") }
    // Of a file that looks new a reader waits until changes would show.
    let old = timespec(tv_sec: 1_000_000_000, tv_nsec: 0)
    guard futimens(file, [old, old]) == 0 else { fatalError("the time cannot be set") }
    return "/proc/self/fd/\(file)"
  }
}
