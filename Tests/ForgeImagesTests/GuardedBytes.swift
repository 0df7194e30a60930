import Foundation

/// Bytes at the end of a page, behind which every access ends the process.
final class GuardedBytes {
  private let base: UnsafeMutableRawPointer
  private let length: Int
  /// The bytes.
  let bytes: UnsafeRawBufferPointer

  /// Copies bytes; `nil` without memory.
  init?(_ bytes: [UInt8]) {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let whole = (bytes.count + page - 1) / page * page
    length = whole + page
    guard
      let base = mmap(
        nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      base != MAP_FAILED
    else { return nil }
    self.base = base
    let start = base + (whole - bytes.count)
    UnsafeMutableRawBufferPointer(start: start, count: bytes.count).copyBytes(from: bytes)
    self.bytes = UnsafeRawBufferPointer(start: start, count: bytes.count)
    guard mprotect(base + whole, page, PROT_NONE) == 0 else { return nil }
  }

  deinit { munmap(base, length) }
}
