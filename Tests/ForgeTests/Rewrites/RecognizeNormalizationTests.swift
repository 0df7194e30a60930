import Forge
import ForgeTestSupport
import Testing

/// Layer and instance normalizations that are written as arithmetic.
@Suite struct RecognizeNormalizationTests {
  private let name = "recognizeNormalization"
  private let input = Input(shape: [5, 7, 13])

  private func mean(_ x: Tensor, _ axes: [Int]) -> Tensor {
    x --> Reduce(.mean, axes: axes, keepsDimensions: true)
  }

  private func difference(_ x: Tensor, _ axes: [Int]) -> Tensor {
    [x, mean(x, axes)] --> Subtract()
  }

  private func constant(_ seed: UInt64, _ sizes: [Int]) -> Tensor {
    let values = seededValues(count: sizes.reduce(1, *), seed: seed)
    return [Tensor]() --> Constant(values, shape: Shape(sizes: sizes))
  }

  /// As PyTorch writes it: the difference over a root, then gamma and beta.
  private func layerNormalization(_ x: Tensor, axes: [Int], sizes: [Int]) -> Tensor {
    let centered = difference(x, axes)
    let variance = mean(centered --> Power(of: [2]), axes)
    let root = variance --> Add(constant: [1e-5]) --> Unary(.squareRoot)
    let normalized = [centered, root] --> Divide()
    return [[normalized, constant(1, sizes)] --> Multiply(), constant(2, sizes)] --> Add()
  }

  @Test(arguments: [([2], [13]), ([-1], [1, 1, 13])])
  func layerNormalizations(axes: [Int], sizes: [Int]) throws {
    try expectRewrite(
      name, places: 1, leaving: ["normalize"], inputs: [input],
      outputs: [layerNormalization(input, axes: axes, sizes: sizes)])
  }

  @Test func layerNormalizationsOfTwoAxes() throws {
    try expectRewrite(
      name, places: 1, leaving: ["normalize", "copy"], inputs: [input],
      outputs: [layerNormalization(input, axes: [1, 2], sizes: [7, 13])])
  }

  @Test func otherSpellings() throws {
    let centered = difference(input, [2])
    let variance = mean(centered --> Unary(.square), [2]) --> Add(constant: [0.25])
    let spellings: [Tensor] = [
      [centered, variance --> Unary(.reciprocalSquareRoot)] --> Multiply(),
      [variance --> Unary(.squareRoot) --> Unary(.reciprocal), centered] --> Multiply(),
      [centered, variance --> Power(of: [-0.5])] --> Multiply(),
      [centered, variance --> Power(of: [0.5])] --> Divide(),
    ]
    for spelling in spellings {
      try expectRewrite(
        name, places: 1, leaving: ["normalize"], inputs: [input], outputs: [spelling])
    }
    // The square of a second difference; a beta without a gamma.
    let second = difference(input, [2])
    let spread = mean([second, second] --> Multiply(), [2]) --> Add(constant: [1e-3])
    let output =
      [[centered, spread --> Unary(.squareRoot)] --> Divide(), constant(3, [13])] --> Add()
    try expectRewrite(
      name, places: 1, leaving: ["normalize"], inputs: [input], outputs: [output])
  }

  @Test func instanceNormalizations() throws {
    let image = Input(width: 9, height: 6, channels: 5)
    try expectRewrite(
      name, places: 1, leaving: ["normalizeMoments", "normalizeGroups", "normalize"],
      inputs: [image], outputs: [layerNormalization(image, axes: [0, 1], sizes: [5])])
    // Channels of a pixel.
    try expectRewrite(
      name, places: 1, leaving: ["normalize"], inputs: [image],
      outputs: [layerNormalization(image, axes: [2], sizes: [5])])
  }

  @Test func gammasOfOtherElementsStayOutside() throws {
    // One factor per row is not a gamma of a normalization of rows.
    let normalized = layerNormalization(input, axes: [2], sizes: [5, 7, 1])
    try expectRewrite(
      name, places: 1, leaving: ["normalize", "multiply", "add"], inputs: [input],
      outputs: [normalized])
  }

  // MARK: Root mean squares

