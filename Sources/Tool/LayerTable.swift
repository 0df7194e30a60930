import ArgumentParser
import Forge
import ForgeSystem
import FoundationEssentials

/// Times each layer of a list separately and compares it with the limits of the machine.
struct LayerTable {
  let options: CompileOptions
  let threads: Int
  let runs: Int

  /// One timed layer.
  private struct Row: Encodable {
    let layer: String
    let medianMs: Double
    let gflops: Double
    let gigabytesPerSecond: Double
    /// The limiting resource: compute or memory.
    let bound: String
    /// The minimum time at the bound, divided by the measured time.
    let share: Double
    let kernels: String
  }

  /// Times all layers and prints a table, or one JSON object.
  func print(_ lines: [LayerLine], json: Bool) throws {
    guard let speed = Device.measuredSpeed(threads: threads) else {
      throw ValidationError("not enough memory to measure the machine")
    }
    let heading =
      String(format: "peak %.1f GFLOP/s ", speed.gigaflops)
      + "(\(speed.instructionSet.rawValue)), "
      + String(format: "memory %.1f GB/s, threads %ld", speed.gigabytesPerSecond, speed.threads)
    if !json {
      ToolOutput.write(heading)
      ToolOutput.write(
        "        ms  GFLOP/s    GB/s  bound    share  layer                         kernels")
    }
    var rows: [Row] = []
    for line in lines {
      let row: Row
      do { row = try self.row(line, speed) } catch {
        throw ValidationError("\(line.name.printable): \(error)")
      }
      rows.append(row)
      if json { continue }
      let numbers = String(
        format: "%10.4f  %7.1f %7.1f  ", row.medianMs, row.gflops, row.gigabytesPerSecond)
      let layer = row.layer.padding(to: 28)
      let bound = row.bound.padding(to: 7)
      ToolOutput.write(
        numbers + bound + String(format: " %5.0f%%  ", 100 * row.share), terminator: "")
      ToolOutput.write("\(layer)  \(row.kernels)")
    }
    guard json else { return }
    struct Object: Encodable {
      let peakGflops, memoryGigabytesPerSecond: Double
      let instructionSet: String
      let threads: Int
      let layers: [Row]
    }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let object = Object(
      peakGflops: speed.gigaflops, memoryGigabytesPerSecond: speed.gigabytesPerSecond,
      instructionSet: speed.instructionSet.rawValue, threads: speed.threads, layers: rows)
    ToolOutput.write(json: try encoder.encode(object))
  }

  /// The names in order, with the lengths of repetitions: `a, b ×3`.
  private static func counted(_ names: [String]) -> String {
    var runs: [(name: String, count: Int)] = []
    for name in names {
      if runs.last?.name == name {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((name, 1))
      }
    }
    return runs.map { $0.count > 1 ? "\($0.name) ×\($0.count)" : $0.name }.joined(separator: ", ")
  }

  /// Steps that are not part of a layer.
  private static let layoutSteps: Set = ["clearHalo", "block", "unblock"]

  /// Times one layer in its own network.
  private func row(_ line: LayerLine, _ speed: Device.Speed) throws -> Row {
    let network = try line.model.compile(parameters: RandomParameters(seed: 1), options: options)
    BuildWarning.print(for: network.report)
    // The steps are timed separately to exclude the conversions to and from the plan's layout,
    // which happen once per network. The median of several means excludes outliers.
    let parts = min(max(runs / 4, 1), 25)
    let profiles = try (0..<parts).map { _ in
      try network.profile(runs: max(runs / parts, 1)).filter {
        !Self.layoutSteps.contains($0.kernel)
      }
    }
    let sums = profiles.map { $0.reduce(0) { $0 + $1.seconds } }.sorted()
    let median = max(sums[parts / 2], 1e-9)
    let bound = speed.bound(multiplyAdds: line.model.multiplyAdds, bytes: line.bytes)
    return Row(
      layer: line.name, medianMs: median * 1e3,
      gflops: 2e-9 * Double(line.model.multiplyAdds) / median,
      gigabytesPerSecond: 1e-9 * Double(line.bytes) / median, bound: bound.by.rawValue,
      share: bound.seconds / median, kernels: Self.counted(profiles[0].map(\.kernel)))
  }
}
