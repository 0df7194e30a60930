import Forge
import FoundationEssentials

/// The times and memory use of several predictions, for printing and encoding.
///
/// Times of predictions are of a whole batch, except for ``perPictureMs``.
struct Timing: Encodable {
  /// Where a network comes from.
  enum Load: String, Encodable {
    /// It was compiled.
    case fresh
    /// It was in the cache.
    case cached
    /// It was in a compiled file.
    case file
  }

  /// The resident memory of the process.
  struct Resident: Encodable {
    let beforeCompile: ProcessMemory
    let afterCompile: ProcessMemory
    /// After the first prediction; later ones allocate nothing.
    let afterPredicting: ProcessMemory
  }

  let minMs, medianMs, p90Ms, gflops, perPictureMs: Double
  let batch: Int
  let load: Load
  let loadMs, firstMs: Double
  let residentBytes: Resident
  let packedBytes, arenaBytes, contextBytes, loadingPeakBytes: Int
  /// The precision of the plan, which is float32 if the machine does not support the requested one.
  let precision: String

  /// Summarizes sorted times of batches of pictures with `multiplyAdds` each.
  init(
    times: [Double], batch: Int, multiplyAdds: Int, load: Load, loadMs: Double, firstMs: Double,
    resident: Resident, memory: MemoryReport, precision: CompileOptions.Precision
  ) {
    minMs = times[0]
    medianMs = times[times.count / 2]
    p90Ms = times[min(times.count * 9 / 10, times.count - 1)]
    perPictureMs = medianMs / Double(batch)
    gflops = 2e-6 * Double(multiplyAdds) / perPictureMs
    self.batch = batch
    self.load = load
    self.loadMs = loadMs
    self.firstMs = firstMs
    residentBytes = resident
    packedBytes = memory.packedParameters
    arenaBytes = memory.arena
    contextBytes = memory.context
    loadingPeakBytes = memory.loadingPeak
    self.precision = precision.argument
  }

  /// One JSON object, with keys in snake case.
  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      encoder.outputFormatting = .sortedKeys
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }

  /// A report of several lines about `runs` predictions.
  func text(runs: Int) -> String {
    var lines = [
      String(
        format: "min %.4f ms, median %.4f ms, p90 %.4f ms of %ld; %.1f GFLOP/s by the median",
        minMs, medianMs, p90Ms, runs, gflops)
    ]
    if precision != "float32" { lines.append("precision \(precision)") }
    if batch > 1 {
      lines.append(String(format: "%.4f ms per picture of a batch of %ld", perPictureMs, batch))
    }
    lines.append(
      String(format: "loading %.1f ms, first prediction %.2f ms", loadMs, firstMs)
        + [.fresh: "", .cached: "; loaded from the cache", .file: "; opened from the file"][
          load, default: ""])
    func megabytes(_ bytes: Int) -> String { String(format: "%.1f MB", Double(bytes) * 1e-6) }
    let resident = residentBytes
    lines.append(
      "resident: \(megabytes(resident.beforeCompile.current)) before the compile, "
        + "\(megabytes(resident.afterCompile.current)) after it, "
        + "\(megabytes(resident.afterPredicting.current)) after predicting; "
        + "\(megabytes(resident.afterPredicting.peak)) at most")
    lines.append(
      "packed parameters \(megabytes(packedBytes)), arena \(megabytes(arenaBytes))"
        // Parameters are packed by a compile only.
        + (load == .fresh ? ", at most \(megabytes(loadingPeakBytes)) while loading" : ""))
    return lines.joined(separator: "\n")
  }
}
