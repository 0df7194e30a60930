import ForgeShapes
import ForgeSystem

/// Checks the available memory before allocating space for values that a file claims to have.
///
/// Linux overcommits memory and may kill a process that uses it. A sparse file may claim any number
/// of values, so large allocations are first compared with the available memory.
package enum AvailableMemory {
  /// Smaller allocations are not checked.
  private static let leastCheckedBytes = 1 << 26
  private static let leastProbedBytes = 1 << 16

  /// Throws `outOfMemory` if this many bytes are not available.
  package static func check(_ byteCount: Int, for purpose: String) throws(LoadError) {
    guard byteCount >= leastCheckedBytes else { return }
    guard byteCount <= bytes else { throw .outOfMemory(purpose, byteCount: byteCount) }
  }

  /// Throws `outOfMemory` if the allocation of an array of this size would trap.
  static func checkArray(_ byteCount: Int, for purpose: String) throws(LoadError) {
    try check(byteCount, for: purpose)
    guard byteCount >= leastProbedBytes else { return }
    do { try MemoryProbe.check(byteCount: byteCount) } catch {
      throw .outOfMemory(purpose, byteCount: byteCount)
    }
  }

  /// The bytes of memory available on the machine or in its container, whichever is less.
  private static var bytes: Int {
    let pages = Int(sysconf(Int32(_SC_PHYS_PAGES)))
    let pageBytes = Int(sysconf(Int32(_SC_PAGESIZE)))
    let kilobytes = number(after: "MemAvailable:", in: "/proc/meminfo")
    return [
      pages > 0 && pageBytes > 0 ? pages.multipliedSaturated(by: pageBytes) : nil,
      kilobytes?.multipliedSaturated(by: 1024),
      number(after: "", in: "/sys/fs/cgroup/memory.max"),
    ].compactMap(\.self).min() ?? .max
  }

  /// The number that follows a label and spaces in a small system file.
  private static func number(after label: String, in path: String) -> Int? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    guard let start = label.isEmpty ? text.startIndex : text.firstRange(of: label)?.upperBound
    else { return nil }
    return Int(text[start...].drop { $0 == " " }.prefix(while: \.isNumber))
  }
}
