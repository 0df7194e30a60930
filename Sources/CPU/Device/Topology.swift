/// The online logical processors and the cores and caches that they share.
package struct Topology: Sendable {
  /// The processors that are online.
  let online: ProcessorSet
  /// The core of each processor, identified by its lowest-numbered processor.
  let cores: [Int: Int]
  /// The data and unified caches, smallest first.
  let caches: [Device.Cache]

  /// Reads /sys/devices/system/cpu, with /proc/cpuinfo as the fallback.
  init(_ files: SystemFiles, info: ProcessorInfo) {
    let folder = "/sys/devices/system/cpu"
    let online =
      files.line(folder + "/online").flatMap { ProcessorSet(list: $0) }
      ?? ProcessorSet(info.cores.isEmpty ? [0] : Set(info.cores.keys))
    self.online = online

    var first: [ProcessorInfo.Core: Int] = [:]
    var cores: [Int: Int] = [:]
    for processor in online.members.sorted() {
      let topology = folder + "/cpu\(processor)/topology"
      let siblings = files.line(topology + "/thread_siblings_list")
        .flatMap { ProcessorSet(list: $0) }?.members.intersection(online.members)
      if let least = siblings?.min() {
        cores[processor] = least
      } else {
        let core = info.cores[processor] ?? ProcessorInfo.Core(package: 0, number: processor)
        cores[processor] = first[core] ?? processor
        first[core] = first[core] ?? processor
      }
    }
    self.cores = cores
    caches = Self.caches(files, folder: folder, online: online)
  }

  /// Returns the number of physical cores among some processors.
  func coreCount(_ processors: ProcessorSet) -> Int {
    Set(processors.members.map { cores[$0] ?? $0 }).count
  }

  /// Returns the caches of the first online processor, with the number of processors sharing each.
  private static func caches(
    _ files: SystemFiles, folder: String, online: ProcessorSet
  ) -> [Device.Cache] {
    guard let processor = online.members.min() else { return [] }
    // No processor has ten caches.
    return (0..<10).compactMap { index -> Device.Cache? in
      let cache = folder + "/cpu\(processor)/cache/index\(index)"
      guard let level = files.number(cache + "/level"),
        let kind = files.line(cache + "/type").flatMap({
          Device.Cache.Kind(rawValue: $0.lowercased())
        }),
        let bytes = files.line(cache + "/size").flatMap({ size($0) })
      else { return nil }
      let sharing = files.line(cache + "/shared_cpu_list").flatMap { ProcessorSet(list: $0) }
      let shared = sharing?.members.intersection(online.members).count ?? 1
      return Device.Cache(level: level, kind: kind, byteCount: bytes, sharedBy: max(shared, 1))
    }.sorted { $0.level < $1.level }
  }

  /// Parses a size in bytes such as `48K`, `1M` or `4096`.
  package static func size(_ text: String) -> Int? {
    let scales: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    guard let last = text.last else { return nil }
    guard let scale = scales[last] else { return Int(text).flatMap { $0 > 0 ? $0 : nil } }
    guard let count = Int(text.dropLast()), count > 0 else { return nil }
    let product = count.multipliedReportingOverflow(by: scale)
    return product.overflow ? nil : product.partialValue
  }
}
