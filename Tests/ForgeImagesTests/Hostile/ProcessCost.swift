import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The memory and the processor time that work takes, for processes that do nothing else.
struct ProcessCost {
  /// The most bytes of memory at any time, less those at the start.
  let peakBytes: Int
  /// Seconds of processor time.
  let seconds: Double

  /// What `work` costs.
  init(of work: () throws -> Void) throws {
    // The peak becomes the present size.
    try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    let before = try Self.bytes("VmRSS")
    let start = clock()
    try work()
    seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
    peakBytes = try Self.bytes("VmHWM") - before
  }

  /// The bytes of address space that the process has.
  static func addressSpace() throws -> Int { try bytes("VmSize") }

  private static func bytes(_ field: String) throws -> Int {
    let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      .split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix(field + ":") }),
      let kilobytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) })
    else { throw CocoaError(.fileReadCorruptFile) }
    return kilobytes * 1024
  }
}
