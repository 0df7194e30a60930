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
    let centred = difference(x, axes)
    let variance = mean(centred --> Power(of: [2]), axes)
    let root = variance --> Add(constant: [1e-5]) --> Unary(.squareRoot)
    let normalised = [centred, root] --> Divide()
    return [[normalised, constant(1, sizes)] --> Multiply(), constant(2, sizes)] --> Add()
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
    let centred = difference(input, [2])
    let variance = mean(centred --> Unary(.square), [2]) --> Add(constant: [0.25])
    let spellings: [Tensor] = [
      [centred, variance --> Unary(.reciprocalSquareRoot)] --> Multiply(),
      [variance --> Unary(.squareRoot) --> Unary(.reciprocal), centred] --> Multiply(),
      [centred, variance --> Power(of: [-0.5])] --> Multiply(),
      [centred, variance --> Power(of: [0.5])] --> Divide(),
    ]
    for spelling in spellings {
      try expectRewrite(
        name, places: 1, leaving: ["normalize"], inputs: [input], outputs: [spelling])
    }
    // The square of a second difference; a beta without a gamma.
    let second = difference(input, [2])
    let spread = mean([second, second] --> Multiply(), [2]) --> Add(constant: [1e-3])
    let output =
      [[centred, spread --> Unary(.squareRoot)] --> Divide(), constant(3, [13])] --> Add()
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
    // One factor per row is no gamma of a normalization of rows.
    let normalised = layerNormalization(input, axes: [2], sizes: [5, 7, 1])
    try expectRewrite(
      name, places: 1, leaving: ["normalize", "multiply", "add"], inputs: [input],
      outputs: [normalised])
  }

  @Test func otherArithmeticStays() throws {
    let centred = difference(input, [2])
    // The variance is taken over other axes than the mean.
    let other = mean(centred --> Unary(.square), [1, 2]) --> Add(constant: [1])
    // It is of the values themselves, not of the differences.
    let moment = mean(input --> Unary(.square), [2]) --> Add(constant: [1])
    // The third power is no variance.
    let cube = mean(centred --> Power(of: [4]), [2]) --> Add(constant: [1])
    // The mean is over an axis in the middle.
    let middle = difference(input, [1])
    let ofMiddle = mean(middle --> Unary(.square), [1]) --> Add(constant: [1])
    for (difference, variance) in [
      (centred, other), (centred, moment), (centred, cube), (middle, ofMiddle),
    ] {
      try expectRewrite(
        name, places: 0, inputs: [input],
        outputs: [[difference, variance --> Unary(.squareRoot)] --> Divide()])
    }
  }

  @Test func partsWithOtherReadersRemain() throws {
    let centred = difference(input, [2])
    let root = mean(centred --> Unary(.square), [2]) --> Add(constant: [1]) --> Unary(.squareRoot)
    let normalised = [centred, root] --> Divide()
    try expectRewrite(name, places: 1, inputs: [input], outputs: [normalised, centred])
    let scaled = [normalised, constant(4, [13])] --> Multiply()
    try expectRewrite(name, places: 1, inputs: [input], outputs: [scaled, normalised])
  }
}
