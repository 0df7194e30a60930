import Forge
import Testing

/// CPU quotas in the control group files of several systems.
@Suite struct ControlGroupTests {
  private func quota(_ files: [String: String]) -> Double? {
    ControlGroup.quota(SystemFiles { files[$0] })
  }

  /// A container whose own group is the root.
  @Test func unifiedRootGroup() {
    let own = ["/proc/self/cgroup": "0::/\n"]
    let limit = { (text: String) in own.merging(["/sys/fs/cgroup/cpu.max": text]) { $1 } }
    #expect(quota(limit("150000 100000\n")) == 1.5)
    #expect(quota(limit("max 100000\n")) == nil)
    #expect(quota(limit("200000\n")) == 2)
    #expect(quota(limit("\n")) == nil)
    #expect(quota(limit("0 100000\n")) == nil)
    #expect(quota(limit("100000 0\n")) == nil)
    #expect(quota(limit("-5 100000\n")) == nil)
    #expect(quota(own) == nil)
  }

  /// The minimum of a group and its ancestors applies.
  @Test func unifiedNestedGroups() {
    let path = "/sys/fs/cgroup/kubepods.slice/pod1.slice/container.scope"
    var files = [
      "/proc/self/cgroup": "0::/kubepods.slice/pod1.slice/container.scope\n",
      "\(path)/cpu.max": "max 100000\n",
      "/sys/fs/cgroup/kubepods.slice/pod1.slice/cpu.max": "250000 100000\n",
      "/sys/fs/cgroup/kubepods.slice/cpu.max": "1600000 100000\n",
    ]
    #expect(quota(files) == 2.5)
    files["\(path)/cpu.max"] = "50000 100000\n"
    #expect(quota(files) == 0.5)
    files["\(path)/cpu.max"] = nil
    #expect(quota(files) == 2.5)
  }

  /// The path of a group outside the container's mount.
  @Test func unifiedGroupOutsideMount() {
    let files = [
      "/proc/self/cgroup": "0::/../../other.scope\n", "/sys/fs/cgroup/cpu.max": "300000 100000\n",
    ]
    #expect(quota(files) == 3)
  }

  /// Version 1, as in a container whose group is mounted at the root of the controller.
  @Test func versionOne() {
    let own = """
      12:cpuset:/docker/0123abcd
      4:cpu,cpuacct:/docker/0123abcd
      1:name=systemd:/docker/0123abcd

      """
    var files = [
      "/proc/self/cgroup": own,
      "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "350000\n",
      "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
    ]
    #expect(quota(files) == 3.5)
    files["/sys/fs/cgroup/cpu,cpuacct/docker/0123abcd/cpu.cfs_quota_us"] = "20000\n"
    files["/sys/fs/cgroup/cpu,cpuacct/docker/0123abcd/cpu.cfs_period_us"] = "10000\n"
    #expect(quota(files) == 2)
    files["/sys/fs/cgroup/cpu,cpuacct/docker/0123abcd/cpu.cfs_quota_us"] = "-1\n"
    #expect(quota(files) == 3.5)
    files["/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us"] = "-1\n"
    #expect(quota(files) == nil)
  }

  /// The controller under its own name, the tree of version 2 beside it.
  @Test func hybridHierarchy() {
    let files = [
      "/proc/self/cgroup": "2:cpuacct:/\n1:cpu:/batch\n0::/unit\n",
      "/sys/fs/cgroup/cpu/batch/cpu.cfs_quota_us": "400000\n",
      "/sys/fs/cgroup/cpu/batch/cpu.cfs_period_us": "100000\n",
    ]
    #expect(quota(files) == 4)
    let both = files.merging(["/sys/fs/cgroup/unified/unit/cpu.max": "100000 100000\n"]) { $1 }
    #expect(quota(both) == 1)
  }

  /// A quota bounds the cores that may be used: rounded up, at least one.
  @Test func quotasBoundCores() {
    let files = { (quota: String) in
      [
        "/sys/devices/system/cpu/online": "0-7\n", "/proc/self/cgroup": "0::/\n",
        "/sys/fs/cgroup/cpu.max": "\(quota) 100000\n",
      ]
    }
    let cases = [("10000", 1), ("100000", 1), ("100001", 2), ("250000", 3), ("9900000", 8)]
    for (quota, cores) in cases {
      let files = files(quota)
      let device = Device(SystemFiles { files[$0] }, affinity: nil, instructionSets: [])
      #expect(device.usableCores == cores)
      #expect(device.usablePhysicalCores == cores)
    }
  }

  @Test func missingControlGroups() {
    #expect(quota([:]) == nil)
    #expect(quota(["/proc/self/cgroup": ""]) == nil)
    #expect(quota(["/proc/self/cgroup": "garbage\n0:\n"]) == nil)
  }
}