  /// `(mean of x² + epsilon)^−½`.
  private func reciprocalRoot(_ x: Tensor, _ axes: [Int], epsilon: Float = 1e-5) -> Tensor {
    mean(x --> Power(of: [2]), axes) --> Add(constant: [epsilon]) --> Unary(.reciprocalSquareRoot)
  }

  @Test func rootMeanSquares() throws {
    let root = reciprocalRoot(input, [2])
    let square = mean([input, input] --> Multiply(), [2]) --> Add(constant: [1e-3])
    for spelling in [
      [constant(1, [13]), [input, root] --> Multiply()] --> Multiply(),
      [input, [root, constant(1, [1, 1, 13])] --> Multiply()] --> Multiply(),
      [[root, input] --> Multiply(), constant(2, [13])] --> Add(),
      [input, square --> Unary(.squareRoot)] --> Divide(),
      [input, square --> Unary(.squareRoot) --> Unary(.reciprocal)] --> Multiply(),
      [input, square --> Power(of: [-0.5])] --> Multiply(),
    ] {
      try expectRewrite(
        name, places: 1, leaving: ["normalize"], inputs: [input], outputs: [spelling])
    }
    // Of several axes; of differences that are the square of another mean's.
    let two = [[input, reciprocalRoot(input, [1, 2])] --> Multiply(), constant(1, [7, 13])]
    try expectRewrite(
      name, places: 1, leaving: ["normalize", "copy"], inputs: [input],
      outputs: [two --> Multiply()])
    let centered = difference(input, [2])
    try expectRewrite(
      name, places: 1, inputs: [input],
      outputs: [[centered, reciprocalRoot(centered, [1, 2])] --> Multiply()])
  }

  @Test func otherRootsStay() throws {
    let image = Input(width: 9, height: 6, channels: 5)
    let twice = [input, input] --> Add()
    let epsilons = Input(shape: [5, 7, 1])
    let open = [mean(input --> Unary(.square), [2]), epsilons --> Unary(.square)] --> Add()
    for (inputs, x, root) in [
      // Over an axis in the middle, over pixels, of another tensor.
      ([input], input, reciprocalRoot(input, [1])),
      ([image], image, reciprocalRoot(image, [0, 1])),
      ([input], input, reciprocalRoot(twice, [2])),
      // With an epsilon that is not a number, or that is negative.
      ([input, epsilons], input, open --> Unary(.squareRoot) --> Unary(.reciprocal)),
      ([input], input, reciprocalRoot(input, [2], epsilon: -1e-5)),
    ] {
      try expectRewrite(name, places: 0, inputs: inputs, outputs: [[x, root] --> Multiply()])
    }
  }

  // MARK: Means behind the product

  /// As TensorFlow's batch_normalization computes: the mean is taken from the beta.
  private func movedMean(
    _ x: Tensor, _ axes: [Int], _ form: (_ product: Tensor, _ mean: Tensor, _ s: Tensor) -> Tensor,
    gamma: Tensor? = nil
  ) -> Tensor {
    let centered = [x, mean(x, axes)] --> Subtract()
    let root = reciprocalRoot(centered, axes, epsilon: 1e-3)
    let scale = gamma.map { [root, $0] --> Multiply() } ?? root
    return form([x, scale] --> Multiply(), mean(x, axes), scale)
  }

  @Test func meansBehindTheProduct() throws {
    let (gamma, beta) = (constant(3, [13]), constant(4, [13]))
    typealias Form = (Tensor, Tensor, Tensor) -> Tensor
    let forms: [Form] = [
      { [$0, [beta, [$1, $2] --> Multiply()] --> Subtract()] --> Add() },
      { [[beta, [$2, $1 --> Unary(.negate)] --> Multiply()] --> Add(), $0] --> Add() },
      { [$0, [beta, [$1, $2] --> Multiply() --> Unary(.negate)] --> Add()] --> Add() },
      { [[$0, [$1, $2] --> Multiply()] --> Subtract(), beta] --> Add() },
      { [$0, [[$1, $2] --> Multiply(), beta --> Unary(.negate)] --> Add()] --> Subtract() },
      { [$0, [$1 --> Scale(-1), $2] --> Multiply()] --> Add() },
      { [$0, [$1, $2] --> Multiply()] --> Subtract() },
    ]
    for (index, form) in forms.enumerated() {
      for gamma in [gamma, nil] {
        // The negative of a beta is folded to a constant that is subtracted.
        try expectRewrite(
          name, places: index == 4 ? 0 : 1, leaving: index == 4 ? nil : ["normalize"],
          inputs: [input], outputs: [movedMean(input, [2], form, gamma: gamma)])
      }
    }
    let image = Input(width: 9, height: 6, channels: 13)
    try expectRewrite(
      name, places: 1, leaving: ["normalizeMoments", "normalizeGroups", "normalize"],
      inputs: [image], outputs: [movedMean(image, [0, 1], forms[0], gamma: gamma)])
  }

