import Forge
import ForgeSystem

extension MILOperators {
  /// Functions of one tensor, element by element.
  static let activations: [String: Operation] = {
    var table: [String: Operation] = [
      "relu6": { try $0.map("Clip", ["min": .float(0), "max": .float(6)]) },
      "leaky_relu": { try $0.map("LeakyRelu", ["alpha": .float(try $0.float("alpha", 0.01))]) },
      "elu": { try $0.map("Elu", ["alpha": .float(try $0.float("alpha", 1))]) },
      "sigmoid_hard": { call in
        let (alpha, beta) = (try call.float("alpha", 0.2), try call.float("beta", 0.5))
        try call.map("HardSigmoid", ["alpha": .float(alpha), "beta": .float(beta)])
      },
      "clip": { call in
        let (low, high) = (try call.float("alpha"), try call.float("beta"))
        try call.map("Clip", ["min": .float(low), "max": .float(high)])
      },
      "threshold": { try $0.map("Clip", ["min": .float(try $0.float("alpha", 1))]) },
      "silu": { try $0.map("Swish") },
      "gelu": gelu,
      "prelu": { call in
        // One slope per channel, which is axis 1.
        var (input, slope) = (try call.value(), try call.value("alpha"))
        let rank = input.sizes.count
        if slope.sizes.count == 1, rank > 2 {
          let sizes = FileValue.integers([slope.sizes[0]] + Array(repeating: 1, count: rank - 2))
          slope = try call.node("Reshape", [slope, sizes])
        }
        input = try call.node("PRelu", [input, slope])
        call.set(input)
      },
      "clamped_relu": { call in
        let slope = try call.float("alpha", 0)
        let inner = try call.node("LeakyRelu", [try call.value()], ["alpha": .float(slope)])
        call.set(try call.node("Clip", [inner], ["max": .float(try call.float("beta", 0))]))
      },
      "thresholded_relu": { call in
        let (input, least) = (try call.value(), FileValue.number(try call.float("alpha", 1)))
        let isKept = try call.node("GreaterOrEqual", [input, least])
        call.set(try call.node("Where", [isKept, input, .number(0)]))
      },
      "linear_activation": { call in
        let (alpha, beta) = (try call.float("alpha", 1), try call.float("beta", 0))
        let product = try call.node("Mul", [try call.value(), .number(alpha)])
        call.set(try call.node("Add", [product, .number(beta)]))
      },
      "scaled_tanh": { call in
        let (alpha, beta) = (try call.float("alpha", 1), try call.float("beta", 1))
        let inner = try call.node("Mul", [try call.value(), .number(beta)])
        let tanh = try call.node("Tanh", [inner])
        call.set(try call.node("Mul", [tanh, .number(alpha)]))
      },
      "softplus_parametric": { call in
        // One pair of numbers per channel, which is axis 1.
        let input = try call.value()
        let ones = Array(repeating: 1, count: max(input.sizes.count - 2, 0))
        func perChannel(_ key: String) throws -> FileValue {
          let values = try call.value(key)
          guard values.sizes.count <= 1 else { return values }
          let sizes = FileValue.integers([values.sizes.first ?? 1] + ones)
          return try call.node("Reshape", [values, sizes])
        }
        let (alpha, beta) = (try perChannel("alpha"), try perChannel("beta"))
        let inner = try call.node("Softplus", [try call.node("Mul", [input, beta])])
        call.set(try call.node("Mul", [inner, alpha]))
      },
      "exp2": { call in
        let factor = FileValue.number(Float(log(2.0)))
        call.set(try call.node("Exp", [try call.node("Mul", [try call.value(), factor])]))
      },
      "square": { call in
        let input = try call.value()
        call.set(try call.node("Mul", [input, input]))
      },
      "log": shifted("Log", epsilon: .leastNonzeroMagnitude),
      "inverse": shifted("Reciprocal", epsilon: 1e-4),
      "rsqrt": { call in
        try shifted("Sqrt", epsilon: 1e-12)(&call)
        guard case .value(let root)? = call.results.first ?? nil else { return }
        call.set(try call.node("Reciprocal", [root]))
      },
      "cast": { call in
        let name = try call.text("dtype", "fp32")
        guard case .plain(let type)? = MILElement(named: name), let number = onnxNumber(of: type)
        else { throw NodeFailure.unsupported("type \(name)") }
        try call.map("Cast", ["to": .int(number)])
      },
    ]
    // Functions of equal meaning.
    let names = [
      "relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh", "softplus": "Softplus",
      "softsign": "Softsign", "erf": "Erf", "exp": "Exp", "sqrt": "Sqrt", "abs": "Abs",
      "ceil": "Ceil", "floor": "Floor", "round": "Round", "sign": "Sign", "sin": "Sin",
      "cos": "Cos", "tan": "Tan", "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh",
      "cosh": "Cosh", "atanh": "Atanh", "logical_not": "Not", "identity": "Identity",
    ]
    for (name, type) in names { table[name] = { try $0.map(type) } }
    return table
  }()

  /// A function of x + ε.
  private static func shifted(_ type: String, epsilon: Float) -> Operation {
    { call in
      let epsilon = try call.float("epsilon", epsilon)
      var input = try call.value()
      if epsilon != 0 { input = try call.node("Add", [input, .number(epsilon)]) }
      call.set(try call.node(type, [input]))
    }
  }

  private static func gelu(_ call: inout MILCall) throws {
    switch try call.text("mode", "EXACT") {
    case "EXACT": try call.map("Gelu")
    case "TANH_APPROXIMATION": try call.map("Gelu", ["approximate": .string("tanh")])
    case "SIGMOID_APPROXIMATION": try call.map("Swish", ["alpha": .float(1.702)])
    case let other: throw NodeFailure.unsupported("mode \"\(other)\"")
    }
  }

  /// The number of a type in ONNX.
  private static func onnxNumber(of type: ElementType) -> Int? {
    (1...16).first { ElementType(onnx: Int32($0)) == type }
  }
}
