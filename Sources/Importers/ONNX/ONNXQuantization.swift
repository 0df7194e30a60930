import Forge

/// Quantised weights become numbers while importing.
enum ONNXQuantization {
  /// Computes `(x − zero point) · scale`, per tensor or along an axis.
  static func dequantize(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    guard hosts.count >= 2, call.node.int("block_size") == 0 else { return false }
    let sizes = hosts[0].sizes
    let axis =
      hosts[1].count == 1 ? 0 : try ONNXCall.axis(call.node.int("axis", 1), rank: sizes.count)
    let inner = sizes.dropFirst(axis + 1).reduce(1, *)
    let scales = try hosts[1].floats()
    let zeros = hosts.count > 2 ? try hosts[2].floats() : Array(repeating: 0, count: scales.count)
    guard zeros.count == scales.count, scales.count == 1 || scales.count == sizes[axis] else {
      throw NodeFailure.invalid("\(scales.count) scales of an axis of \(sizes)")
    }
    let values = try hosts[0].floats()
    let result = values.enumerated().map { index, value in
      let channel = scales.count == 1 ? 0 : index / inner % scales.count
      return (value - zeros[channel]) * scales[channel]
    }
    call.set(.host(HostTensor(floats: result, sizes: sizes)))
    return true
  }
}
