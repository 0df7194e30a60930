import ForgeOperations
import ForgeShapes
import ForgeTestSupport
import Testing

/// NaN, infinities and windows without a pixel, by Forge's own rules.
@Suite struct SpecialValueTests {
  static let functions: [ActivationFunction] = [
    .linear, .relu, .relu6, .clipped(minimum: -1, maximum: 1), .clipped(minimum: 1, maximum: 2),
    .leakyReLU(slope: 0.1), .elu(alpha: 0.5), .selu, .sigmoid, .tanh, .hardSigmoid,
    .hardSigmoidKeras2, .hardSigmoidLinear(alpha: 1, beta: 0.25),
    .hardSigmoidLinear(alpha: 1, beta: -0.25), .hardSwish, .swish, .mish, .gelu, .geluTanh,
    .softplus,
  ]

  /// A row of pixels of one channel.
  private func row(_ values: [Double]) throws -> ReferenceTensor {
    try ReferenceTensor(sizes: [1, values.count, 1], values: values)
  }

  private func geometry(_ width: Int, stride: Int, padding: Padding) -> ConvolutionGeometry {
    ConvolutionGeometry(
      kernel: Size(width: width, height: 1), stride: Size(width: stride, height: 1),
      padding: padding)
  }

  @Test func nanStaysInItsWindow() throws {
    let input = try row([1, .nan, -3, 4, 5, -.infinity])
    let pairs = geometry(2, stride: 2, padding: .valid)
    let maximum = try Primitive.pooling(.maximum, pairs).reference(on: [input]).values
    #expect(maximum[0].isNaN)
    #expect(Array(maximum[1...]) == [4, 5])
    let mean = try Primitive.pooling(.averageInside, pairs).reference(on: [input]).values
    #expect(mean[0].isNaN)
    #expect(Array(mean[1...]) == [0.5, -.infinity])
  }

  @Test(arguments: [[.nan, 1.0, 2], [1, .nan, 2], [1, 2, .nan]])
  func maximumFindsNaNAnywhere(_ values: [Double]) throws {
    let input = try row(values)
    #expect(try Primitive.globalPooling(.maximum).reference(on: [input]).values[0].isNaN)
    #expect(try Primitive.globalPooling(.averageInside).reference(on: [input]).values[0].isNaN)
  }

  @Test func maximumOfNegativeInfinities() throws {
    let input = try row([-.infinity, -.infinity])
    #expect(try Primitive.globalPooling(.maximum).reference(on: [input]).values == [-.infinity])
  }

  /// A window of one pixel at −2, 0 and 2: only the middle one meets the image.
  @Test(arguments: [PoolingKind.maximum, .averageInside, .averageAll])
  func windowsOutsideTheImageGiveZero(_ kind: PoolingKind) throws {
    let window = ConvolutionGeometry(
      kernel: .one, stride: Size(width: 2, height: 2), padding: .edges(Edges(all: 2)))
    let input = try row([-5])
    let output = try Primitive.pooling(kind, window).reference(on: [input])
    #expect(output.sizes == [3, 3, 1])
    #expect(output.values == [0, 0, 0, 0, -5, 0, 0, 0, 0])
  }

  /// The window over the last pixel and one of the border: (6 + nothing) / 1 against (6 + 0) / 2.
  @Test func averageKindsDifferAtBorder() throws {
    let input = try row([2, 4, 6])
    let window = geometry(2, stride: 2, padding: .explicit(right: 1))
    #expect(try Primitive.pooling(.averageInside, window).reference(on: [input]).values == [3, 6])
    #expect(try Primitive.pooling(.averageAll, window).reference(on: [input]).values == [3, 3])
  }

  @Test func binaryOperatorsOnSpecialValues() throws {
    let a = try row([.nan, 1, .infinity, -.infinity, 0, -2, -2])
    let b = try row([1, .nan, 2, 2, 3, 0.5, .nan])
    func result(_ operation: BinaryOperator) throws -> [Double] {
      try Primitive.binary(operation).reference(on: [a, b]).values
    }
    for (operation, expected) in [
      (.maximum, [.infinity, 2, 3, 0.5]), (.minimum, [2, -.infinity, 0, -2]),
      (.prelu, [.infinity, -.infinity, 0, -1]),
    ] as [(BinaryOperator, [Double])] {
      let values = try result(operation)
      #expect(values[0].isNaN)
      #expect(Array(values[2..<6]) == expected)
      #expect(values[6].isNaN)
    }
    #expect(try result(.maximum)[1].isNaN)
    #expect(try result(.minimum)[1].isNaN)
    // A slope is not looked at where the value is positive.
    #expect(try result(.prelu)[1] == 1)
  }

