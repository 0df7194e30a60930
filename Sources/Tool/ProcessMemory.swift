import ForgeSystem

/// The resident memory of this process, as Linux reports it.
struct ProcessMemory: Encodable {
  /// The current bytes (VmRSS), including resident pages of memory-mapped files.
  let current: Int
  /// The peak bytes (VmHWM).
  let peak: Int

  /// Reads the current values; zeros if the system does not report them.
  init() {
    // This avoids Foundation, whose own allocations would distort the result.
    var text = [UInt8](repeating: 0, count: 1 << 13)
    var count = 0
    if let file = fopen("/proc/self/status", "re") {
      count = fread(&text, 1, text.count, file)
      fclose(file)
    }
    let lines = String(decoding: text[..<count], as: UTF8.self).split(separator: "\n")
    // Parses lines such as `VmRSS:   123 kB`.
    func bytes(_ name: String) -> Int {
      let words = lines.first { $0.hasPrefix(name) }?.split { $0 == " " || $0 == "\t" } ?? []
      return words.count > 1 ? (Int(words[1]) ?? 0) << 10 : 0
    }
    current = bytes("VmRSS:")
    peak = bytes("VmHWM:")
  }
}
