import Forge
import Testing

/// Recorded and shortened system files of several machines.
@Suite struct DeviceTests {
  private static func device(
    _ files: [String: String], affinity: ProcessorSet? = nil
  ) -> Device {
    Device(SystemFiles { files[$0] }, affinity: affinity, instructionSets: ["scalar", "baseline"])
  }

  /// A processor's block of /proc/cpuinfo on x86.
  private static func block(_ processor: Int, package: Int, core: Int) -> String {
    """
    processor\t: \(processor)
    model name\t: Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz
    physical id\t: \(package)
    core id\t\t: \(core)
    flags\t\t: fpu sse sse2 ssse3 sse4_2 avx f16c fma avx2 avx512f avx512_vnni amx_int8 rdrand

    """
  }

  /// Two packages of two cores of two threads, numbered as Linux does: the second threads come last.
  private static let twoPackages: [String: String] = {
    var files = ["/proc/cpuinfo": ""]
    for processor in 0..<8 {
      let core = processor % 4
      files["/proc/cpuinfo"]? += block(processor, package: core / 2, core: core % 2) + "\n"
      files["/sys/devices/system/cpu/cpu\(processor)/topology/thread_siblings_list"] =
        "\(core),\(core + 4)\n"
    }
    files["/sys/devices/system/cpu/online"] = "0-7\n"
    let cache = "/sys/devices/system/cpu/cpu0/cache/index"
    for (index, (level, kind, size, shared)) in [
      ("1", "Data", "48K", "0,4"), ("1", "Instruction", "32K", "0,4"),
      ("2", "Unified", "1280K", "0,4"), ("3", "Unified", "48M", "0-1,4-5"),
    ].enumerated() {
      files[cache + "\(index)/level"] = level + "\n"
      files[cache + "\(index)/type"] = kind + "\n"
      files[cache + "\(index)/size"] = size + "\n"
      files[cache + "\(index)/shared_cpu_list"] = shared + "\n"
    }
    files["/proc/meminfo"] = "MemTotal:       263856568 kB\nMemFree:         1000 kB\n"
    files["/proc/self/cgroup"] = "0::/user.slice/session-3.scope\n"
    return files
  }()

