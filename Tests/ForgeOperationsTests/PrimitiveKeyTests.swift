import ForgeOperations
import ForgeShapes
import ForgeSystem
import Testing

/// Keys of operations: two that differ in one argument never share one.
@Suite struct PrimitiveKeyTests {
  private static let geometries: [ConvolutionGeometry] = [
    ConvolutionGeometry(kernel: Size(width: 3, height: 5)),
    ConvolutionGeometry(kernel: Size(width: 5, height: 3)),
    ConvolutionGeometry(kernel: Size(width: 3, height: 5), stride: Size(width: 2, height: 1)),
    ConvolutionGeometry(kernel: Size(width: 3, height: 5), stride: Size(width: 1, height: 2)),
    ConvolutionGeometry(kernel: Size(width: 3, height: 5), dilation: Size(width: 2, height: 1)),
    ConvolutionGeometry(kernel: Size(width: 3, height: 5), padding: .same),
    ConvolutionGeometry(kernel: Size(width: 3, height: 5), padding: .all(1)),
    ConvolutionGeometry(kernel: Size(width: 3, height: 5), padding: .all(2)),
    ConvolutionGeometry(kernel: Size(width: 3, height: 5), rounding: .ceiling),
  ]

  private static let quantizations = [
    Quantization(scale: 0.5, zeroPoint: 3, storage: .int8),
    Quantization(scale: 0.25, zeroPoint: 3, storage: .int8),
    Quantization(scale: 0.5, zeroPoint: 4, storage: .int8),
    Quantization(scale: 0.5, zeroPoint: 3, storage: .uint8),
  ]

  private static let forms: [QuantizedProduct.Form] =
    geometries.prefix(2).map { .convolution($0, outputs: 3, groups: 1) } + [
      .convolution(geometries[0], outputs: 4, groups: 1),
      .convolution(geometries[0], outputs: 3, groups: 3), .depthwise(geometries[0], multiplier: 3),
      .depthwise(geometries[0], multiplier: 1), .dense(outputs: 3), .dense(outputs: 1),
    ]

  private static let tables = [
    ByteTable(from: .int8, to: .int8) { $0 }, ByteTable(from: .int8, to: .uint8) { $0 },
    ByteTable(from: .uint8, to: .int8) { $0 - 128 }, ByteTable(from: .int8, to: .int8) { -$0 },
  ]

  private static let images: [[Primitive]] = [
    geometries.map { .convolution($0, outputs: 3, groups: 1) },
    [
      .convolution(geometries[0], outputs: 4, groups: 1),
      .convolution(geometries[0], outputs: 3, groups: 3),
    ],
    geometries.map { .depthwiseConvolution($0, multiplier: 1) },
    [.depthwiseConvolution(geometries[0], multiplier: 2)],
    geometries.map { .pooling(.maximum, $0) },
    [.pooling(.averageInside, geometries[0]), .pooling(.averageAll, geometries[0])],
    [.globalPooling(.maximum), .globalPooling(.averageInside), .globalPooling(.averageAll)],
    windows.map { .poolingND($0) },
    [
      .interleavePixels(.one, cut: .one), .interleavePixels(Size(width: 2, height: 1), cut: .one),
      .interleavePixels(.one, cut: Size(width: 2, height: 1)),
    ],
    [
      .depthToSpace(Size(width: 2, height: 1), interleaved: false),
      .depthToSpace(Size(width: 1, height: 2), interleaved: false),
      .depthToSpace(Size(width: 2, height: 1), interleaved: true), .spaceToDepth(.one),
      .spaceToDepth(Size(width: 2, height: 1)),
    ],
    [Edges(top: 1), Edges(left: 1), Edges(bottom: 1), Edges(right: 1)].flatMap {
      [.pad($0), .crop($0)]
    },
    [.gatherChannels([1, 0]), .gatherChannels([0, 1]), .gatherChannels([0])],
    [ResizeMode.nearest, .bilinear, .bilinearAntialiased].flatMap {
      [
        .resize(.factor(.one), $0), .resize(.size(.one, cropSlot: nil), $0),
        .resize(.size(.one, cropSlot: ""), $0), .resize(.size(.one, cropSlot: "a"), $0),
        .resize(.factor(Size(width: 2, height: 1)), $0),
      ]
    },
    resamplings.map { .resample($0) },
    [
      SuppressionRule(
        maximumPerClass: 1, iouThreshold: 0.5, scoreThreshold: 0.5, centerPointBoxes: false),
      SuppressionRule(
        maximumPerClass: 2, iouThreshold: 0.5, scoreThreshold: 0.5, centerPointBoxes: false),
      SuppressionRule(
        maximumPerClass: 1, iouThreshold: 0.25, scoreThreshold: 0.5, centerPointBoxes: false),
      SuppressionRule(
        maximumPerClass: 1, iouThreshold: 0.5, scoreThreshold: 0.25, centerPointBoxes: false),
      SuppressionRule(
        maximumPerClass: 1, iouThreshold: 0.5, scoreThreshold: 0.5, centerPointBoxes: true),
    ].map { .nonMaximumSuppression($0) },
  ]

