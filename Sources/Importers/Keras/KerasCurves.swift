import Forge

/// Functions of single values that are made of several layers.
enum KerasCurves {
  static let functions: [KerasFunction] = [
    activation("glu", "axis") { try glu($0, axis: $1) },
    activation("sparsemax", "axis") { try sparsemax($0, axis: $1) },
    KerasFunction(
      "squareplus",
      activation: .after(
        .one { call throws(KerasFault) in
          try squareplus(call, 4)
        })
    ) { _ throws(KerasFault) in
      .one { call throws(KerasFault) in
        try squareplus(call, try call.number(call.value("b", at: 1)) ?? 4)
      }
    },
    KerasFunction("sparse_sigmoid", activation: .after(sparseSigmoid)),
    KerasFunction("sparse_plus", activation: .after(sparsePlus)),
    KerasNodes.one("threshold") { nodes in
      let (call, x) = (nodes.call, FileValue.network(try nodes.first()))
      guard let bound = try call.number(call.value("threshold", at: 1)),
        let other = try call.number(call.value("default_value", "value", at: 2))
      else { throw NodeFailure.unsupported("missing arguments") }
      let isAbove = try nodes("Greater", x, FileValue.number(bound))
      return try nodes("Where", isAbove, x, FileValue.number(other))
    },
    KerasNodes.one("expm1") { nodes in
      // tanh(x / 2) · (eˣ + 1), which keeps the digits of small numbers.
      let x = FileValue.network(try nodes.first())
      let tanh = try nodes("Tanh", try nodes("Mul", x, FileValue.number(0.5)))
      let sum = try nodes("Add", try nodes("Exp", x), FileValue.number(1))
      return try nodes("Mul", tanh, sum)
    },
    KerasNodes.one("log1p", body: log1p),
    KerasNodes.one("log2") { try scaledLogarithm($0, 1.442_695_040_888_963_4) },
    KerasNodes.one("log10") { try scaledLogarithm($0, 0.434_294_481_903_251_83) },
    KerasNodes.one("logaddexp") { nodes in
      let (first, second) = try nodes.pair()
      let difference = try nodes("Sub", first, second)
      let small = try nodes("Softplus", try nodes("Neg", try nodes("Abs", difference)))
      let sum = try nodes("Add", try nodes("Max", first, second), small)
      // The difference of equal infinities is not a number.
      return try nodes(
        "Where", try nodes("IsNaN", difference), try nodes("Add", first, second), sum)
    },
    KerasNodes.one("arctan2", "atan2") { nodes in
      let (y, x) = try nodes.pair()
      return try arctangent(nodes, y, x)
    },
    KerasNodes.one("mod", "floormod") { nodes in
      let (first, second) = try nodes.pair()
      return try nodes("Mod", first, second)
    },
    KerasNodes.one("floor_divide", "floordiv") { nodes in
      // The quotient of what is left without the remainder is whole except for rounding.
      let (first, second) = try nodes.pair()
      let rest = try nodes("Mod", first, second)
      return try nodes("Round", try nodes("Div", try nodes("Sub", first, rest), second))
    },
  ]

  /// A function along an axis, which is the last one as an activation.
  private static func activation(
    _ name: String, _ argument: String,
    _ body: @escaping @Sendable (KerasNodes, Int) throws -> FileValue
  ) -> KerasFunction {
    KerasFunction(
      [name],
      activation: .after(
        KerasStep { call throws(KerasFault) in
          try KerasNodes.run(call.plain) { nodes in [try body(nodes, -1)] }
        })
    ) { _ throws(KerasFault) in
      KerasNodes.step { nodes in
        try body(nodes, try nodes.call.integer(nodes.call.value(argument, at: 1), default: -1))
      }
    }
  }

  /// One half of the channels times the sigmoid of the other.
  private static func glu(_ nodes: KerasNodes, axis stated: Int) throws -> FileValue {
    let x = try nodes.first()
    let axis = try nodes.axis(stated, rank: x.rank)
    guard x.sizes[axis].isMultiple(of: 2) else {
      throw NodeFailure.invalid("\(x.sizes[axis]) values in two halves")
    }
    let halves = try nodes.all(
      "Split", [.network(x)], ["axis": .int(axis), "num_outputs": .int(2)], outputs: 2)
    return try nodes("Mul", halves[0], try nodes("Sigmoid", halves[1]))
  }

  /// Keras's formula: of the sums of the largest, those in the support are added up.
  private static func sparsemax(_ nodes: KerasNodes, axis stated: Int) throws -> FileValue {
    let x = try nodes.first()
    let axis = try nodes.axis(stated, rank: x.rank)
    let count = x.sizes[axis]
    let descending = try nodes.all(
      "TopK", [.network(x), FileValue.integers([count])], ["axis": .int(axis)],
      outputs: 2)[0]
    let sums = try nodes("CumSum", descending, FileValue.integers([axis]))
    var sizes = x.sizes.map { _ in 1 }
    sizes[axis] = count
    let ranks = HostTensor(floats: (1...max(count, 1)).map { Float($0) }, sizes: sizes)
    let mean = try nodes("Div", try nodes("Sub", sums, FileValue.number(1)), .host(ranks))
    let isIn = try nodes("Greater", try nodes("Sub", descending, mean), FileValue.number(0))
    let along: [String: NodeAttribute] = ["axes": .ints([Int64(axis)]), "keepdims": .int(1)]
    let ones = try nodes("Where", isIn, FileValue.number(1), FileValue.number(0))
    let size = try nodes("ReduceSum", ones, with: along)
    let inside = try nodes("Where", isIn, sums, FileValue.number(0))
    let sum = try nodes("Sub", try nodes("ReduceSum", inside, with: along), FileValue.number(1))
    let rest = try nodes("Sub", .network(x), try nodes("Div", sum, size))
    return try nodes("Max", rest, FileValue.number(0))
  }

