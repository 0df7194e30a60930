import Forge

/// The layers of Tests/Fixtures/general.safetensors by the names of their cases.
enum GeneralLayers {
  /// All of them.
  static let all: [String: any Layer] = {
    var all: [String: any Layer] = [:]
    for layers in [
      functions, specialFunctions, pairs, specialPairs, reductions, rankings, movements, scatters,
      products,
    ] {
      all.merge(layers) { first, _ in first }
    }
    return all
  }()

  private static let functions: [String: any Layer] = [
    "Abs": .absolute, "Neg": .negate, "Sign": .sign, "Reciprocal": .reciprocal,
    "Exp": .exponential, "Erf": .errorFunction, "Sin": .sine, "Cos": .cosine,
    "Atan": .arctangent, "Sinh": .hyperbolicSine, "Cosh": .hyperbolicCosine,
    "Asinh": .hyperbolicArcsine, "Softsign": .softsign, "Floor": .floor, "Ceil": .ceiling,
    "Round": .round, "Sqrt": .squareRoot, "Log": .logarithm, "Asin": .arcsine,
    "Acos": .arccosine, "Atanh": .hyperbolicArctangent, "Tan": .tangent,
    "Acosh": .hyperbolicArccosine, "Not": .logicalNot, "IsNaN": .isNaN,
    "IsInf both": .isInfinite(positive: true, negative: true),
    "IsInf positive": .isInfinite(positive: true, negative: false),
    "IsInf negative": .isInfinite(positive: false, negative: true),
    "ThresholdedRelu": .thresholdedReLU(alpha: 0.7),
    "Selu": .scaledELU(alpha: 1.3, gamma: 0.9), "Celu": .celu(alpha: 0.6),
    "Shrink": .shrink(bias: 0.3, lambda: 0.8), "rsqrt": .reciprocalSquareRoot,
    "square": .square, "trunc": .truncate, "isNonzero": .isNonzero, "swish": .swish(beta: 1.7),
    "scaledTanh": .scaledTanh(alpha: 1.7, beta: 0.6),
    "parametricSoftplus": .parametricSoftplus(alpha: 0.8, beta: 1.9),
  ].layers("unary") { (function: UnaryFunction) in Unary(function) }

  private static let specialFunctions: [String: any Layer] = [
    "absolute": .absolute, "negate": .negate, "sign": .sign, "reciprocal": .reciprocal,
    "squareRoot": .squareRoot, "square": .square, "exponential": .exponential,
    "logarithm": .logarithm, "floor": .floor, "ceiling": .ceiling, "round": .round,
    "truncate": .truncate, "sine": .sine, "cosine": .cosine, "tangent": .tangent,
    "arcsine": .arcsine, "arccosine": .arccosine, "arctangent": .arctangent,
    "hyperbolicCosine": .hyperbolicCosine, "hyperbolicSine": .hyperbolicSine,
    "hyperbolicArcsine": .hyperbolicArcsine, "hyperbolicArccosine": .hyperbolicArccosine,
    "hyperbolicArctangent": .hyperbolicArctangent,
  ].layers("special") { (function: UnaryFunction) in Unary(function) }

  private static let pairs: [String: any Layer] = {
    var layers: [String: any Layer] = [
      "Mod of the dividend": Remainder(.ofDividend), "Mod of the divisor": Remainder(.ofDivisor),
      "NotEqual": Compare(.notEqual), "And": Logical(.and), "Or": Logical(.or),
      "Xor": Logical(.xor), "Div by numbers": Divide(by: [0.5, -3, 7]),
      "Pow of a number": Power(of: [2.5]), "Mod by a number": Remainder(.ofDividend, by: [1.5]),
      "Greater than a number": Compare(.greater, than: [0.25]),
    ]
    for number in 0..<2 {
      layers["Div \(number)"] = Divide()
      layers["Pow \(number)"] = Power()
      layers["Equal \(number)"] = Compare(.equal)
      layers["Less \(number)"] = Compare(.less)
      layers["LessOrEqual \(number)"] = Compare(.lessOrEqual)
      layers["Greater \(number)"] = Compare(.greater)
      layers["GreaterOrEqual \(number)"] = Compare(.greaterOrEqual)
    }
    layers = layers.layers("binary") { $0 }
    for name in ["of one shape", "with other ranks", "of four axes"] {
      layers["where \(name)"] = Where()
    }
    return layers
  }()