  /// What C, NumPy and ONNX Runtime give: comparisons with NaN do not hold, and NaN is true.
  @Test func quotientsAndTruthsOfSpecialValues() throws {
    let nan = Double.nan
    let infinity = Double.infinity
    let a = try row([nan, 1, -1, 0, infinity, -7, 7, 5])
    let b = try row([1, 0, -0.0, 0, infinity, 3, -3, -infinity])
    for (operation, expected) in [
      (.divide, [nan, infinity, infinity, nan, nan, -7.0 / 3, -7.0 / 3, 0]),
      (.power, [nan, 1, 1, 1, infinity, -343, 1.0 / 343, 0]),
      (.remainderOfDividend, [nan, nan, nan, nan, nan, -1, 1, 5]),
      (.remainderOfDivisor, [nan, nan, nan, nan, nan, 2, -2, -infinity]),
      (.equal, [0, 0, 0, 1, 1, 0, 0, 0]), (.notEqual, [1, 1, 1, 0, 0, 1, 1, 1]),
      (.less, [0, 0, 1, 0, 0, 1, 0, 0]), (.lessOrEqual, [0, 0, 1, 1, 1, 1, 0, 0]),
      (.greater, [0, 1, 0, 0, 0, 0, 1, 1]), (.greaterOrEqual, [0, 1, 0, 1, 1, 0, 1, 1]),
      (.and, [1, 0, 0, 0, 1, 1, 1, 1]), (.or, [1, 1, 1, 0, 1, 1, 1, 1]),
      (.xor, [0, 1, 1, 0, 0, 0, 0, 0]),
    ] as [(BinaryOperator, [Double])] {
      let values = try Primitive.binary(operation).reference(on: [a, b]).values
      for (value, expected) in zip(values, expected) {
        #expect(value == expected || value.isNaN && expected.isNaN, "\(operation): \(values)")
      }
    }
  }

  @Test func choicesBroadcast() throws {
    let condition = try ReferenceTensor(sizes: [4, 1], values: [0, -0.0, .nan, -2])
    let yes = try ReferenceTensor(sizes: [1, 1, 2], values: [1, 2])
    let no = try ReferenceTensor(sizes: [1], values: [3])
    let result = try Primitive.select.reference(on: [condition, yes, no])
    #expect(result.sizes == [1, 4, 2])
    #expect(result.values == [3, 3, 3, 3, 1, 2, 1, 2])
  }

