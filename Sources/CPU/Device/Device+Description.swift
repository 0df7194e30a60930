extension Device: CustomStringConvertible {
  /// The device as text, one fact per line.
  public var description: String {
    var lines = ["\(name) (\(kind.rawValue))"]
    lines.append("  instruction sets  \(instructionSets.joined(separator: ", "))")
    if !features.isEmpty { lines.append("  features          \(features.joined(separator: " "))") }
    lines.append("  cores             \(physicalCores) physical, \(logicalCores) logical")
    let quota = coresByQuota.map { "\($0) by quota" } ?? "no quota"
    lines.append(
      "  usable            \(usableCores) (\(coresByAffinity) by affinity, \(quota)), "
        + "\(usablePhysicalCores) physical")
    for cache in caches {
      let name = "L\(cache.level)" + (cache.kind == .data ? "d" : "")
      let padding = String(repeating: " ", count: max(18 - name.count, 1))
      let sharing = cache.sharedBy > 1 ? ", shared by \(cache.sharedBy) logical cores" : ""
      lines.append("  \(name)\(padding)\(cache.byteCount >> 10) KiB\(sharing)")
    }
    if let memoryByteCount {
      lines.append("  memory            \(memoryByteCount >> 20) MiB")
    }
    return lines.joined(separator: "\n")
  }
}