  private static let windows: [PoolingWindow] = {
    func window(
      _ kind: PoolingNDKind = .maximum, kernel: [Int] = [2, 3], strides: [Int] = [1, 1],
      dilations: [Int] = [1, 1], before: [Int] = [0, 0], after: [Int] = [0, 0],
      rounding: WindowRounding = .floor
    ) -> PoolingWindow {
      PoolingWindow(
        kind: kind, kernel: kernel, strides: strides, dilations: dilations, before: before,
        after: after, rounding: rounding)
    }
    return [
      window(), window(.maximumPlace), window(.averageInside), window(.averageAll),
      window(.lp(p: 1)), window(.lp(p: 2)), window(kernel: [3, 2]), window(strides: [1, 2]),
      window(dilations: [1, 2]), window(before: [1, 0]), window(after: [1, 0]),
      window(rounding: .ceiling),
    ]
  }()

  private static let resamplings: [Resampling] =
    [
      ResampleMode.nearest(.roundPreferFloor), .nearest(.roundPreferCeiling), .nearest(.floor),
      .nearest(.ceiling), .linear, .cubic(coefficient: -0.5), .cubic(coefficient: -0.75),
    ].map { Resampling(sizes: [2], filter: .around($0, .halfPixel)) }
    + [
      ResampleCoordinates.halfPixelSymmetric, .pytorchHalfPixel, .alignCorners, .asymmetric,
      .part(from: 0, to: 1), .part(from: 1, to: 0), .tensorflowHalfPixelNearest,
    ].map { Resampling(sizes: [2], filter: .around(.linear, $0)) }
    + [
      Resampling(sizes: [2], filter: .around(.linear, .halfPixel, antialias: true)),
      Resampling(sizes: [2], filter: .around(.linear, .halfPixel, excludesOutside: true)),
      Resampling(sizes: [2], filter: .meanOfParts), Resampling(sizes: [3], filter: .meanOfParts),
      Resampling(sizes: [nil, 2], filter: .meanOfParts),
      Resampling(sizes: [2, nil], filter: .meanOfParts),
      Resampling(sizes: [], scales: [2], filter: .meanOfParts),
      Resampling(sizes: [], scales: [nil, 2], filter: .meanOfParts),
      Resampling(sizes: [2], ratios: [SizeRatio(2, to: 3)], filter: .meanOfParts),
      Resampling(sizes: [2], ratios: [SizeRatio(3, to: 2)], filter: .meanOfParts),
    ]

