import Foundation

/// The resident memory of this process, as Linux reports it.
struct ProcessMemory: Encodable {
  /// The current bytes (VmRSS), including pages of mapped files that were read.
  let current: Int
  /// The peak bytes (VmHWM).
  let peak: Int

  /// The current state; zeros when the system does not report it.
  static func now() -> ProcessMemory {
    // This avoids Foundation, whose own allocations would distort the result.
    guard let file = fopen("/proc/self/status", "re") else { return ProcessMemory(text: "") }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 13)
    let count = fread(&bytes, 1, bytes.count, file)
    return ProcessMemory(text: String(decoding: bytes[..<count], as: UTF8.self))
  }

  /// Parses lines such as `VmRSS:   123 kB`.
  init(text: String) {
    func bytes(_ name: String) -> Int {
      let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
      let words = line?.split { $0 == " " || $0 == "\t" } ?? []
      return words.count > 1 ? (Int(words[1]) ?? 0) << 10 : 0
    }
    current = bytes("VmRSS:")
    peak = bytes("VmHWM:")
  }
}