  @Test func functionsOfSpecialValues() throws {
    let (nan, infinity) = (Double.nan, Double.infinity)
    let input = try row([nan, infinity, -infinity, 0, -2.5, 2.5])
    for (function, expected) in [
      (.sign, [nan, 1, -1, 0, -1, 1]), (.round, [nan, infinity, -infinity, 0, -2, 2]),
      (.softsign, [nan, 1, -1, 0, -2.5 / 3.5, 2.5 / 3.5]),
      (.logicalNot, [0, 0, 0, 1, 0, 0]), (.isNonzero, [1, 1, 1, 0, 1, 1]),
      (.isNaN, [1, 0, 0, 0, 0, 0]),
      (.isInfinite(positive: true, negative: false), [0, 1, 0, 0, 0, 0]),
      (.isInfinite(positive: false, negative: true), [0, 0, 1, 0, 0, 0]),
      (.roundToFloat16, [nan, infinity, -infinity, 0, -2.5, 2.5]),
      (.roundToBFloat16, [nan, infinity, -infinity, 0, -2.5, 2.5]),
      (.thresholdedReLU(alpha: 2.5), [nan, infinity, 0, 0, 0, 0]),
      (.shrink(bias: 1, lambda: 2), [nan, infinity, -infinity, 0, -1.5, 1.5]),
      (.celu(alpha: 2), [nan, infinity, -2, 0, 2 * (0.286_504_796_860_190_1 - 1), 2.5]),
      (
        .parametricSoftplus(alpha: 2, beta: 1),
        [nan, infinity, 0, 2 * 0.693_147_180_559_945_3, nil, nil]
      ),
    ] as [(UnaryFunction, [Double?])] {
      let values = try Primitive.unary(function).reference(on: [input]).values
      for case (let value, let expected?) in zip(values, expected) {
        #expect(
          abs(value - expected) < 1e-15 || value == expected || value.isNaN && expected.isNaN,
          "\(function): \(values)")
      }
    }
  }

  @Test func roundingToShorterNumbers() throws {
    // Ties go to the even number; 65504 is the largest number of binary16.
    for (function, pairs) in [
      (
        .roundToFloat16,
        [
          (2049, 2048), (2051, 2052), (-2049.5, -2050), (65519, 65504),
          (65520, Double.infinity), (0x1p-25, 0), (-0x1.8p-24, -0x1p-23),
          (0x1.004p-14, 0x1.004p-14),
        ]
      ),
      (
        .roundToBFloat16,
        [(257, 256), (259, 260), (-257.001, -258), (1.2e-40, 0x1p-133), (3.4e38, .infinity)]
      ),
    ] as [(UnaryFunction, [(Double, Double)])] {
      let values = try Primitive.unary(function).reference(on: [row(pairs.map(\.0))]).values
      #expect(values == pairs.map(\.1), "\(function)")
    }
  }

  @Test func softmaxOfInfinities() throws {
    func softmax(_ values: [Double], logarithm: Bool) throws -> [Double] {
      let input = try ReferenceTensor(sizes: [values.count], values: values)
      return try Primitive.softmax(logarithm: logarithm).reference(on: [input]).values
    }
    #expect(try softmax([-.infinity, 3, 3], logarithm: false) == [0, 0.5, 0.5])
    #expect(try softmax([-.infinity, 3], logarithm: true) == [-.infinity, 0])
    // Without the shift by the maximum e¹⁰⁰⁰ would be infinite.
    #expect(try softmax([1000, 1000], logarithm: false) == [0.5, 0.5])
    #expect(try softmax([-1e300, 1e300], logarithm: true) == [-2e300, 0])
    let infinity = Double.infinity
    for values in [[.nan, 1, 2], [1, infinity, 2], [-infinity, -infinity]] {
      #expect(try softmax(values, logarithm: false).allSatisfy(\.isNaN))
      #expect(try softmax(values, logarithm: true).allSatisfy(\.isNaN))
    }
  }

  /// NaN in one row of a tensor does not affect the others.
  @Test func softmaxRowsAreIndependent() throws {
    let input = try ReferenceTensor(sizes: [2, 2], values: [.nan, 1, 7, 7])
    let output = try Primitive.softmax(logarithm: false).reference(on: [input]).values
    #expect(output[0].isNaN && output[1].isNaN)
    #expect(Array(output[2...]) == [0.5, 0.5])
  }

  /// The taps of pixels 0 and 1 hold the NaN at 1, those of pixel 3 do not.
  @Test func convolutionReadsOnlyItsWindow() throws {
    let input = try row([1, .nan, 3, 4])
    let weights = try ReferenceTensor(sizes: [1, 1, 2, 1], values: [1, 1])
    let window = geometry(2, stride: 1, padding: .same)
    let output = try Primitive.convolution(window, outputs: 1, groups: 1).reference(
      on: [input, weights]
    ).values
    #expect(output[0].isNaN && output[1].isNaN)
    #expect(Array(output[2...]) == [7, 4])
  }

  @Test(arguments: functions)
  func activationsKeepNaN(_ function: ActivationFunction) throws {
    let output = try Primitive.activation(function).reference(on: [try row([.nan])])
    #expect(output.values[0].isNaN)
  }

  @Test func exponentialsDoNotOverflow() throws {
    func value(_ function: ActivationFunction, _ x: Double) throws -> Double {
      try Primitive.activation(function).reference(on: [try row([x])]).values[0]
    }
    #expect(try value(.softplus, 1000) == 1000)
    #expect(try value(.softplus, -1000) == 0)
    #expect(try value(.mish, 1000) == 1000)
    #expect(try value(.sigmoid, 1000) == 1)
    #expect(try value(.sigmoid, -1000) == 0)
    #expect(try value(.swish, -1000) == 0)
    // e⁻⁵⁰ is 1.9287498479639178e-22.
    #expect(abs(try value(.softplus, -50) / 1.928_749_847_963_917_8e-22 - 1) < 1e-14)
  }
}