  private static let arithmetic: [[Primitive]] = [
    [
      .linear, .relu, .relu6, .clipped(minimum: 0, maximum: 1), .clipped(minimum: -0.0, maximum: 1),
      .clipped(minimum: 0, maximum: 2), .leakyReLU(slope: 1), .leakyReLU(slope: 2), .elu(alpha: 1),
      .elu(alpha: 2), .selu, .sigmoid, .tanh, .hardSigmoid, .hardSigmoidKeras2,
      .hardSigmoidLinear(alpha: 1, beta: 2), .hardSigmoidLinear(alpha: 2, beta: 1), .hardSwish,
      .swish, .mish, .gelu, .geluTanh, .softplus,
    ].map { .activation($0) },
    [
      .absolute, .negate, .sign, .reciprocal, .squareRoot, .reciprocalSquareRoot, .square,
      .exponential, .logarithm, .floor, .ceiling, .round, .truncate, .errorFunction, .sine, .cosine,
      .tangent, .arcsine, .arccosine, .arctangent, .hyperbolicSine, .hyperbolicCosine,
      .hyperbolicArcsine, .hyperbolicArccosine, .hyperbolicArctangent, .softsign, .logicalNot,
      .isNonzero, .isNaN, .roundToFloat16, .roundToBFloat16,
      .isInfinite(positive: true, negative: false), .isInfinite(positive: false, negative: true),
      .thresholdedReLU(alpha: 1), .thresholdedReLU(alpha: 2), .scaledELU(alpha: 1, gamma: 2),
      .scaledELU(alpha: 2, gamma: 1), .celu(alpha: 1), .celu(alpha: 2), .swish(beta: 1),
      .swish(beta: 2), .shrink(bias: 1, lambda: 2), .shrink(bias: 2, lambda: 1),
      .scaledTanh(alpha: 1, beta: 2), .scaledTanh(alpha: 2, beta: 1),
      .parametricSoftplus(alpha: 1, beta: 2), .parametricSoftplus(alpha: 2, beta: 1),
    ].map { .unary($0) },
    [
      .add, .subtract, .multiply, .maximum, .minimum, .prelu, .divide, .power, .remainderOfDividend,
      .remainderOfDivisor, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .and,
      .or, .xor,
    ].map { .binary($0) },
    [
      .sum, .mean, .maximum, .minimum, .product, .l1, .l2, .sumOfSquares, .logSum, .logSumExp,
    ].map { .reduceRows($0) },
    [
      .dense(outputs: 7), .dense(outputs: 8), .softmax(logarithm: true), .softmax(logarithm: false),
      .affine, .identity, .select, .matrixProduct, .appendRows, .advance, .rowsFrom,
      .batchNormalization(epsilon: 1e-3), .batchNormalization(epsilon: Float(1e-3).nextUp),
    ],
    [
      .localResponse(size: 3, alpha: 1, beta: 2, bias: 3),
      .localResponse(size: 4, alpha: 1, beta: 2, bias: 3),
      .localResponse(size: 3, alpha: 2, beta: 1, bias: 3),
      .localResponse(size: 3, alpha: 1, beta: 2, bias: 4),
    ],
    [
      Normalization(extent: .lastAxes(1), epsilon: 1),
      Normalization(extent: .lastAxes(2), epsilon: 1),
      Normalization(extent: .groups(1), epsilon: 1),
      Normalization(extent: .lastAxes(1), epsilon: 2),
      Normalization(extent: .lastAxes(1), kind: .rootMeanSquare, epsilon: 1),
      Normalization(extent: .lastAxes(1), kind: .unitLength, epsilon: 1),
    ].map { .normalize($0) },
    trees.map { .treeEnsemble($0) },
    recurrent.map { .recurrent($0) },
    [
      .recurrentPart(recurrent[0], .sequence), .recurrentPart(recurrent[0], .hidden),
      .recurrentPart(recurrent[0], .cells), .recurrentPart(recurrent[1], .sequence),
    ],
    [
      AttentionRule(heads: 4), AttentionRule(heads: 2), AttentionRule(heads: 4, groups: 2),
      AttentionRule(heads: 4, scale: 1), AttentionRule(heads: 4, scale: 2),
      AttentionRule(heads: 4, causalOffset: 0), AttentionRule(heads: 4, causalOffset: 1),
      AttentionRule(heads: 4, cap: 1), AttentionRule(heads: 4, hasPosition: true),
      AttentionRule(heads: 4, mask: .added), AttentionRule(heads: 4, mask: .visible),
    ].map { .attention($0) },
    [
      RotationRule(heads: 1, pairs: .halves), RotationRule(heads: 2, pairs: .halves),
      RotationRule(heads: 1, pairs: .neighbors),
      RotationRule(heads: 1, pairs: .halves, hasPosition: true),
    ].map { .rotate($0) },
  ]

  private static let trees: [TreeEnsembleRule] = {
    func tree(_ question: DecisionTree.Node, weight: Float = 1, node: Int = 1) -> DecisionTree {
      DecisionTree(
        nodes: [question, .leaf, .leaf], votes: [DecisionTree.Vote(node: node, weight: weight)])
    }
    let plain = tree(.question(feature: 3, .less, 0.5, yes: 1, no: 2))
    return [
      TreeEnsembleRule(trees: [plain], targets: 1), TreeEnsembleRule(trees: [plain], targets: 2),
      TreeEnsembleRule(trees: [plain, plain], targets: 1),
      TreeEnsembleRule(trees: [plain], targets: 1, aggregate: .average),
      TreeEnsembleRule(trees: [plain], targets: 1, base: [0]),
      TreeEnsembleRule(trees: [plain], targets: 1, base: [-0.0]),
    ]
      + [
        tree(.question(feature: 2, .less, 0.5, yes: 1, no: 2)),
        tree(.question(feature: 3, .lessOrEqual, 0.5, yes: 1, no: 2)),
        tree(.question(feature: 3, .less, 0.25, yes: 1, no: 2)),
        tree(.question(feature: 3, .less, 0.5, yes: 2, no: 1)),
        tree(.question(feature: 3, .less, 0.5, yes: 1, no: 2, nanIsYes: true)),
        tree(.question(feature: 3, .less, 0.5, yes: 1, no: 2), weight: 2),
        tree(.question(feature: 3, .less, 0.5, yes: 1, no: 2), node: 2),
      ].map { TreeEnsembleRule(trees: [$0], targets: 1) }
  }()

