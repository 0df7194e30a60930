import ForgeOperations

/// A device that computes predictions: the processor of this machine.
///
/// A device is a value that describes the machine at the time ``all`` was read.
/// ```swift
/// for device in Device.all { print(device) }
/// ```
public struct Device: Sendable, Hashable, Codable {
  /// The kinds of devices.
  public enum Kind: String, Sendable, Codable {
    /// The machine's own processors.
    case cpu
  }

  /// A data cache.
  public struct Cache: Sendable, Hashable, Codable {
    /// The kinds of caches.
    public enum Kind: String, Sendable, Codable {
      /// Data only.
      case data
      /// Data and instructions.
      case unified
    }

    /// The level, 1, 2 or 3; level 1 is nearest to the core.
    public let level: Int
    /// The kind of the cache.
    public let kind: Kind
    /// The size in bytes.
    public let byteCount: Int
    /// The logical cores that share one such cache.
    public let sharedBy: Int
  }

  /// The number of cores that the process may use.
  package struct UsableCores: Hashable, Sendable {
    /// Logical cores, bounded by the quota.
    package let logical: Int
    /// Physical cores, bounded by the quota.
    package let physical: Int

    /// Creates counts of cores.
    package init(logical: Int, physical: Int) {
      self.logical = logical
      self.physical = physical
    }
  }

  /// The kind of the device.
  public let kind: Kind
  /// The model name.
  public let name: String
  /// The instruction sets that Forge has kernels for and the machine supports, slowest first.
  public let instructionSets: [String]
  /// The processor features relevant to current or future kernels, as Linux names them.
  ///
  /// Examples are `avx512_bf16` and `asimddp`.
  public let features: [String]
  /// The physical cores that are online.
  public let physicalCores: Int
  /// The logical cores that are online, more than the physical ones with simultaneous
  /// multithreading.
  public let logicalCores: Int
  /// The logical cores that the calling thread may run on, by its affinity mask.
  public let coresByAffinity: Int
  /// The CPU quota of the control groups in cores, rounded up, at least 1; `nil` without a limit.
  public let coresByQuota: Int?
  /// The physical cores that the calling thread may run on, bounded by ``coresByQuota``.
  ///
  /// ``CompileOptions/Threads/automatic`` starts from this number.
  public let usablePhysicalCores: Int
  /// The data caches, smallest level first.
  public let caches: [Cache]
  /// The memory of the machine in bytes; `nil` if the system does not report it.
  public let memoryByteCount: Int?

  /// The logical cores that the process may use: those of the affinity mask, limited by the quota.
  public var usableCores: Int { min(coresByAffinity, coresByQuota ?? coresByAffinity) }

  /// The devices of this machine, read on each access; predictions use the first.
  public static var all: [Device] {
    [
      Device(
        .machine, affinity: .affinity(),
        instructionSets: CompileOptions.InstructionSet.allCases
          .filter(\.isAvailable).map(\.rawValue))
    ]
  }

  /// Creates the processor that the system files describe.
  package init(_ files: SystemFiles, affinity: ProcessorSet?, instructionSets: [String]) {
    let info = ProcessorInfo(files.text("/proc/cpuinfo") ?? "")
    let topology = Topology(files, info: info)
    let usable = Self.usableCores(files, affinity: affinity, topology: topology)
    kind = .cpu
    name = info.name ?? "CPU"
    self.instructionSets = instructionSets
    features = info.features.filter(Self.isOfInterest).sorted()
    physicalCores = topology.coreCount(topology.online)
    logicalCores = topology.online.members.count
    coresByAffinity = (affinity ?? topology.online).members.count
    coresByQuota = Self.coresByQuota(files)
    usablePhysicalCores = usable.physical
    caches = topology.caches
    memoryByteCount = Self.memory(files.text("/proc/meminfo") ?? "")
  }

  /// Returns the number of cores that the calling thread may use now.
  package static func usableCores() -> UsableCores {
    usableCores(.machine, affinity: .affinity(), topology: machineTopology)
  }

  /// The topology is cached, because reading it opens hundreds of files and it hardly ever changes.
  private static let machineTopology = Topology(
    .machine, info: ProcessorInfo(SystemFiles.machine.text("/proc/cpuinfo") ?? ""))

  static func usableCores(
    _ files: SystemFiles, affinity: ProcessorSet?, topology: Topology
  ) -> UsableCores {
    // The processors of the affinity mask are online.
    let allowed = affinity ?? topology.online
    let quota = coresByQuota(files) ?? Int.max
    return UsableCores(
      logical: min(allowed.members.count, quota), physical: min(topology.coreCount(allowed), quota))
  }

  private static func coresByQuota(_ files: SystemFiles) -> Int? {
    ControlGroup.quota(files).map { max(Int(min($0, 0x1p20).rounded(.up)), 1) }
  }

  /// Whether current or future kernels use a feature.
  private static func isOfInterest(_ feature: String) -> Bool {
    let names: Set = ["f16c", "fma", "asimd", "asimdhp", "asimddp", "i8mm", "bf16", "sve", "sve2"]
    return names.contains(feature)
      || ["sse2", "sse4", "avx", "amx"].contains { feature.hasPrefix($0) }
  }

  /// Returns the number of bytes in the line `MemTotal: 123 kB`.
  static func memory(_ text: String) -> Int? {
    let line = text.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
    let words = line?.split { $0 == " " || $0 == "\t" } ?? []
    guard words.count >= 2, let count = Int(words[1]), count > 0, count < 1 << 50 else {
      return nil
    }
    return count << 10
  }
}
