import ForgeSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The memory there is for values that a file claims to have.
///
/// The system promises more memory than there is, and ends a process that uses what it was
/// promised. A sparse file may claim any number of values, so a large allocation is compared with
/// what there is before it is made.
package enum AvailableMemory {
  /// Smaller allocations are left to the allocator.
  private static let leastCheckedBytes = 1 << 26
  private static let leastProbedBytes = 1 << 16

  /// Throws when so many bytes cannot be held.
  ///
  /// - Throws: ``LoadError`` of kind `outOfMemory`.
  package static func check(_ byteCount: Int, for purpose: String) throws(LoadError) {
    guard byteCount >= leastCheckedBytes else { return }
    guard byteCount <= bytes else { throw .outOfMemory(purpose, byteCount: byteCount) }
  }

  /// Throws when an array of so many bytes, which would trap, cannot be made.
  ///
  /// - Throws: ``LoadError`` of kind `outOfMemory`.
  static func checkArray(_ byteCount: Int, for purpose: String) throws(LoadError) {
    try check(byteCount, for: purpose)
    guard byteCount >= leastProbedBytes else { return }
    do { try MemoryProbe.check(byteCount: byteCount) } catch {
      throw .outOfMemory(purpose, byteCount: byteCount)
    }
  }

  /// The bytes that can be had without ending a process: of the machine, and of its container.
  private static var bytes: Int {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let size = sysconf(Int32(_SC_PAGESIZE))
    var least = pages > 0 && size > 0 ? LoadLimits.product(Int(pages), Int(size)) : Int.max
    if let text = text(of: "/proc/meminfo"),
      let kilobytes = number(after: "MemAvailable:", in: text)
    {
      least = min(least, LoadLimits.product(kilobytes, 1024))
    }
    if let text = text(of: "/sys/fs/cgroup/memory.max"), let most = number(after: "", in: text) {
      least = min(least, most)
    }
    return least
  }

  /// The first bytes of one of the system's small files.
  private static func text(of path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 1024)
    let count = text.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    return count > 0 ? Array(text.prefix(count)) : nil
  }

  /// The number that follows a label, after spaces.
  private static func number(after label: StaticString, in text: [UInt8]) -> Int? {
    label.withUTF8Buffer { label in
      for start in text.indices where text[start...].starts(with: label) {
        let rest = text[(start + label.count)...].drop { $0 == UInt8(ascii: " ") }
        let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        return Int(String(decoding: digits, as: UTF8.self))
      }
      return nil
    }
  }
}
