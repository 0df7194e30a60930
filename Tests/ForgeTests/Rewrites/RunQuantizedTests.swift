import Forge
import ForgeLayers
import ForgeTestSupport
import Testing

/// Arithmetic that quantizes becomes operations on integers of 8 bits.
@Suite struct RunQuantizedTests {
  private let input = Input(width: 7, height: 5, channels: 6)

  /// A number as an operand, as files have it.
  private func number(_ value: Float) -> Tensor {
    [Tensor]() --> Constant([value], shape: Shape(sizes: [1]))
  }

  /// Integers from 0 to 255 for numbers.
  private func quantized(_ x: Tensor, scale: Float, zeroPoint: Float) -> Tensor {
    let levels = [x, number(scale)] --> Divide() --> Unary(.round)
    return [levels, number(zeroPoint)] --> Add()
      --> Activation(.clipped(minimum: 0, maximum: 255))
  }

  /// The numbers that integers stand for.
  private func dequantized(_ q: Tensor, scale: Float, zeroPoint: Float) -> Tensor {
    [[q, number(zeroPoint)] --> Subtract(), number(scale)] --> Multiply()
  }

  private func bothWays(_ x: Tensor, scale: Float = 0.021, zeroPoint: Float = 117) -> Tensor {
    dequantized(
      quantized(x, scale: scale, zeroPoint: zeroPoint), scale: scale, zeroPoint: zeroPoint)
  }

  /// The number of places that a rewrite changed.
  private func places(_ rewrite: String, _ output: Tensor) throws -> Int {
    let network = try Model(input: input, output: output).compile()
    return try #require(network.report.rewrites.first { $0.name == rewrite }).places
  }

  @Test func quantizationsAreRecognized() throws {
    #expect(try places("recognizeQuantization", bothWays(input)) == 2)
    // A range of no type of 8 bits, and a zero point outside of the type.
    let narrow =
      [input, number(0.5)] --> Divide() --> Unary(.round)
      --> Activation(.clipped(minimum: 0, maximum: 15))
    #expect(try places("recognizeQuantization", narrow) == 0)
    #expect(try places("recognizeQuantization", bothWays(input, zeroPoint: 300)) == 0)
    #expect(try places("recognizeQuantization", bothWays(input, zeroPoint: 0.5)) == 0)
  }

  /// A function between two quantizations is a table, a maximum and a sum are those of integers.
  @Test func functionsAreOnIntegers() throws {
    #expect(try places("runQuantized", bothWays(bothWays(input) --> Activation(.tanh))) == 1)
    let pooled = bothWays(input) --> MaxPooling(kernel: (2, 2), stride: (2, 2))
    #expect(try places("runQuantized", bothWays(pooled)) == 1)
    let sum = bothWays(input) + bothWays(input, scale: 0.1)
    #expect(try places("runQuantized", bothWays(sum, scale: 0.2)) == 1)
    // Only one of the operands is quantized.
    #expect(try places("runQuantized", bothWays(bothWays(input) + input)) == 0)
  }

