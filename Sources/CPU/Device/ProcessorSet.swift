import CForgeKernels

/// A set of logical processors, identified by the kernel's numbers.
package struct ProcessorSet: Hashable, Sendable {
  /// The limit of processor numbers; no kernel supports as many processors.
  static let limit = 1 << 13

  /// The processor numbers.
  package var members: Set<Int>

  /// Creates the set with these numbers.
  package init(_ members: some Sequence<Int>) { self.members = Set(members) }

  /// Parses a list in the kernel's format, `0-3,8,10-11`; returns `nil` for any other text.
  package init?(list: String) {
    members = []
    for part in list.split(separator: ",") {
      let ends = part.trimmed.split(separator: "-", omittingEmptySubsequences: false)
      guard (1...2).contains(ends.count), let first = Int(ends[0]),
        let last = Int(ends[ends.count - 1]), first >= 0, first <= last, last < Self.limit
      else { return nil }
      members.formUnion(first...last)
    }
    guard !members.isEmpty else { return nil }
  }

  /// Creates the set of processors whose bits are set: processor i is bit i % 8 of byte i / 8.
  package init(mask: some Sequence<UInt8>) {
    members = []
    for (index, byte) in mask.enumerated() {
      for bit in 0..<8 where byte & 1 << UInt8(bit) != 0 { members.insert(index * 8 + bit) }
    }
  }

  /// Returns the processors that the calling thread may run on; `nil` if the system does not report
  /// them.
  static func affinity() -> ProcessorSet? {
    var mask = [UInt8](repeating: 0, count: limit / 8)
    let count = forge_affinity_mask(&mask, Int64(mask.count))
    guard count > 0 else { return nil }
    let set = ProcessorSet(mask: mask.prefix(Int(count)))
    return set.members.isEmpty ? nil : set
  }
}