  private static let specialPairs: [String: any Layer] = [
    "divide": Divide(), "power": Power(), "remainderOfDividend": Remainder(.ofDividend),
    "remainderOfDivisor": Remainder(.ofDivisor), "equal": Compare(.equal),
    "notEqual": Compare(.notEqual), "less": Compare(.less), "lessOrEqual": Compare(.lessOrEqual),
    "greater": Compare(.greater), "greaterOrEqual": Compare(.greaterOrEqual),
    "and": Logical(.and), "or": Logical(.or), "xor": Logical(.xor),
  ].layers("special") { (layer: any Layer) in layer }

  private static let reductions: [String: any Layer] = {
    let kinds: [(String, Reduction)] = [
      ("Sum", .sum), ("Mean", .mean), ("Max", .maximum), ("Min", .minimum), ("Prod", .product),
      ("L1", .l1), ("L2", .l2), ("SumSquare", .sumOfSquares), ("LogSum", .logSum),
      ("LogSumExp", .logSumExp),
    ]
    let axes: [([Int]?, keeps: Bool)] = [
      (nil, false), ([0, 1], true), ([-1], false), ([1, 3], false), ([0, -2], true), (nil, true),
      ([0], false),
    ]
    var layers: [String: any Layer] = [:]
    for (index, (name, kind)) in kinds.enumerated() {
      for number in 0..<3 {
        let (axes, keeps) = axes[(3 * index + number) % axes.count]
        layers["reduce \(name) \(number)"] = Reduce(kind, axes: axes, keepsDimensions: keeps)
      }
    }
    layers["reduce image mean"] = Reduce(.mean, axes: [0, 1])
    layers["reduce image maximum"] = Reduce(.maximum, axes: [0, 1], keepsDimensions: true)
    for kind in [Reduction.maximum, .minimum, .sum, .logSumExp] {
      layers["special reduce \(kind)"] = Reduce(kind, axes: [1])
    }
    return layers
  }()

  private static let rankings: [String: any Layer] = {
    var layers: [String: any Layer] = [
      "special argmax": ArgMax(axis: 1), "special argmin": ArgMin(axis: 1),
    ]
    for (text, axis) in [
      ("5x7x3", 0), ("5x7x3", 1), ("5x7x3", -1), ("2x3x4x5", 1), ("13", 0), ("11x7", -2),
    ] {
      layers["softmax \(text) along \(axis)"] = Softmax(axis: axis)
      layers["logsoftmax \(text) along \(axis)"] = LogSoftmax(axis: axis)
    }
    for (text, axis, keeps, last) in [
      ("5x7x3", 0, false, false), ("5x7x3", 1, true, true), ("5x7x3", -1, false, true),
      ("2x3x4x5", 2, false, false), ("13", 0, true, false), ("11x7", -1, true, false),
    ] {
      layers["argmax \(text) along \(axis)"] = ArgMax(
        axis: axis, keepsDimensions: keeps, selectsLast: last)
      layers["argmin \(text) along \(axis)"] = ArgMin(
        axis: axis, keepsDimensions: keeps, selectsLast: last)
    }
    for (text, axis, count, largest) in [
      ("5x7x3", -1, 2, true), ("5x7x3", 0, 5, false), ("2x3x4x5", 2, 3, true),
      ("29", 0, 11, true), ("11x7", 0, 1, false), ("3x41", 1, 17, false),
    ] {
      layers["top \(count) values \(text) along \(axis)"] = TopK(
        count: count, axis: axis, largest: largest)
      layers["top \(count) indices \(text) along \(axis)"] = TopK(
        count: count, axis: axis, largest: largest, output: .indices)
    }
    for (text, axis, exclusive, reversed) in [
      ("5x7x3", 0, false, false), ("5x7x3", 1, true, false), ("5x7x3", -1, false, true),
      ("2x3x4x5", 2, true, true), ("13", 0, false, false), ("11x7", 0, true, true),
    ] {
      layers["cumulative \(text) along \(axis)"] = CumulativeSum(
        axis: axis, exclusive: exclusive, reversed: reversed)
    }
    return layers
  }()