  /// The border of a convolution stands for 0, whatever made the integers.
  @Test func bordersStandForZero() throws {
    func layer(_ name: String) -> Convolution {
      var layer = Convolution(
        kernel: (3, 3), channels: 5, padding: .same, useBias: false, name: name)
      layer.weightScales = [1]
      return layer
    }
    func convolved(_ x: Tensor, zeroPoint: Float) -> Tensor {
      bothWays(x, scale: 0.04, zeroPoint: zeroPoint) --> layer("c")
    }
    let twice = quantized(input, scale: 0.04, zeroPoint: 50)
    let outputs = [
      convolved(bothWays(input), zeroPoint: 0), convolved(bothWays(input), zeroPoint: 255),
      convolved(bothWays(input) --> Activation(.tanh), zeroPoint: 200),
      convolved(bothWays(input) --> MaxPooling(kernel: (2, 2), stride: (1, 1)), zeroPoint: 9),
    ]
    // Integers that stand for other numbers in two places.
    let both = [50, 7].map { (zeroPoint: Float) in
      dequantized(twice, scale: 0.04, zeroPoint: zeroPoint) --> layer("c\(zeroPoint)")
    }
    let values = seededValues(count: 7 * 5 * 6, seed: 3, range: -1...1)
    for output in outputs + [both[0] + both[1]] {
      let model = Model(input: input, output: output)
      let plain = try model.compile(
        parameters: WholeWeights(),
        options: CompileOptions(disabledRewrites: ["recognizeQuantization"]))
      let network = try model.compile(parameters: WholeWeights())
      let (found, expected) = (try network.predict(values), try plain.predict(values))
      for (value, other) in zip(found, expected) { #expect(abs(value - other) <= 0.05) }
    }
  }

  /// Whole numbers as weights.
  private struct WholeWeights: ParameterSource {
    var goesByName: Bool { false }

    func parameter(for spec: ParameterSpec) -> (any ParameterData)? {
      StoredValues(seededValues(count: spec.count, seed: 7, range: -100...100).map { $0.rounded() })
    }
  }

  /// Tensors of any number of axes are images of bytes on the way.
  @Test(arguments: [[3], [2, 3], [2, 3, 4, 5], [2, 1, 3, 2, 5]])
  func anyNumberOfAxes(_ sizes: [Int]) throws {
    let input = Input(shape: sizes)
    let count = sizes.reduce(1, *)
    let values = seededValues(count: count, seed: 3, range: -3...3)
    for output in [
      bothWays(input), quantized(input, scale: 0.021, zeroPoint: 117),
      bothWays(bothWays(input) --> Activation(.tanh)), bothWays(input + input),
    ] {
      let model = Model(input: input, output: output)
      let plain = try model.compile(
        options: CompileOptions(disabledRewrites: ["recognizeQuantization"]))
      let (found, expected) = (try model.compile().predict(values), try plain.predict(values))
      #expect(found.count == count)
      for (value, other) in zip(found, expected) { #expect(abs(value - other) <= 0.0211) }
    }
  }

  /// Channels are joined as integers, each operand with the quantization of the result.
  @Test(arguments: [[1], [6, 6], [64, 6], [6, 64, 1], [70, 63, 65]])
  func channelsAreJoined(_ channels: [Int]) throws {
    let parts = channels.enumerated().map { index, count in
      bothWays(
        input --> PointwiseConvolution(channels: count, name: "p\(index)"),
        scale: 0.02 * Float(index + 1), zeroPoint: Float(100 + 9 * index))
    }
    let joined = bothWays(parts --> Concatenate(), scale: 0.04)
    let model = Model(
      input: input,
      output: bothWays(joined --> AveragePooling(kernel: (2, 2), stride: (1, 1)), scale: 0.04))
    let parameters = SeededParameters(seed: 5)
    let network = try model.compile(parameters: parameters)
    let copies = network.report.steps.count { $0.kernel == "copy integers" }
    #expect(copies == channels.count, "\(network.report)")
    let plain = try model.compile(
      parameters: parameters,
      options: CompileOptions(disabledRewrites: ["recognizeQuantization"]))
    var values = seededValues(count: 7 * 5 * 6, seed: 3, range: -2...2)
    values[11] = .infinity
    let (found, expected) = (try network.predict(values), try plain.predict(values))
    for (value, other) in zip(found, expected) { #expect(abs(value - other) <= 0.0401) }
    let scalar = try model.compile(
      parameters: parameters, options: CompileOptions(instructionSet: .scalar))
    let reference = try scalar.predict(values)
    for (value, other) in zip(found, reference) { #expect(abs(value - other) <= 0.0401) }
  }

  /// Results are within a quantum of those without the rewrite, and numbers that are not finite
  /// stay in their range.
  @Test func resultsStay() throws {
    let a = bothWays(bothWays(input) --> Activation(.swish), scale: 0.03)
    let b = bothWays(a --> AveragePooling(kernel: (3, 3), stride: (2, 2)), scale: 0.02)
    let output = bothWays(b * bothWays(b --> GlobalAveragePooling()), scale: 0.04)
    let model = Model(input: input, output: output)
    let network = try model.compile()
    let plain = try model.compile(
      options: CompileOptions(disabledRewrites: ["recognizeQuantization"]))
    var values = seededValues(count: 7 * 5 * 6, seed: 3, range: -3...3)
    for extreme: Float in [0, .greatestFiniteMagnitude, -.infinity, .leastNonzeroMagnitude] {
      values[17] = extreme
      let (found, expected) = (try network.predict(values), try plain.predict(values))
      for (value, other) in zip(found, expected) { #expect(abs(value - other) <= 0.0401) }
    }
    values[17] = .nan
    #expect(try network.predict(values).allSatisfy(\.isFinite))
  }
}
