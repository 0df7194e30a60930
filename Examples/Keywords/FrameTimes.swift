import Foundation

/// The times of frames beside the time that a frame lasts.
struct FrameTimes: CustomStringConvertible {
  private let microseconds: [Double]

  /// Takes the times of at least one frame.
  init(_ frames: [Recognizer.Frame]) {
    microseconds = frames.map { $0.time / .microseconds(1) }.sorted()
  }

  var description: String {
    let deadline = Double(FrontEnd.frame) / Double(FrontEnd.rate) * 1e6
    let count = microseconds.count
    let mean = microseconds.reduce(0, +) / Double(max(count, 1))
    let high = microseconds.isEmpty ? 0 : microseconds[min(count * 99 / 100, count - 1)]
    let rows = [("mean", mean), ("99 %", high), ("worst", microseconds.last ?? 0)]
    let lines = rows.map { name, time in
      String(
        format: "  %@ %8.0f µs  %7.3f of real time",
        name.padding(toLength: 5, withPad: " ", startingAt: 0), time, time / deadline)
    }
    return
      (["time for each frame of \(Int(deadline / 1000)) ms, \(count) frames, one thread"] + lines)
      .joined(separator: "\n")
  }
}
