import Forge

/// The ranges of a Slice of ONNX.
enum ONNXSlice {
  /// The elements that stay along one axis.
  struct Part: Hashable {
    let axis: Int
    let start: Int
    let count: Int
    let step: Int
  }

  /// The ranges of a Slice, clamped to the sizes.
  static func parts(_ call: ONNXCall, sizes: [Int]) throws -> [Part] {
    guard let starts = try call.ints("starts", input: 1),
      let ends = try call.ints("ends", input: 2), starts.count == ends.count
    else { throw NodeFailure.invalid("starts and ends do not fit") }
    let axes = try call.ints("axes", input: 3) ?? Array(starts.indices)
    let steps = try call.knownInts(4, "steps") ?? Array(repeating: 1, count: starts.count)
    guard axes.count == starts.count, steps.count == starts.count else {
      throw NodeFailure.invalid("axes or steps do not fit")
    }
    return try starts.indices.map { index in
      let axis = try ONNXCall.axis(axes[index], rank: sizes.count)
      let (size, step) = (sizes[axis], steps[index])
      guard step != 0, step != .min else { throw NodeFailure.invalid("a step of 0") }
      func clamped(_ position: Int, _ low: Int, _ high: Int) -> Int {
        min(max(position < 0 ? position.addingSaturated(size) : position, low), high)
      }
      // Backwards, the first element is where a start before it goes, and −1 is an end.
      let (last, before) = step > 0 ? (size, 0) : (size - 1, -1)
      let start = clamped(starts[index], 0, last)
      let end = clamped(ends[index], before, last)
      let distance = step > 0 ? end - start : start - end
      let stride = abs(step)
      let count = distance <= 0 ? 0 : (distance - 1) / stride + 1
      return Part(axis: axis, start: start, count: count, step: count > 1 ? step : 1)
    }
  }
}
