import Forge
import ForgeSystem

extension ONNXOperators {
  /// The functions of mathematics, of one element each.
  static let functions: [ONNXOperator] = [
    whole(
      "Abs", .absolute, fold: ONNXFolding.unary({ $0 == .min ? nil : abs($0) }, { abs($0) }),
      bounds: .same, sizes: .none),
    whole(
      "Neg", .negate,
      fold: ONNXFolding.unary(
        { ONNXFolding.checked(Int64(0).subtractingReportingOverflow($0)) }, { -$0 }),
      bounds: .same, sizes: .computed(ONNXLengthFolding.negative)),
    whole(
      "Sign", .sign,
      fold: ONNXFolding.unary(
        { $0.signum() }, { $0 > 0 ? 1 : $0 < 0 ? -1 : $0.isNaN ? .nan : 0 }),
      bounds: .same, sizes: .none),
    whole(
      "Floor", .floor, fold: ONNXFolding.unary({ $0 }, { $0.rounded(.down) }), bounds: nil,
      sizes: .computed(ONNXLengthFolding.rounded)),
    whole(
      "Ceil", .ceiling, fold: ONNXFolding.unary({ $0 }, { $0.rounded(.up) }), bounds: nil,
      sizes: .computed(ONNXLengthFolding.rounded)),
    whole(
      "Round", .round, fold: ONNXFolding.unary({ $0 }, { $0.rounded(.toNearestOrEven) }),
      bounds: nil, sizes: .computed(ONNXLengthFolding.rounded)),
    real("Sqrt", .squareRoot, fold: ONNXFolding.unary({ _ in nil }, { $0.squareRoot() })),
    real("Reciprocal", .reciprocal, fold: ONNXFolding.unary({ _ in nil }, { 1 / $0 })),
    real("Exp", .exponential, fold: ONNXFolding.function { exp($0) }),
    real("Log", .logarithm, fold: ONNXFolding.function { log($0) }),
    real("Erf", .errorFunction, fold: ONNXFolding.function { erf($0) }),
    real("Sin", .sine, fold: ONNXFolding.function { sin($0) }),
    real("Cos", .cosine, fold: ONNXFolding.function { cos($0) }),
    real("Tan", .tangent, fold: ONNXFolding.function { tan($0) }),
    real("Asin", .arcsine, fold: ONNXFolding.function { asin($0) }),
    real("Acos", .arccosine, fold: ONNXFolding.function { acos($0) }),
    real("Atan", .arctangent, fold: ONNXFolding.function { atan($0) }),
    real("Sinh", .hyperbolicSine, fold: ONNXFolding.function { sinh($0) }),
    real("Cosh", .hyperbolicCosine, fold: ONNXFolding.function { cosh($0) }),
    real("Asinh", .hyperbolicArcsine, fold: ONNXFolding.function { asinh($0) }),
    real("Acosh", .hyperbolicArccosine, fold: ONNXFolding.function { acosh($0) }),
    real("Atanh", .hyperbolicArctangent, fold: ONNXFolding.function { atanh($0) }),
    real(
      "Softsign", .softsign,
      fold: ONNXFolding.function { $0 / (1 + abs($0)) }),
    .elementwise(
      "Not", import: { try unary(&$0, .logicalNot, type: .bool) },
      fold: .known(ONNXFolding.unary({ $0 == 0 ? 1 : 0 }, { $0 == 0 ? 1 : 0 })), bounds: nil,
      sizes: .none),
    .elementwise(
      "IsNaN", import: { try unary(&$0, .isNaN, type: .bool) },
      fold: .known(ONNXFolding.test { $1.isNaN }), bounds: nil, sizes: .none),
    .elementwise(
      "IsInf",
      import: { call in
        let signs = infinities(call)
        try unary(
          &call, .isInfinite(positive: signs.positive, negative: signs.negative), type: .bool)
      },
      fold: .known(
        ONNXFolding.test { call, value in
          let signs = infinities(call)
          return value.isInfinite && (value > 0 ? signs.positive : signs.negative)
        }), bounds: nil, sizes: .none),
  ]

  /// The infinities that count.
  private static func infinities(_ call: ONNXCall) -> (positive: Bool, negative: Bool) {
    (call.node.int("detect_positive", 1) != 0, call.node.int("detect_negative", 1) != 0)
  }

  /// A function of floating-point numbers; Float32 need not have its results of integers.
  private static func real(
    _ type: String, _ function: UnaryFunction, fold: @escaping ONNXFolding.Fold
  ) -> ONNXOperator {
    whole(type, function, fold: fold, bounds: nil, sizes: .none)
  }

  /// A function of numbers, of integers as far as they have a bound.
  private static func whole(
    _ type: String, _ function: UnaryFunction, fold: @escaping ONNXFolding.Fold,
    bounds: ONNXIntegerBounds.Rule?, sizes: ONNXOperator.Sizes
  ) -> ONNXOperator {
    .elementwise(
      type,
      import: { call in
        try call.refuseIntegers()
        try unary(&call, function)
      }, fold: .known(fold), bounds: bounds, sizes: sizes)
  }

  static func unary(
    _ call: inout ONNXCall, _ function: UnaryFunction, type: ElementType? = nil
  ) throws {
    let input = try call.network(0)
    let layer = Unary(function, name: call.layerName)
    call.set(try call.apply(layer, to: input.tensor), like: input, type: type)
  }
}
