import Foundation

/// The memory of this process that is in the machine's memory, as Linux counts it.
struct ProcessMemory: Encodable {
  /// Bytes now (VmRSS), pages of mapped files that were read among them.
  let current: Int
  /// The most bytes so far: VmHWM.
  let peak: Int

  /// Now; zeros where the system does not say.
  static func now() -> ProcessMemory {
    // Not a Foundation call: what reads must not itself take memory worth counting.
    guard let file = fopen("/proc/self/status", "re") else { return ProcessMemory(text: "") }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 13)
    let count = fread(&bytes, 1, bytes.count, file)
    return ProcessMemory(text: String(decoding: bytes[..<count], as: UTF8.self))
  }

  /// From lines like `VmRSS:   123 kB`.
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
