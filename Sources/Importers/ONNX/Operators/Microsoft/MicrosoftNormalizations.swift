import Forge

extension ONNXOperators {
  /// Normalizations of ONNX Runtime.
  static let microsoftNormalizations: [ONNXOperator] = [
    // ONNX Runtime writes it in ONNX's own domain.
    ONNXOperator(
      "SimplifiedLayerNormalization",
      import: { call in
        call.set(try call.result(as: "RMSNormalization", Array(call.inputs.prefix(2))))
      },
      fold: .none, bounds: nil, length: .followed, sizes: .none,
      examples: .apart { node in
        let axis = try node.axis(node.call.node.int("axis", -1))
        return node.all(try node.apart(from: Array(axis..<(try node.rank(0)))))
      }),
    skipNormalization("SkipLayerNormalization", bias: 4) { call, sum in
      try call.part(
        "LayerNormalization", [sum, try call.value(2), call.optional(3)],
        ["epsilon": .float(call.node.float("epsilon", 1e-12))], name: call.outputName)
    },
    skipNormalization("SkipSimplifiedLayerNormalization", bias: 3) { call, sum in
      try call.part(
        "RMSNormalization", [sum, try call.value(2)],
        ["epsilon": .float(call.node.float("epsilon", 1e-12))], name: call.outputName)
    },
  ]

  /// A normalization of the sum of two tensors and of a bias, whose fourth output is the sum.
  private static func skipNormalization(
    _ type: String, bias: Int,
    _ normal: @escaping @Sendable (inout ONNXCall, FileValue) throws -> FileValue
  ) -> ONNXOperator {
    ONNXOperator(
      type, domain: microsoft,
      import: { call in
        for index in 0..<2 { try call.refuseIntegers(index) }
        let (input, skip) = (try call.value(0), try call.value(1))
        let sizes = input.sizes
        let isShared =
          sizes.count == 3 && [Array(sizes[1...]), [1] + sizes[1...]].contains(skip.sizes)
        guard (2...3).contains(sizes.count), skip.sizes == sizes || isShared else {
          throw NodeFailure.invalid("the sum of \(sizes) and \(skip.sizes)")
        }
        for index in 2..<call.inputs.count where call.has(index) {
          guard try call.value(index).sizes == sizes.suffix(1) else {
            throw NodeFailure.invalid(
              "parameters of \(try call.value(index).sizes) for \(sizes)")
          }
        }
        // The bias is that of the product which the optimizer has left without one.
        var sum = input
        if let bias = call.optional(bias) {
          sum = try call.part("Add", [input, bias], name: "\(call.layerName)/bias")
        }
        sum = try call.part("Add", [sum, skip])
        call.set(try normal(&call, sum))
        call.set(sum, output: 3)
      },
      fold: .none, bounds: nil, length: .followed, sizes: .none,
      examples: .apart { node in
        let place = try node.broadcast()
        guard place.axis < (try node.rank(0)) - 1 else { throw ONNXOpenNode.Mixes() }
        return node.all(place)
      })
  }
}