  private static let movements: [String: any Layer] = {
    let large = 1 << 40
    return [
      "slice rows": Slice(starts: [1], ends: [-1]),
      "slice channels": Slice(starts: [3], ends: [16], axes: [-1], steps: [2]),
      "slice backwards": Slice(starts: [-1, -2], ends: [-large, -large], steps: [-2, -1]),
      "slice beyond": Slice(starts: [-100, 3], ends: [100, large], axes: [0, 1], steps: [3, 4]),
      "slice four axes": Slice(
        starts: [1, 0, 3, 4], ends: [2, 3, 0, 0], axes: [0, 1, 2, 3], steps: [1, 2, -1, -3]),
      "gather rows at fixed places": Gather(indices: [-1, 0, 0, 3], axis: 0),
      "gather channels at fixed places": Gather(indices: [18, -19, 4], axis: 2),
      "gather rows": GatherRows(), "gather columns": GatherRows(axis: 1),
      "gather elements of rows": GatherElements(axis: 0),
      "gather elements of channels": GatherElements(axis: -1),
      "expand 1x7x1 to 5x7x3": Expand(to: [5, 7, 3]),
      "expand 3 to 2x5x3": Expand(to: [2, 5, 3]),
      "expand 5x1x3 to 5x1x3": Expand(to: [5, 1, 3]),
      "expand 2x1x4 to 3x1x5x1": Expand(to: [3, 1, 5, 1]),
      "expand 7x3 to 1x3": Expand(to: [1, 3]),
      "tile 3x5x2": Tile([2, 1, 3]), "tile 7": Tile([3]), "tile 2x3x2x3": Tile([1, 2, 2, 1]),
      "squeeze": Squeeze(axes: [0, -2]), "unsqueeze": ExpandDims(axes: [0, -2]),
      "pad with zeros": Pad(before: [1, 2, 0], after: [3, 0, 0]),
      "pad with a number": Pad(before: [1, 0, 2], after: [0, 2, 3], mode: .constant(2.5)),
      "pad mirrored": Pad(before: [4, 0, 1], after: [2, 6, 2], mode: .reflect),
      "pad with edges": Pad(before: [3, 9], after: [1, 0], mode: .edge),
      "pad around": Pad(before: [3, 1], after: [4, 7], mode: .wrap),
      "pad cut": Pad(before: [-1, 2, 0], after: [1, -3, -2]),
      "pad cut at edges": Pad(before: [-1, 2], after: [2, -3], mode: .edge),
    ]
  }()

  private static let scatters: [String: any Layer] = {
    var layers: [String: any Layer] = [:]
    for combination in ScatterCombination.allCases {
      let (name, elements) = (combination.rawValue, "scatter elements of")
      layers["\(elements) rows \(name)"] = ScatterElements(axis: 0, combination: combination)
      layers["\(elements) channels \(name)"] = ScatterElements(
        axis: -1, combination: combination)
      layers["scatter rows \(name)"] = ScatterRows(combination: combination)
      layers["scatter columns \(name)"] = ScatterRows(axis: 1, combination: combination)
    }
    return layers
  }()

  private static let products: [String: any Layer] = {
    var layers: [String: any Layer] = [
      "product transposed": MatMul(transposeA: true, transposeB: true),
      "keras dense of a vector": LastAxisDense(neurons: 5, name: "layer"),
      "keras dense of a sequence": LastAxisDense(neurons: 19, activation: .gelu, name: "layer"),
      "keras dense of pixels": LastAxisDense(neurons: 4, activation: .relu, name: "layer"),
      "keras dense of four axes": LastAxisDense(neurons: 3, useBias: false, name: "layer"),
    ]
    for text in [
      "7x13 by 13x11", "3x1x7x5 by 4x5x9", "1x17 by 17x1", "2x5x3 by 3x19", "85x3 by 3x2",
      "2x3 by 3x193",
    ] {
      layers["product \(text)"] = MatMul()
    }
    return layers
  }()
}

extension Dictionary where Key == String {
  /// A layer for each entry, its name after the name of a family.
  fileprivate func layers(
    _ family: String, _ layer: (Value) -> any Layer
  ) -> [String: any Layer] {
    Dictionary<String, any Layer>(
      map { ("\(family) \($0)", layer($1)) }, uniquingKeysWith: { first, _ in first })
  }
}
