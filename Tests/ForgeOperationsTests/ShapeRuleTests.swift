import ForgeOperations
import ForgeShapes
import Testing

/// The shape rule of each primitive, with values computed by hand.
@Suite struct ShapeRuleTests {
  /// An operation on shapes and what comes of it.
  struct Rule: Sendable, CustomTestStringConvertible {
    let primitive: Primitive
    let inputs: [[Int?]]
    let output: [Int?]

    init(_ primitive: Primitive, _ inputs: [Int?]..., gives output: [Int?]) {
      self.primitive = primitive
      self.inputs = inputs
      self.output = output
    }

    var testDescription: String { "\(primitive.name) of \(inputs)" }
  }

  static func window(
    _ width: Int, _ height: Int, stride: (Int, Int) = (1, 1), dilation: (Int, Int) = (1, 1),
    _ padding: Padding = .valid
  ) -> ConvolutionGeometry {
    ConvolutionGeometry(
      kernel: Size(width: width, height: height),
      stride: Size(width: stride.0, height: stride.1),
      dilation: Size(width: dilation.0, height: dilation.1), padding: padding)
  }

  static let rules = [
    // (11 − 5) / 2 + 1 = 4 columns, (7 − 3) / 1 + 1 = 5 rows.
    Rule(
      .convolution(window(5, 3, stride: (2, 1)), outputs: 20, groups: 1), [7, 11, 3],
      [20, 3, 5, 3],
      gives: [5, 4, 20]),
    // ⌈11 / 2⌉ columns, ⌈7 / 3⌉ rows.
    Rule(
      .convolution(window(5, 3, stride: (2, 3), .same), outputs: 4, groups: 1), [7, 11, 3],
      gives: [3, 6, 4]),
    // The window covers 2·(3 − 1) + 1 = 5 columns and 3·(2 − 1) + 1 = 4 rows.
    Rule(
      .convolution(window(3, 2, dilation: (2, 3)), outputs: 4, groups: 1), [7, 11, 3],
      gives: [4, 7, 4]),
    // 11 + 2 + 0 − 3 + 1 columns, 7 + 1 + 3 − 3 + 1 rows.
    Rule(
      .convolution(
        window(3, 3, .explicit(top: 1, left: 2, bottom: 3)), outputs: 4, groups: 1), [7, 11, 3],
      gives: [9, 11, 4]),
    Rule(
      .convolution(window(3, 3, .same), outputs: 4, groups: 1), [nil, 11, 3], gives: [nil, 11, 4]),
    Rule(
      .depthwiseConvolution(window(3, 3, .same), multiplier: 3), [7, 11, 5], gives: [7, 11, 15]),
    Rule(.dense(outputs: 10), [7, 11, 5], [10, 385], gives: [1, 1, 10]),
    Rule(.dense(outputs: 10), [385], gives: [1, 1, 10]),
    // ⌊(11 − 3) / 2⌋ + 1 = 5, ⌊(8 − 2) / 3⌋ + 1 = 3.
    Rule(.pooling(.maximum, window(3, 2, stride: (2, 3))), [8, 11, 5], gives: [3, 5, 5]),
    Rule(.globalPooling(.averageInside), [7, 11, 5], gives: [1, 1, 5]),
    Rule(.globalPooling(.maximum), [nil, nil, 5], gives: [1, 1, 5]),
    Rule(.activation(.relu), [7, nil, 5], gives: [7, nil, 5]),
    Rule(.unary(.sine), [7, nil, 5], gives: [7, nil, 5]),
    Rule(.select, [7, 1], [nil, 1, 5], [1], gives: [nil, 7, 5]),
    Rule(.softmax(logarithm: true), [2, 3, 4, 5], gives: [2, 3, 4, 5]),
    Rule(.affine, [7, 11, 5], [5], [5], gives: [7, 11, 5]),
    Rule(
      .batchNormalization(epsilon: 0.1), [7, 11, 5], [5], [5], [5], [5], gives: [7, 11, 5]),
    Rule(.identity, [7, 11, 5], gives: [7, 11, 5]),
    Rule(.binary(.add), [7, 11, 5], [1, 1, 5], gives: [7, 11, 5]),
    Rule(.binary(.subtract), [7, 1, 5], [11, 1], gives: [7, 11, 5]),
    Rule(.pad(Edges(top: 1, left: 2, bottom: 3)), [7, 11, 5], gives: [11, 13, 5]),
    Rule(.crop(Edges(top: 1, left: 2, bottom: 3)), [7, 11, 5], gives: [3, 9, 5]),
    Rule(.concatenate(axis: 2), [7, 11, 5], [7, 11, 3], gives: [7, 11, 8]),
    Rule(.concatenate(axis: 0), [7, 11, 5], [2, 11, 5], [1, 11, 5], gives: [10, 11, 5]),
    Rule(.reshape([5, -1]), [2, 3, 5], gives: [5, 6]),
    Rule(.permute([2, 0, 1]), [7, 11, 5], gives: [5, 7, 11]),
    Rule(.gatherChannels([4, 4, 0]), [7, nil, 5], gives: [7, nil, 3]),
    Rule(
      .resize(.size(Size(width: 3, height: 4), cropSlot: nil), .nearest), [nil, nil, 5],
      gives: [4, 3, 5]),
    Rule(
      .resize(.factor(Size(width: 3, height: 2)), .bilinear), [7, nil, 5], gives: [14, nil, 5]),
  ]