  private static let recurrent: [RecurrentRule] = [
    RecurrentRule(cell: .simple(.tanh), units: 3), RecurrentRule(cell: .simple(.relu), units: 3),
    RecurrentRule(cell: .simple(.tanh), units: 4),
    RecurrentRule(cell: .simple(.tanh), units: 3, isReversed: true),
    RecurrentRule(cell: .simple(.tanh), units: 3, clip: 1),
    RecurrentRule(cell: .simple(.tanh), units: 3, cellClip: 1),
    RecurrentRule(cell: .simple(.tanh), units: 3, optional: [.hidden]),
    RecurrentRule(cell: .simple(.tanh), units: 3, optional: [.hidden, .cells]),
    RecurrentRule(cell: .simple(.tanh), units: 3, hiddenScales: [1], inputScales: nil),
    RecurrentRule(cell: .simple(.tanh), units: 3, hiddenScales: nil, inputScales: [1]),
    RecurrentRule(
      cell: .gru(gates: .sigmoid, candidate: .tanh, resetsAfter: true), units: 3),
    RecurrentRule(
      cell: .gru(gates: .tanh, candidate: .sigmoid, resetsAfter: true), units: 3),
    RecurrentRule(
      cell: .gru(gates: .sigmoid, candidate: .tanh, resetsAfter: false), units: 3),
    RecurrentRule(
      cell: .gru(gates: .sigmoid, candidate: .tanh, resetsAfter: true), units: 3,
      gateBlocks: [0, 2, 1]),
  ]

  private static let places: [[Primitive]] = [
    [
      .concatenate(axis: 0), .concatenate(axis: 1), .gatherElements(axis: 0),
      .gatherElements(axis: 1),
    ],
    [
      .reshape([1, 2]), .reshape([2, 1]), .permute([1, 2]), .permute([2, 1]), .expand([1, 2]),
      .expand([2, 1]), .expand([1]), .expand([]),
    ],
    [
      .slice(starts: [1], sizes: [2], steps: [3]), .slice(starts: [2], sizes: [1], steps: [3]),
      .slice(starts: [1], sizes: [3], steps: [2]), .slice(starts: [1, 2], sizes: [], steps: [3]),
    ],
    [
      .gather(axis: 0, indices: [1], value: 0), .gather(axis: 1, indices: [0], value: 0),
      .gather(axis: 0, indices: [1], value: -0.0), .gather(axis: 0, indices: [1, 1], value: 0),
    ],
    [.gatherRows(axis: 0), .gatherRows(axis: 1), .gatherRows(axis: 0, isChecked: true)],
    ScatterCombination.allCases.flatMap {
      [.scatterElements(axis: 0, $0), .scatterElements(axis: 1, $0)]
    },
    [
      .argumentRows(smallest: true, selectsLast: false),
      .argumentRows(smallest: false, selectsLast: true),
      .cumulativeSum(exclusive: true, reversed: false),
      .cumulativeSum(exclusive: false, reversed: true),
    ],
    [
      .topRows(count: 1, smallest: true, places: false),
      .topRows(count: 2, smallest: true, places: false),
      .topRows(count: 1, smallest: false, places: true),
      .topRows(count: 1, smallest: true, places: true),
    ],
  ]