  @Test func otherSumsStay() throws {
    let (gamma, beta) = (constant(3, [13]), constant(4, [13]))
    let other = Input(shape: [5, 7, 13])
    func expectNone(_ inputs: [Tensor], _ output: Tensor) throws {
      try expectRewrite(name, places: 0, inputs: inputs, outputs: [output])
    }
    // The mean is added, is of another tensor, or has another factor.
    try expectNone(
      [input], movedMean(input, [2], { [$0, [$1, $2] --> Multiply(), beta] --> Add() }))
    try expectNone(
      [input, other],
      movedMean(
        input, [2], { p, _, s in [p, [self.mean(other, [2]), s] --> Multiply()] --> Subtract() }))
    try expectNone(
      [input],
      movedMean(
        input, [2], { [$0, [$1, [$2, gamma] --> Multiply()] --> Multiply()] --> Subtract() }))
    // A mean over rows.
    try expectNone(
      [input],
      movedMean(input, [1], { [$0, [$1, $2] --> Multiply()] --> Subtract() }))
  }

  @Test func otherArithmeticStays() throws {
    let centered = difference(input, [2])
    // It is of the values themselves, not of the differences.
    let moment = mean(input --> Unary(.square), [2]) --> Add(constant: [1])
    // The third power is not a variance.
    let cube = mean(centered --> Power(of: [4]), [2]) --> Add(constant: [1])
    // The mean is over an axis in the middle.
    let middle = difference(input, [1])
    let ofMiddle = mean(middle --> Unary(.square), [1]) --> Add(constant: [1])
    for (difference, variance) in [
      (centered, moment), (centered, cube), (middle, ofMiddle),
    ] {
      try expectRewrite(
        name, places: 0, inputs: [input],
        outputs: [[difference, variance --> Unary(.squareRoot)] --> Divide()])
    }
  }

  @Test func partsWithOtherReadersRemain() throws {
    let centered = difference(input, [2])
    let root = mean(centered --> Unary(.square), [2]) --> Add(constant: [1]) --> Unary(.squareRoot)
    let normalized = [centered, root] --> Divide()
    try expectRewrite(name, places: 1, inputs: [input], outputs: [normalized, centered])
    let scaled = [normalized, constant(4, [13])] --> Multiply()
    try expectRewrite(name, places: 1, inputs: [input], outputs: [scaled, normalized])
  }

  /// Factors and terms that are broadcast to more elements stay operations of their own.
  @Test func enlargingFactorsAndTermsStay() throws {
    let matrix = Input(shape: [5, 6]), column = Input(shape: [4, 1])
    func normalized(_ x: Tensor) -> Tensor {
      let root = mean(x --> Unary(.square), [-1]) --> Add(constant: [0.5]) --> Unary(.squareRoot)
      return [x, root] --> Divide()
    }
    for (input, sizes) in [(matrix, [1, 1, 6]), (column, [6]), (matrix, [2, 5, 6])] {
      for enlarged in [
        [normalized(input), constant(3, sizes)] --> Multiply(),
        [normalized(input), constant(4, sizes)] --> Add(),
        [
          layerNormalization(input, axes: [1], sizes: input === matrix ? [6] : [1]),
          constant(5, sizes),
        ] --> Add(),
      ] {
        try expectRewrite(name, places: 1, inputs: [input], outputs: [enlarged])
        let network = try Model(input: input, output: enlarged).compile()
        let values = seededValues(count: input === matrix ? 30 : 4, seed: 9)
        let found = try network.predict([network.inputNames[0]: values])
        #expect(found[network.outputNames[0]]?.shape == network.outputShapes[0])
      }
    }
  }
}
