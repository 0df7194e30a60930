import Forge
import ForgeLayers
import ForgeTestSupport
import Testing

/// Products of integers whose range each prediction finds become operations on bytes.
@Suite struct RunDynamicProductsTests {
  private let scales: [Float] = [0.5, 0.003, 1e-8, 2, 70, 0.1, 1e5]

  /// The real numbers of a product of quantized numbers.
  private func network(
    _ input: Tensor, _ layer: some WeightedLayer, hasBias: Bool = true, scales: [Float]
  ) -> Tensor {
    var layer = layer
    layer.weightScales = [1]
    let range = input --> DynamicRange()
    let integers = [input, range] --> DynamicIntegers()
    let (scale, zero) = (
      range --> Slice(starts: [0], ends: [1]), range --> Slice(starts: [1], ends: [2])
    )
    let product = integers - zero --> layer
    let sums = hasBias ? product + vector(scales.indices.map { Float($0 * 1000 - 2500) }) : product
    let result = sums * (scale * vector(scales))
    return hasBias ? result + vector(scales.map { $0 * 3 }) : result
  }

  /// Numbers as an operand, as files have them.
  private func vector(_ values: [Float]) -> Tensor {
    [Tensor]() --> Constant(values, shape: Shape(sizes: [values.count]))
  }

  /// Multiples of `step` as weights, among them both ends of their range.
  private struct Weights: ParameterSource {
    let range: ClosedRange<Float>
    var step: Float = 1
    var goesByName: Bool { false }

    func parameter(for spec: ParameterSpec) -> (any ParameterData)? {
      var values = seededValues(count: spec.count, seed: 5, range: range)
        .map { ($0 / step).rounded() * step }
      values[0] = range.lowerBound
      values[values.count - 1] = range.upperBound
      return StoredValues(values)
    }
  }

  @Test(
    arguments: [-127...127, -128...127, 0...255, -255...0, -3...200] as [ClosedRange<Float>],
    [1, 5, 67])
  func resultsAreThoseOfTheReference(_ range: ClosedRange<Float>, _ inputs: Int) throws {
    let input = Input(shape: [3, inputs])
    let output = network(
      input, LastAxisDense(neurons: scales.count, useBias: false, name: "w"), scales: scales)
    let model = Model(input: input, output: output --> Activation(.relu))
    let rewritten = try model.compile(parameters: Weights(range: range))
    #expect(rewritten.report.rewrites.first { $0.name == "runDynamicProducts" }?.places == 1)
    let plain = try model.compile(
      parameters: Weights(range: range),
      options: CompileOptions(disabledRewrites: ["runDynamicProducts"]))
    var values = seededValues(count: 3 * inputs, seed: 9, range: -2...1)
    for extreme: Float in [0, 1e25, -.leastNonzeroMagnitude, .leastNormalMagnitude, 40] {
      values[inputs] = extreme
      let (found, expected) = (try rewritten.predict(values), try plain.predict(values))
      for (value, other) in zip(found, expected) {
        #expect(abs(value - other) <= 1e-5 * abs(other) + 1e-30, "\(value), \(other)")
      }
    }
    values = values.map { _ in 0 }
    #expect(try rewritten.predict(values) == plain.predict(values))
  }

