import Forge
import Foundation

/// The times and the memory of several predictions.
struct Timing {
  /// The resident memory of the process.
  struct Resident: Encodable {
    let beforeCompile: ProcessMemory
    let afterCompile: ProcessMemory
    /// After the first prediction; later ones allocate nothing.
    let afterPredicting: ProcessMemory
  }

  /// Milliseconds of a whole batch, sorted.
  let times: [Double]
  /// The number of pictures in a prediction.
  let batch: Int
  /// The multiply-adds of one picture.
  let multiplyAdds: Int
  let loadMilliseconds: Double
  let firstMilliseconds: Double
  let resident: Resident
  let memory: MemoryReport
  /// The precision of the plan, which is float32 if the machine does not support the requested one.
  let precision: String

  private var median: Double { times[times.count / 2] }
  private var p90: Double { times[min(times.count * 9 / 10, times.count - 1)] }
  private var perPicture: Double { median / Double(batch) }
  private var gigaflops: Double { 2e-6 * Double(multiplyAdds) / perPicture }

  /// One JSON object; `*_ms` are milliseconds of a whole batch, except for `per_picture_ms`.
  var json: String {
    get throws {
      struct Object: Encodable {
        let minMs, medianMs, p90Ms, gflops, perPictureMs: Double
        let batch: Int
        let loadMs, firstMs: Double
        let residentBytes: Resident
        let packedBytes, arenaBytes, contextBytes, loadingPeakBytes: Int
        let precision: String
      }
      let encoder = JSONEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      encoder.outputFormatting = .sortedKeys
      let object = Object(
        minMs: times[0], medianMs: median, p90Ms: p90, gflops: gigaflops, perPictureMs: perPicture,
        batch: batch, loadMs: loadMilliseconds, firstMs: firstMilliseconds, residentBytes: resident,
        packedBytes: memory.packedParameters, arenaBytes: memory.arena,
        contextBytes: memory.context, loadingPeakBytes: memory.loadingPeak, precision: precision)
      return String(decoding: try encoder.encode(object), as: UTF8.self)
    }
  }

  var text: String {
    var lines = [
      String(
        format: "min %.4f ms, median %.4f ms, p90 %.4f ms of %d; %.1f GFLOP/s by the median",
        times[0], median, p90, times.count, gigaflops)
    ]
    if precision != PrecisionArgument.float32.rawValue { lines.append("precision \(precision)") }
    if batch > 1 {
      lines.append(String(format: "%.4f ms per picture of a batch of %d", perPicture, batch))
    }
    lines.append(
      String(
        format: "loading %.1f ms, first prediction %.2f ms", loadMilliseconds, firstMilliseconds))
    func megabytes(_ bytes: Int) -> String { String(format: "%.1f", Double(bytes) * 1e-6) }
    let stages = [
      ("before the compile", resident.beforeCompile), ("after it", resident.afterCompile),
      ("after predicting", resident.afterPredicting),
    ].map { "\(megabytes($1.current)) MB \($0)" }
    lines.append(
      "resident: " + stages.joined(separator: ", ")
        + "; \(megabytes(resident.afterPredicting.peak)) MB at most")
    lines.append(
      "packed parameters \(megabytes(memory.packedParameters)) MB, "
        + "arena \(megabytes(memory.arena)) MB, "
        + "at most \(megabytes(memory.loadingPeak)) MB while loading")
    return lines.joined(separator: "\n")
  }
}