  private static let integers: [[Primitive]] = [
    quantizations.flatMap { [.quantize($0), .dequantize($0)] },
    forms.map { .quantizedProduct(product($0)) },
    [
      .quantizedProduct(product(forms[0], input: quantizations[1])),
      .quantizedProduct(product(forms[0], scales: [1, 2, 4])),
      .quantizedProduct(product(forms[0], hasZeros: true)),
      .quantizedProduct(product(forms[0], output: quantizations[0])),
      .quantizedProduct(product(forms[0], bounds: 0...7)),
      .quantizedProduct(product(forms[0], bounds: -7...0)),
    ],
    [
      QuantizedPair(
        function: .add, first: quantizations[0], second: quantizations[1],
        output: quantizations[2], bounds: 0...7),
      QuantizedPair(
        function: .multiply, first: quantizations[0], second: quantizations[1],
        output: quantizations[2], bounds: 0...7),
      QuantizedPair(
        function: .add, first: quantizations[1], second: quantizations[0],
        output: quantizations[2], bounds: 0...7),
      QuantizedPair(
        function: .add, first: quantizations[0], second: quantizations[2],
        output: quantizations[1], bounds: 0...7),
      QuantizedPair(
        function: .add, first: quantizations[0], second: quantizations[1],
        output: quantizations[2], bounds: 0...8),
    ].map { .quantizedPair($0) },
    [
      QuantizedPooling(
        kind: .maximum, geometry: nil, input: quantizations[0], output: quantizations[0]),
      QuantizedPooling(
        kind: .averageAll, geometry: nil, input: quantizations[0], output: quantizations[0]),
      QuantizedPooling(
        kind: .maximum, geometry: geometries[0], input: quantizations[0], output: quantizations[0]),
      QuantizedPooling(
        kind: .maximum, geometry: nil, input: quantizations[0], output: quantizations[1]),
      QuantizedPooling(
        kind: .maximum, geometry: nil, input: quantizations[1], output: quantizations[0]),
    ].map { .quantizedPooling($0) },
    tables.flatMap { [.lookup($0), .quantizedConcatenation([$0])] },
    [.quantizedConcatenation([]), .quantizedConcatenation([tables[0], tables[0]])],
    [.dynamicRange, .dynamicQuantize],
    [
      DynamicProduct(
        form: forms[6], weightScales: [1], hasWeightZeros: false, biases: nil, factors: [1],
        offsets: nil),
      DynamicProduct(
        form: forms[7], weightScales: [1], hasWeightZeros: false, biases: nil, factors: [1],
        offsets: nil),
      DynamicProduct(
        form: forms[6], weightScales: [2], hasWeightZeros: false, biases: nil, factors: [1],
        offsets: nil),
      DynamicProduct(
        form: forms[6], weightScales: [1], hasWeightZeros: true, biases: nil, factors: [1],
        offsets: nil),
      DynamicProduct(
        form: forms[6], weightScales: [1], hasWeightZeros: false, biases: [1], factors: [1],
        offsets: nil),
      DynamicProduct(
        form: forms[6], weightScales: [1], hasWeightZeros: false, biases: nil, factors: [2],
        offsets: nil),
      DynamicProduct(
        form: forms[6], weightScales: [1], hasWeightZeros: false, biases: nil, factors: [1],
        offsets: [1]),
    ].map { .dynamicProduct($0) },
    [
      BlockProduct(outputs: 1, blocks: WeightBlocks(size: 32, scales: [1, 2], zeros: [8, 7])),
      BlockProduct(outputs: 2, blocks: WeightBlocks(size: 32, scales: [1, 2], zeros: [8, 7])),
      BlockProduct(outputs: 1, blocks: WeightBlocks(size: 16, scales: [1, 2], zeros: [8, 7])),
      BlockProduct(outputs: 1, blocks: WeightBlocks(size: 32, scales: [2, 1], zeros: [8, 7])),
      BlockProduct(outputs: 1, blocks: WeightBlocks(size: 32, scales: [1, 2], zeros: [7, 8])),
    ].map { .blockProduct($0) },
  ]

  private static func product(
    _ form: QuantizedProduct.Form, input: Quantization = quantizations[0],
    scales: [Float] = [1, 2, 3], hasZeros: Bool = false, output: Quantization? = nil,
    bounds: ClosedRange<Int> = -7...7
  ) -> QuantizedProduct {
    QuantizedProduct(
      form: form, input: input, weightScales: scales, hasWeightZeros: hasZeros, output: output,
      bounds: bounds)
  }

  @Test func noTwoShareAKey() throws {
    let all = (Self.images + Self.arithmetic + Self.places + Self.integers).flatMap(\.self)
    var known: [ContentHash: String] = [:]
    for primitive in all {
      func hash() throws -> ContentHash {
        var key = ContentKey()
        try key.add(primitive)
        return key.hash
      }
      let first = try hash()
      #expect(try hash() == first)
      let text = "\(primitive)"
      #expect(known[first] == nil, "\(known[first] ?? "") and \(text)")
      known[first] = text
    }
    // Every case but `custom` is here.
    #expect(Set(all.map(Self.caseName)).count == 58)
  }

  private static func caseName(_ primitive: Primitive) -> String {
    String("\(primitive)".prefix { $0 != "(" })
  }
}
