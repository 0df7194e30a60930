import Forge

extension ONNXOperators {
  /// Attention whose input and weights are integers.
  static let quantizedAttention: [ONNXOperator] = [
    ONNXOperator(
      "QAttention", domain: microsoft, import: attention, fold: .none, bounds: nil,
      length: .followed, sizes: .none,
      examples: .apart { node in
        try node.heads(
          apart: [0: 0, 5: 0, 8: 1], shared: [1, 2, 3, 4, 6, 7], bias: nil, outputs: [0, 1])
      })
  ]

  /// `Attention` of `(x − zₓ) · (w − z_w) · (sₓ · s_w) + bias`; the sums of the product are exact.
  private static func attention(_ call: inout ONNXCall) throws {
    try call.refuse("do_rotary", "past_present_share_buffer")
    let factors = [
      try call.differences(0, zeroPoint: 6, axis: -2),
      try call.differences(1, zeroPoint: 7, axis: -1),
    ]
    try checkFactors(call, factors[0].sizes, factors[1].sizes)
    let sums = try call.part("MatMul", factors, name: call.outputName)
    let scales = try call.part("Mul", [try call.value(3), try call.value(4)])
    let product = try call.sum(try call.part("Mul", [sums, scales]), 2)
    try selfAttention(&call, of: product, mask: 5, past: 8)
  }
}
