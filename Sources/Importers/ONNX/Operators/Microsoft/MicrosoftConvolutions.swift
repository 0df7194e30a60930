import Forge

extension ONNXOperators {
  /// Convolutions of ONNX Runtime's domain.
  static let microsoftConvolutions: [ONNXOperator] = [
    ONNXOperator(
      "FusedConv", domain: microsoft,
      import: { call in
        let sum = try call.result(as: "Conv", Array(call.inputs.prefix(3)))
        call.set(try addedAndActivated(&call, sum))
      },
      fold: .none, bounds: nil, length: .followed, sizes: .none,
      examples: .apart(imagesAndSum))
  ]

  /// The activation of a convolution and the tensor that its fourth input adds.
  static func addedAndActivated(_ call: inout ONNXCall, _ sum: FileValue) throws -> FileValue {
    var result = sum
    if let other = call.optional(3) {
      guard other.sizes == sum.sizes else {
        throw NodeFailure.invalid("a sum of \(sum.sizes) and \(other.sizes)")
      }
      result = try call.part("Add", [sum, other])
    }
    let type = call.node.string("activation")
    guard !type.isEmpty else { return result }
    return try activated(&call, result, by: type, call.node.floats("activation_params") ?? [])
  }

  /// Images and what is added to their results have examples on the first axis; weights have none.
  static func imagesAndSum(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let first = ONNXOpenAxis(axis: 0)
    guard node.place(0) == first, node.place(1) == nil, node.place(2) == nil,
      !node.call.has(3) || node.place(3) == first
    else { throw ONNXOpenNode.Mixes() }
    return node.all(first)
  }
}
