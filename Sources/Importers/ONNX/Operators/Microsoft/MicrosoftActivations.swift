import Forge

extension ONNXOperators {
  /// Activations of ONNX Runtime's domain.
  static let microsoftActivations: [ONNXOperator] = [
    microsoftActivation("Gelu") { call, x in try call.part("Gelu", [x], name: call.outputName) },
    microsoftActivation("BiasGelu") { call, x in
      let sum = try call.part("Add", [x, try bias(call, x, 1)])
      return try call.part("Gelu", [sum], name: call.outputName)
    },
    microsoftActivation("FastGelu") { call, x in
      let sum = call.has(1) ? try call.part("Add", [x, try bias(call, x, 1)]) : x
      return try call.part("Gelu", [sum], ["approximate": .text("tanh")], name: call.outputName)
    },
    microsoftActivation("QuickGelu") { call, x in
      let alpha = call.node.float("alpha", 1.702)
      return try call.part("Swish", [x], ["alpha": .float(alpha)], name: call.outputName)
    },
  ]

  /// An operator that computes a function of each element of its first input.
  private static func microsoftActivation(
    _ type: String, _ function: @escaping @Sendable (inout ONNXCall, FileValue) throws -> FileValue
  ) -> ONNXOperator {
    ONNXOperator(
      type, domain: microsoft,
      import: { call in
        try call.refuseIntegers()
        call.set(try function(&call, try call.value(0)))
      },
      fold: .none, bounds: nil, length: .followed, sizes: .none,
      examples: .apart({ $0.all(try $0.broadcast()) }))
  }

  /// A bias with one number for each entry of the last axis.
  static func bias(_ call: ONNXCall, _ x: FileValue, _ index: Int) throws -> FileValue {
    let value = try call.value(index)
    guard value.sizes.count == 1, value.sizes == x.sizes.suffix(1) else {
      throw NodeFailure.invalid("a bias of \(value.sizes) for \(x.sizes)")
    }
    return value
  }

  /// The domain of ONNX Runtime's operators.
  static let microsoft = "com.microsoft"

  // MARK: Fused activations

  /// The result of the activation that a node names.
  ///
  /// - Parameters:
  ///   - call: the node.
  ///   - x: what the activation is computed of.
  ///   - type: the activation, by its ONNX operator.
  ///   - numbers: the numbers of the activation in ONNX's order.
  /// - Returns: the result.
  /// - Throws: ``NodeFailure`` for an activation that Forge does not have and for missing numbers.
  static func activated(
    _ call: inout ONNXCall, _ x: FileValue, by type: String, _ numbers: [Float]
  ) throws -> FileValue {
    func number(_ index: Int) throws -> Float {
      guard numbers.indices.contains(index) else {
        throw NodeFailure.invalid("\(type) with \(numbers.count) numbers")
      }
      return numbers[index]
    }
    switch type {
    case "Relu", "Sigmoid", "Tanh", "HardSwish", "Softplus", "Softsign":
      return try call.part(type, [x])
    case "LeakyRelu", "Elu", "Celu", "ThresholdedRelu":
      return try call.part(type, [x], ["alpha": .float(try number(0))])
    case "HardSigmoid":
      return try call.part(
        type, [x], ["alpha": .float(try number(0)), "beta": .float(try number(1))])
    case "Clip":
      return try call.part(type, [x, .number(try number(0)), .number(try number(1))])
    default: throw NodeFailure.unsupported("the activation \"\(type)\"")
    }
  }
}