  /// Several products of one rearranged input, a residual, and weights times known scales.
  @Test func partsMayBeRearranged() throws {
    let input = Input(shape: [5, 3])
    let range = input --> DynamicRange()
    let integers = [input, range] --> DynamicIntegers()
    let (scale, zero) = (
      range --> Slice(starts: [0], ends: [1]), range --> Slice(starts: [1], ends: [2])
    )
    func product(_ input: Tensor, _ scales: [Float]?, _ name: String) -> Tensor {
      var layer = LastAxisDense(neurons: 7, useBias: scales != nil, name: name)
      layer.weightScales = scales ?? [1]
      return input --> layer
    }
    let turned = integers - zero --> Permute(order: [1, 0])
    let first = product(turned, nil, "a") * (scale * vector(scales)) --> Scale(bias: scales)
    let second = product(turned, nil, "b") * scale
    let third = product((integers - zero) * scale --> Permute(order: [1, 0]), [1], "c")
    let sum = first + second --> Activation(.relu)
    let model = Model(input: input, output: [sum, third] --> Concatenate(axis: 0))
    let rewritten = try model.compile(parameters: Weights(range: -90...127))
    let rewrites = rewritten.report.rewrites
    #expect(rewrites.first { $0.name == "runDynamicProducts" }?.places == 3)
    #expect(rewrites.first { $0.name == "fuseResidual" }?.places == 1)
    // All three read the same integers.
    #expect(rewritten.report.steps.count { $0.kernel == "quantize" } == 1)
    let plain = try model.compile(
      parameters: Weights(range: -90...127),
      options: CompileOptions(disabledRewrites: ["runDynamicProducts"]))
    let values = seededValues(count: 15, seed: 4, range: -1...3)
    let (found, expected) = (try rewritten.predict(values), try plain.predict(values))
    #expect(found.count == 42)
    for (value, other) in zip(found, expected) {
      #expect(abs(value - other) <= 1e-5 * abs(other) + 1e-3, "\(value), \(other)")
    }
  }

  /// A reshape to more channels comes before the range is found: the lanes of images of one channel
  /// are empty.
  @Test func narrowImagesAreReshapedFirst() throws {
    func compiled(_ sizes: [Int]) throws -> CompiledModel {
      let input = Input(shape: sizes)
      let range = input --> DynamicRange()
      let integers = [input, range] --> DynamicIntegers()
      let (scale, zero) = (
        range --> Slice(starts: [0], ends: [1]), range --> Slice(starts: [1], ends: [2])
      )
      var layer = LastAxisDense(neurons: 7, useBias: false, name: "w")
      layer.weightScales = [1]
      let output = (integers - zero) * scale --> Reshape(to: [5, 67]) --> layer
      return try Model(input: input, output: output)
        .compile(parameters: Weights(range: -127...127))
    }
    let (narrow, wide) = (try compiled([5, 67, 1]), try compiled([5, 67]))
    #expect(narrow.report.rewrites.first { $0.name == "runDynamicProducts" }?.places == 1)
    #expect(narrow.report.steps.map(\.kernel) == wide.report.steps.map(\.kernel))
    let values = seededValues(count: 335, seed: 4, range: -1...3)
    #expect(try narrow.predict(values) == wide.predict(values))
  }

  /// A border stands for 0, and a dense layer reads all of an image.
  @Test func convolutionsAndDenseLayers() throws {
    let input = Input(width: 6, height: 5, channels: 3)
    let layers: [any WeightedLayer] = [
      Convolution(kernel: (3, 3), channels: 7, padding: .same, useBias: false, name: "c"),
      Convolution(kernel: (2, 3), channels: 7, stride: (2, 1), useBias: false, name: "c"),
      Dense(neurons: 7, useBias: false, name: "c"),
    ]
    for layer in layers {
      let model = Model(
        input: input, output: network(input, layer, hasBias: false, scales: scales))
      let rewritten = try model.compile(parameters: Weights(range: -100...120))
      let places = rewritten.report.rewrites.first { $0.name == "runDynamicProducts" }?.places
      #expect(places == 1, "\(layer)")
      let plain = try model.compile(
        parameters: Weights(range: -100...120),
        options: CompileOptions(disabledRewrites: ["runDynamicProducts"]))
      let values = seededValues(count: 90, seed: 4, range: 1...3)
      for (value, other) in zip(try rewritten.predict(values), try plain.predict(values)) {
        #expect(abs(value - other) <= 1e-5 * abs(other) + 1e-30)
      }
    }
  }

  /// Weights that are not whole numbers, and scales of another range, stay as they are.
  @Test func othersStay() throws {
    let input = Input(shape: [2, 4])
    let layer = LastAxisDense(neurons: 7, useBias: false, name: "w")
    let model = Model(input: input, output: network(input, layer, scales: scales))
    let halves = try model.compile(parameters: Weights(range: -9...9, step: 0.5))
    #expect(halves.report.rewrites.first { $0.name == "runDynamicProducts" }?.places == 0)
    let wide = try model.compile(parameters: Weights(range: -300...300))
    #expect(wide.report.rewrites.first { $0.name == "runDynamicProducts" }?.places == 0)
  }
}
