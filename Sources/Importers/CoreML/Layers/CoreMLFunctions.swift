import Forge
import ForgeSystem

extension CoreMLLayerType {
  /// Functions of one tensor, element by element.
  static let functions: [CoreMLLayerType] =
    [
      CoreMLLayerType("unary", field: 220, unary),
      CoreMLLayerType("gelu", field: 795) { call in
        switch try call.fields.int(1) {
        case 0: try call.map("Gelu")
        case 1: try call.map("Gelu", [], ["approximate": .string("tanh")])
        case 2: try call.map("Swish", [], ["alpha": .float(1.702)])
        case let mode: throw NodeFailure.unsupported("mode \(mode)")
        }
      },
      CoreMLLayerType("clip", field: 660) { call in
        try call.map(
          "Clip", [],
          ["min": .float(try call.fields.float(1)), "max": .float(try call.fields.float(2))])
      },
      // `min(max(x, 0), beta)`, with the slope `alpha` below 0.
      CoreMLLayerType("clampedReLU", field: 1460) { call in
        let (alpha, beta) = (try call.fields.float(1), try call.fields.float(2))
        let inner = try call.node("LeakyRelu", [try call.value()], ["alpha": .float(alpha)])
        call.set(try call.node("Clip", [inner], ["max": .float(beta)]))
      },
      CoreMLLayerType("exp2", field: 700) { call in
        let scaled = try affine(&call, try call.value(), Float(log(2.0)), 0)
        call.set(try call.node("Exp", [scaled]))
      },
      function("tanh", field: 760, "Tanh"), function("ceil", field: 665, "Ceil"),
      function("floor", field: 670, "Floor"), function("sign", field: 680, "Sign"),
      function("round", field: 685, "Round"), function("sin", field: 710, "Sin"),
      function("cos", field: 715, "Cos"), function("tan", field: 720, "Tan"),
      function("asin", field: 730, "Asin"), function("acos", field: 735, "Acos"),
      function("atan", field: 740, "Atan"), function("sinh", field: 750, "Sinh"),
      function("cosh", field: 755, "Cosh"), function("asinh", field: 770, "Asinh"),
      function("acosh", field: 775, "Acosh"), function("atanh", field: 780, "Atanh"),
      function("erf", field: 790, "Erf"), function("logicalNot", field: 850, "Not"),
    ]

  /// A layer without parameters that is an operator of ONNX.
  private static func function(_ name: String, field: Int, _ type: String) -> CoreMLLayerType {
    CoreMLLayerType(name, field: field) { try $0.map(type) }
  }

  /// The layer `unary`: a function of `scale · x + shift`.
  private static func unary(_ call: inout CoreMLCall) throws {
    let (kind, alpha, epsilon, shift, scale) = (1, 2, 3, 4, 5)
    let number = FileValue.number(try call.fields.float(alpha))
    let stated = try call.fields.float(scale)
    let type = try call.fields.int(kind)
    let usesEpsilon = type == 1 || type == 2
    // A file that states no scale means 1.
    let moved = try affine(
      &call, try call.value(), stated == 0 ? 1 : stated,
      try call.fields.float(shift) + (usesEpsilon ? try call.epsilon(epsilon) : 0))
    switch type {
    case 0: call.set(try call.node("Sqrt", [moved]))
    case 1: call.set(try call.node("Reciprocal", [try call.node("Sqrt", [moved])]))
    case 2: call.set(try call.node("Reciprocal", [moved]))
    case 3: call.set(try call.node("Pow", [moved, number]))
    case 4: call.set(try call.node("Exp", [moved]))
    case 5: call.set(try call.node("Log", [moved]))
    case 6: call.set(try call.node("Abs", [moved]))
    case 7: call.set(try call.node("Max", [moved, number]))
    default: throw NodeFailure.unsupported("type \(type)")
    }
  }
}