  /// `(x + √(x² + b)) / 2`.
  private static func squareplus(_ call: KerasCall, _ b: Float) throws(KerasFault) -> KerasTensor {
    let input = try call.only()
    let square = try call.apply(Unary(.square), to: input.tensor)
    let sum = try call.apply(Add(constant: [b]), to: square)
    let root = try call.apply(Unary(.squareRoot), to: sum)
    let twice = try call.apply(Add(), to: input.tensor, root)
    return KerasTensor(
      tensor: try call.apply(Scale(0.5, name: call.name), to: twice), rank: input.rank)
  }

  /// `(x + 1) / 2` from −1 to 1, 0 below and 1 above.
  private static let sparseSigmoid = KerasStep { call throws(KerasFault) in
    try KerasNodes.run(call.plain) { nodes in
      let x = FileValue.network(try nodes.first())
      let line = try nodes("Mul", try nodes("Add", x, FileValue.number(1)), FileValue.number(0.5))
      return [try pieces(nodes, x, line, FileValue.number(1))]
    }
  }

  /// `(x + 1)² / 4` from −1 to 1, 0 below and `x` above.
  private static let sparsePlus = KerasStep { call throws(KerasFault) in
    try KerasNodes.run(call.plain) { nodes in
      let x = FileValue.network(try nodes.first())
      let line = try nodes("Add", x, FileValue.number(1))
      let curve = try nodes("Mul", try nodes("Mul", line, line), FileValue.number(0.25))
      return [try pieces(nodes, x, curve, x)]
    }
  }

  /// 0 up to −1, a curve up to 1, and other values from there on.
  private static func pieces(
    _ nodes: KerasNodes, _ x: FileValue, _ curve: FileValue, _ above: FileValue
  ) throws -> FileValue {
    let isAbove = try nodes("GreaterOrEqual", x, FileValue.number(1))
    let isBelow = try nodes("LessOrEqual", x, FileValue.number(-1))
    let upper = try nodes("Where", isAbove, above, curve)
    return try nodes("Where", isBelow, FileValue.number(0), upper)
  }

  /// `2·artanh(1 / (1 + 2/x))` where that keeps more digits than `ln(1 + x)`.
  private static func log1p(_ nodes: KerasNodes) throws -> FileValue {
    let x = FileValue.network(try nodes.first())
    let part = try nodes("Add", try nodes("Div", FileValue.number(2), x), FileValue.number(1))
    let small = try nodes(
      "Mul", try nodes("Atanh", try nodes("Reciprocal", part)), FileValue.number(2))
    let large = try nodes("Log", try nodes("Add", x, FileValue.number(1)))
    let isSmall = try nodes("Less", try nodes("Abs", x), FileValue.number(0.5))
    return try nodes("Where", isSmall, small, large)
  }

  private static func scaledLogarithm(_ nodes: KerasNodes, _ factor: Float) throws -> FileValue {
    try nodes("Mul", try nodes("Log", .network(try nodes.first())), FileValue.number(factor))
  }

  /// The angle of `(x, y)`.
  static func arctangent(
    _ nodes: KerasNodes, _ y: FileValue, _ x: FileValue
  ) throws -> FileValue {
    var (y, x) = (y, x)
    func isNegative(_ value: FileValue) throws -> FileValue {
      // The reciprocal tells −0 from 0.
      try nodes(
        "Or", try nodes("Less", value, FileValue.number(0)),
        try nodes("Less", try nodes("Reciprocal", value), FileValue.number(0)))
    }
    // Of two infinities the signs count.
    let isInfinite = try nodes("And", try nodes("IsInf", x), try nodes("IsInf", y))
    let (signX, signY) = (try nodes("Sign", x), try nodes("Sign", y))
    x = try nodes("Where", isInfinite, signX, x)
    y = try nodes("Where", isInfinite, signY, y)
    let isZero = try nodes(
      "And", try nodes("Equal", x, FileValue.number(0)),
      try nodes("Equal", y, FileValue.number(0)))
    let angle = try nodes("Atan", try nodes("Div", y, x))
    let near = try nodes("Where", isZero, FileValue.number(0), angle)
    let half = try nodes(
      "Where", try isNegative(y), FileValue.number(-.pi), FileValue.number(.pi))
    return try nodes(
      "Add", near, try nodes("Where", try isNegative(x), half, FileValue.number(0)))
  }
}

extension KerasCall {
  /// The call with its only tensor as its only argument, as an activation behind a layer has it.
  fileprivate var plain: KerasCall {
    KerasCall(
      layer: layer, name: name, inputs: inputs, arguments: inputs.map { .tensor($0) },
      keywords: [:], reads: reads)
  }
}
