import Forge

extension ONNXOperators {
  /// Products of matrices of ONNX Runtime's domain.
  static let microsoftProducts: [ONNXOperator] = [
    fusedProduct("FusedMatMul"),
    fusedProduct("TransposeMatMul"),
    ONNXOperator(
      "FusedGemm", domain: microsoft, import: fusedGemm, fold: .none, bounds: nil,
      length: .followed, sizes: .none, examples: .apart(ONNXOpenProducts.gemm)),
  ]

  /// `alpha·A'·B'`, where the factors may have axes in another order.
  private static func fusedProduct(_ type: String) -> ONNXOperator {
    ONNXOperator(
      type, domain: microsoft, import: multiply, fold: .none, bounds: nil, length: .followed,
      sizes: .none, examples: .apart(multiplied))
  }

  /// The order that gives a factor the axes of NumPy's `matmul`; `nil` if it has them.
  ///
  /// With `transBatch` the rows are first, before the axes of the batch; with `trans` rows and
  /// columns change places. A vector has only one order.
  private static func order(_ node: FileNode, _ factor: String, rank: Int) -> [Int]? {
    guard rank >= 2 else { return nil }
    var order = Array(0..<rank)
    if node.int("transBatch\(factor)") != 0 {
      order = Array(1..<(rank - 1)) + [0, rank - 1]
    }
    if node.int("trans\(factor)") != 0 { order.swapAt(rank - 2, rank - 1) }
    return order == Array(0..<rank) ? nil : order
  }

  private static func multiply(_ call: inout ONNXCall) throws {
    for index in 0..<2 { try call.refuseIntegers(index) }
    let factors = try ["A", "B"].enumerated().map { index, name in
      let value = try call.value(index)
      let order = order(call.node, name, rank: value.sizes.count)
      return try order.map { try value.transposed($0) } ?? value
    }
    let alpha = call.node.float("alpha", 1)
    let product = try call.part("MatMul", factors, name: call.outputName)
    call.set(alpha == 1 ? product : try call.part("Mul", [product, .number(alpha)]))
  }

  /// The place of an open size in the product of factors with axes in another order.
  private static func multiplied(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let places = try ["A", "B"].enumerated().map { index, name -> ONNXOpenAxis? in
      guard let place = node.place(index) else { return nil }
      guard let order = order(node.call.node, name, rank: try node.rank(index)) else {
        return place
      }
      return order.firstIndex(of: place.axis).map { place.on($0) }
    }
    return try ONNXOpenProducts.multiplied(
      ONNXOpenNode(call: node.call, larger: node.larger, places: places, base: node.base))
  }

  private static func fusedGemm(_ call: inout ONNXCall) throws {
    let sum = try call.result(as: "Gemm", call.inputs)
    let node = call.node
    func numbers(_ names: String...) throws -> [Float] {
      try names.map { name in
        guard node.has("activation_\(name)") else {
          throw NodeFailure.invalid("an activation without activation_\(name)")
        }
        return node.float("activation_\(name)")
      }
    }
    let type = node.string("activation")
    switch type {
    case "Selu":
      let values = try numbers("alpha", "gamma")
      call.set(
        try call.part("Selu", [sum], ["alpha": .float(values[0]), "gamma": .float(values[1])]))
    case "ScaledTanh":
      let values = try numbers("alpha", "beta")
      let inner = try call.part("Mul", [sum, .number(values[1])], name: "\(call.layerName)/beta")
      let tanh = try call.part("Tanh", [inner])
      call.set(try call.part("Mul", [tanh, .number(values[0])]))
    case "ParametricSoftplus":
      let values = try numbers("alpha", "beta")
      let inner = try call.part("Mul", [sum, .number(values[1])], name: "\(call.layerName)/beta")
      let softplus = try call.part("Softplus", [inner])
      call.set(try call.part("Mul", [softplus, .number(values[0])]))
    case "LeakyRelu", "Elu", "Celu", "ThresholdedRelu":
      call.set(try activated(&call, sum, by: type, try numbers("alpha")))
    case "HardSigmoid":
      call.set(try activated(&call, sum, by: type, try numbers("alpha", "beta")))
    default: call.set(try activated(&call, sum, by: type, []))
    }
  }
}
