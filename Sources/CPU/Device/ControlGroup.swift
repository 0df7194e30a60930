/// The CPU quota of the process's control groups.
///
/// A group is limited by its own quota and those of all its ancestors. Version 2 has one hierarchy
/// (`cpu.max`), version 1 a separate one for the controller `cpu` (`cpu.cfs_quota_us`). Inside a
/// container, the root of the hierarchy is often the container's own group, so the root is read
/// too. Folders that the container cannot see are skipped.
package enum ControlGroup {
  /// Returns the quota in processors, the least over all groups; `nil` without a limit.
  package static func quota(_ files: SystemFiles) -> Double? {
    guard let text = files.text("/proc/self/cgroup") else { return nil }
    var limits: [Double] = []
    for line in text.split(separator: "\n") {
      // hierarchy:controllers:path
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let controllers = fields[1].split(separator: ",")
      if fields[0] == "0", controllers.isEmpty {
        limits += folders(["/sys/fs/cgroup", "/sys/fs/cgroup/unified"], fields[2]).compactMap {
          unifiedLimit(files.line($0 + "/cpu.max"))
        }
      } else if controllers.contains("cpu") {
        let mounts = ["/sys/fs/cgroup/\(fields[1])", "/sys/fs/cgroup/cpu"]
        limits += folders(mounts, fields[2]).compactMap {
          limit(
            quota: files.line($0 + "/cpu.cfs_quota_us"),
            period: files.line($0 + "/cpu.cfs_period_us"))
        }
      }
    }
    return limits.min()
  }

  /// Returns the limit in a line of `cpu.max`: `quota period` or `max period`.
  package static func unifiedLimit(_ line: String?) -> Double? {
    let words = line?.split(separator: " ") ?? []
    guard let quota = words.first else { return nil }
    return limit(quota: String(quota), period: words.count > 1 ? String(words[1]) : "100000")
  }

  /// Returns the ratio of two numbers given as text; `nil` without a limit (`max`, −1) or if a text
  /// is not a number.
  static func limit(quota: String?, period: String?) -> Double? {
    guard let quota = quota.flatMap({ Int($0) }), let period = period.flatMap({ Int($0) }),
      quota > 0, period > 0
    else { return nil }
    return Double(quota) / Double(period)
  }

  /// Returns the folders of a group and of all its ancestors, below each mount.
  private static func folders(_ mounts: [String], _ path: Substring) -> [String] {
    // A path that leaves the visible tree starts with `..`.
    let names = path.split(separator: "/").filter { $0 != ".." && $0 != "." }
    return mounts.flatMap { mount in
      (0...names.count).map { depth in
        names.prefix(depth).reduce(mount) { $0 + "/" + $1 }
      }
    }
  }
}