  @Test func topologyCountsPackagesCoresAndThreads() throws {
    let device = Self.device(Self.twoPackages, affinity: ProcessorSet(0..<8))
    #expect(device.kind == .cpu)
    #expect(device.name == "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz")
    #expect(device.physicalCores == 4)
    #expect(device.logicalCores == 8)
    #expect(device.coresByAffinity == 8)
    #expect(device.coresByQuota == nil)
    #expect(device.usableCores == 8)
    #expect(device.usablePhysicalCores == 4)
    #expect(device.memoryByteCount == 263_856_568 << 10)
    #expect(
      device.features == [
        "amx_int8", "avx", "avx2", "avx512_vnni", "avx512f", "f16c", "fma", "sse2", "sse4_2",
      ])
    #expect(device.caches.map(\.level) == [1, 2, 3])
    #expect(device.caches.map(\.kind) == [.data, .unified, .unified])
    #expect(device.caches.map(\.byteCount) == [48 << 10, 1280 << 10, 48 << 20])
    #expect(device.caches.map(\.sharedBy) == [2, 2, 4])
    #expect(
      device.description == """
        Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz (cpu)
          instruction sets  scalar, baseline
          features          amx_int8 avx avx2 avx512_vnni avx512f f16c fma sse2 sse4_2
          cores             4 physical, 8 logical
          usable            8 (8 by affinity, no quota), 4 physical
          L1d               48 KiB, shared by 2 logical cores
          L2                1280 KiB, shared by 2 logical cores
          L3                49152 KiB, shared by 4 logical cores
          memory            257672 MiB
        """)
  }

  @Test func affinityLimitsProcessors() {
    // Both threads of one core, and one of another.
    let device = Self.device(Self.twoPackages, affinity: ProcessorSet([1, 5, 6]))
    #expect(device.coresByAffinity == 3)
    #expect(device.usableCores == 3)
    #expect(device.usablePhysicalCores == 2)
    #expect(device.logicalCores == 8)
  }

  @Test func offlineProcessorsAreIgnored() {
    var files = Self.twoPackages
    files["/sys/devices/system/cpu/online"] = "0,2-3,6-7\n"
    let device = Self.device(files)
    #expect(device.logicalCores == 5)
    // Processors 2 and 6 share a core, 3 and 7 too; 0 has lost its sibling.
    #expect(device.physicalCores == 3)
    #expect(device.coresByAffinity == 5)
    #expect(device.caches.map(\.sharedBy) == [1, 1, 1])
  }

  /// Without /sys the cores are those of /proc/cpuinfo.
  @Test func cpuInfoWithoutSysfs() throws {
    let text = try #require(Self.twoPackages["/proc/cpuinfo"])
    let device = Self.device(["/proc/cpuinfo": text])
    #expect(device.physicalCores == 4)
    #expect(device.logicalCores == 8)
    #expect(device.caches.isEmpty)
    #expect(device.memoryByteCount == nil)
  }

  /// AWS Lambda has /proc but no /sys, on arm64 too.
  ///
  /// Control groups are named but cannot be read.
  @Test func procWithoutSysfs() {
    let processor = { (number: Int) in
      "processor\t: \(number)\nFeatures\t: fp asimd asimddp i8mm\nCPU implementer\t: 0x41\n"
        + "CPU architecture: 8\nCPU part\t: 0xd4f\n\n"
    }
    let device = Self.device(
      [
        "/proc/cpuinfo": processor(0) + processor(1),
        "/proc/meminfo": "MemTotal:        1769472 kB\nMemFree:  1000000 kB\n",
        "/proc/self/cgroup": "2:cpu:/sandbox\n0::/sandbox\n",
      ], affinity: ProcessorSet([0, 1]))
    #expect(device.name == "Arm Neoverse V2")
    #expect(device.features == ["asimd", "asimddp", "i8mm"])
    #expect(device.physicalCores == 2)
    #expect(device.usableCores == 2)
    #expect(device.usablePhysicalCores == 2)
    #expect(device.coresByQuota == nil)
    #expect(device.caches.isEmpty)
    #expect(device.memoryByteCount == 1_769_472 << 10)
  }

  @Test func missingSystemFiles() {
    let device = Self.device([:])
    #expect(device.name == "CPU")
    #expect(device.physicalCores == 1)
    #expect(device.logicalCores == 1)
    #expect(device.usableCores == 1)
    #expect(device.usablePhysicalCores == 1)
    #expect(device.coresByQuota == nil)
    #expect(device.features.isEmpty)
    #expect(Self.device([:], affinity: ProcessorSet([3, 4])).usableCores == 2)
  }

  /// arm64 has no model name, no core and no package in /proc/cpuinfo.
  @Test func arm64CPUInfo() {
    var text = ""
    for processor in 0..<4 {
      text += """
        processor\t: \(processor)
        BogoMIPS\t: 243.75
        Features\t: fp asimd evtstrm aes crc32 atomics fphp asimdhp asimdrdm asimddp
        CPU implementer\t: 0x41
        CPU architecture: 8
        CPU variant\t: 0x3
        CPU part\t: 0xd0c
        CPU revision\t: 1


        """
    }
    let files = [
      "/proc/cpuinfo": text, "/sys/devices/system/cpu/online": "0-3\n",
      "/sys/devices/system/cpu/cpu0/cache/index0/level": "1\n",
      "/sys/devices/system/cpu/cpu0/cache/index0/type": "Data\n",
      "/sys/devices/system/cpu/cpu0/cache/index0/size": "64K\n",
    ]
    let device = Self.device(files)
    #expect(device.name == "Arm Neoverse N1")
    #expect(device.physicalCores == 4)
    #expect(device.features == ["asimd", "asimddp", "asimdhp"])
    #expect(device.caches.map(\.byteCount) == [64 << 10])
    #expect(device.caches.map(\.sharedBy) == [1])
    let unknown = Self.device([
      "/proc/cpuinfo": "processor : 0\nCPU implementer : 0xc0\nCPU part : 0xac3\n"
    ])
    #expect(unknown.name == "arm64 implementer 0xc0 part 0xac3")
  }

  /// Damaged files give the remaining information and never trap.
  @Test func damagedSystemFiles() {
    let device = Self.device([
      "/proc/cpuinfo":
        "processor : -1\n\nprocessor : 99999999999999999999\n\n:::\n\nflags\n\0\u{FFFD}",
      "/sys/devices/system/cpu/online": "0-99999999999\n",
      "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "3-1\n",
      "/sys/devices/system/cpu/cpu0/cache/index0/level": "9223372036854775807\n",
      "/sys/devices/system/cpu/cpu0/cache/index0/type": "Unified\n",
      "/sys/devices/system/cpu/cpu0/cache/index0/size": "9223372036854775807G\n",
      "/proc/meminfo": "MemTotal: 9223372036854775807 kB\n",
      "/proc/self/cgroup": "0::\n4:cpu\nx:y:z\n::\n",
      "/sys/fs/cgroup/cpu.max": "9223372036854775807 1\n",
    ])
    #expect(device.logicalCores == 1)
    #expect(device.caches.isEmpty)
    #expect(device.memoryByteCount == nil)
    #expect(device.coresByQuota == 1 << 20)
    #expect(device.usableCores == 1)
  }

  @Test func processorListParsing() {
    #expect(ProcessorSet(list: "0") == ProcessorSet([0]))
    #expect(ProcessorSet(list: "0-3,8,10-11") == ProcessorSet([0, 1, 2, 3, 8, 10, 11]))
    for wrong in ["", "a", "3-1", "-1", "1-", "0-8192", "1-2-3", "0x1"] {
      #expect(ProcessorSet(list: wrong) == nil, "\(wrong)")
    }
    #expect(ProcessorSet(mask: [0b101, 0, 0x80]) == ProcessorSet([0, 2, 23]))
  }

  @Test func cacheSizeParsing() {
    #expect(Topology.size("4096") == 4096)
    #expect(Topology.size("32K") == 32 << 10)
    #expect(Topology.size("2M") == 2 << 20)
    for wrong in ["", "K", "-1", "0", "0K", "1T", "9223372036854775807K"] {
      #expect(Topology.size(wrong) == nil, "\(wrong)")
    }
  }

  // MARK: This machine

  @Test func currentMachine() throws {
    let devices = Device.all
    try #require(devices.count == 1)
    let device = devices[0]
    #expect(device.instructionSets == CompileOptions.InstructionSet.present.map(\.rawValue))
    #expect(device.physicalCores >= 1)
    #expect(device.logicalCores >= device.physicalCores)
    #expect((1...device.logicalCores).contains(device.coresByAffinity))
    #expect((1...device.coresByAffinity).contains(device.usableCores))
    #expect((1...device.usableCores).contains(device.usablePhysicalCores))
    #expect(device == Device.all[0])
  }
}
