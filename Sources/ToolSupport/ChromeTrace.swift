import Forge
import FoundationEssentials

/// The steps of a prediction in the trace format of Chrome, which trace viewers show.
package struct ChromeTrace: Encodable {
  struct Event: Encodable {
    let name: String
    let cat = "step"
    let ph = "X"
    /// Microseconds from the start.
    let ts: Double
    /// Microseconds.
    let dur: Double
    let pid = 1
    let tid = 1
    let args: Arguments
  }

  struct Arguments: Encodable {
    let kernel: String
    let layers: [String]
    let multiplyAdds: Int
    let bytes: Int
    let gigaflops: Double
    let gigabytesPerSecond: Double
  }

  let traceEvents: [Event]
  let displayTimeUnit = "ms"

  /// Creates a trace in which the steps follow each other.
  package init(_ steps: [StepProfile]) {
    var start = 0.0
    traceEvents = steps.map { step in
      let microseconds = step.seconds * 1e6
      defer { start += microseconds }
      return Event(
        name: step.layers.isEmpty ? step.kernel : step.layers.joined(separator: ", "), ts: start,
        dur: microseconds,
        args: Arguments(
          kernel: step.kernel, layers: step.layers, multiplyAdds: step.multiplyAdds,
          bytes: step.bytes, gigaflops: step.gigaflops,
          gigabytesPerSecond: step.gigabytesPerSecond))
    }
  }

  /// The trace as JSON.
  package var json: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return Data(String(decoding: try encoder.encode(self), as: UTF8.self).printableJSON.utf8)
    }
  }
}