  @Test(arguments: rules)
  func shapeRule(_ rule: Rule) throws {
    #expect(
      try rule.primitive.outputShape(for: rule.inputs.map { Shape($0) }) == Shape(rule.output))
  }

  /// An operation on shapes that do not fit, and the kind of rule they break.
  static let mistakes: [(Primitive, [[Int?]], ShapeError.Kind)] = [
    (.identity, [], .wrongInputCount),
    (.binary(.add), [[7, 11, 5]], .wrongInputCount),
    (.binary(.add), [[7, 11, 5], [7, 11, 4]], .shapeMismatch),
    (.convolution(window(5, 5), outputs: 4, groups: 1), [[4, 11, 5]], .emptyOutput),
    (.convolution(window(0, 5), outputs: 4, groups: 1), [[7, 11, 5]], .invalidArgument),
    (.convolution(window(3, 3), outputs: 4, groups: 1), [[7, 11]], .shapeMismatch),
    (.depthwiseConvolution(window(3, 3), multiplier: 1), [[7, 11, nil]], .unknownSize),
    (.dense(outputs: 10), [[7, nil, 5]], .unknownSize),
    (.dense(outputs: 0), [[7, 11, 5]], .emptyOutput),
    (.pooling(.maximum, window(5, 5)), [[4, 11, 5]], .kernelLargerThanInput),
    (.globalPooling(.maximum), [[7, 5]], .shapeMismatch),
    (.pad(Edges(top: -1)), [[7, 11, 5]], .invalidArgument),
    (.crop(Edges(top: 3, bottom: 4)), [[7, 11, 5]], .emptyOutput),
    (.concatenate(axis: 2), [[7, 11, 5], [7, 10, 5]], .shapeMismatch),
    (.concatenate(axis: 3), [[7, 11, 5]], .invalidArgument),
    (.reshape([4, -1]), [[7, 11, 5]], .shapeMismatch),
    (.reshape([-1, -1]), [[7, 11, 5]], .invalidArgument),
    (.permute([0, 1, 1]), [[7, 11, 5]], .invalidArgument),
    (
      .resize(.size(Size(width: 0, height: 4), cropSlot: nil), .nearest), [[7, 11, 5]],
      .invalidArgument
    ),
    (
      .custom(
        CustomOperation { _ in
          throw CancellationError()
        } body: { _, _ in
        }),
      [[7, 11, 5]], .customRule
    ),
    (
      .custom(
        CustomOperation { _ in
          Shape(sizes: [0])
        } body: { _, _ in
        }), [[7, 11, 5]],
      .emptyOutput
    ),
  ]

  @Test(arguments: mistakes.indices)
  func brokenRule(_ index: Int) throws {
    let (primitive, inputs, kind) = Self.mistakes[index]
    let error = #expect(throws: ShapeError.self) {
      try primitive.outputShape(for: inputs.map { Shape($0) })
    }
    #expect(error?.kind == kind)
  }
}
