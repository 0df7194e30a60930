import Forge

extension ONNXOperators {
  /// Convolutions that see the past alone and carry its end from call to call.
  static let causalConvolutions: [ONNXOperator] = [
    ONNXOperator(
      "CausalConvWithState", import: causalConvolution, fold: .none, bounds: nil,
      length: .refused, sizes: .none, examples: .apart(ONNXOpenRules.firstAxes(shared: [1, 2])))
  ]

  /// A depthwise convolution of positions behind those of the past, zeros unless they are given,
  /// whose last positions are the past of the next call.
  private static func causalConvolution(_ call: inout ONNXCall) throws {
    let (input, weights) = (try call.value(0), try call.value(1))
    guard input.sizes.count == 3, weights.sizes.count == 3, weights.sizes[1] == 1,
      weights.sizes[0] == input.sizes[1], weights.sizes[2] > 0
    else { throw NodeFailure.invalid("weights of \(weights.sizes) for \(input.sizes)") }
    let (channels, length, past) = (input.sizes[1], input.sizes[2], weights.sizes[2] - 1)
    var positions = input
    if past > 0 {
      if let state = call.optional(3) {
        guard state.sizes == [input.sizes[0], channels, past] else {
          throw NodeFailure.invalid("a past of \(state.sizes)")
        }
        positions = try call.part("Concat", [state, input], ["axis": .int(2)])
      } else {
        positions = try call.part("Pad", [input, .integers([0, 0, past, 0, 0, 0])])
      }
    }
    let sums = try call.part(
      "Conv", [positions, weights, call.optional(2)], ["group": .int(Int64(channels))])
    switch call.node.string("activation", "none") {
    case "none": call.set(sums)
    case "silu", "swish": call.set(try call.part("Swish", [sums]))
    case let other: throw NodeFailure.invalid("an activation \"\(other)\"")
    }
    guard call.node.has(output: 1) else { return }
    guard past > 0 else { throw NodeFailure.unsupported("an empty state") }
    call.set(
      try call.part(
        "Slice", [positions, .integers([length]), .integers([length + past]), .integers([2])]),
      output: 1)
  }
}
