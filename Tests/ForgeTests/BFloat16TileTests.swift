import Forge
import ForgeTestSupport
import Testing

/// Convolutions in bfloat16 whose inputs and weights are bfloat16 already.
///
/// Products are then exact in Float32, and results differ from those of Float32 by the rounding of
/// sums alone. Instruction sets without the instructions compute in Float32.
@Suite struct BFloat16TileTests {
  /// Parameters rounded to bfloat16, but biases, which are not multiplied.
  private struct RoundedParameters: ParameterSource {
    let seeded = SeededParameters()
    var goesByName: Bool { false }

    func parameter(for spec: ParameterSpec) -> (any ParameterData)? {
      StoredValues(seeded.values(for: spec).map { spec.type == .biases ? $0 : rounded($0) })
    }
  }

  private func expectSameSums(
    _ model: Model, inputs: Int, at sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let values = seededValues(count: inputs, seed: 5).map(rounded)
    var options = CompileOptions(precision: .float32)
    options.accuracy = 1e-6
    options.disabledRewrites = ["winograd", "strassen", "fixedPointWeights"]
    let expected = try model.compile(parameters: RoundedParameters(), options: options)
      .predict(values)
    for set in CompileOptions.InstructionSet.present {
      for threads in [1, 2] {
        let found = try model.compile(
          parameters: RoundedParameters(),
          options: CompileOptions(
            instructionSet: set, threads: .exactly(threads), precision: .bfloat16)
        ).predict(values)
        let largest = expected.map(abs).max() ?? 1
        for (found, expected) in zip(found, expected) {
          #expect(
            abs(found - expected) <= 1e-5 * largest, "\(set)", sourceLocation: sourceLocation)
        }
        #expect(found.count == expected.count, sourceLocation: sourceLocation)
      }
    }
  }

  /// Kernel width and height, stride, channels, and image width and height.
  static let imageCases: [(Size, Size, Int, Int, Int)] = [
    (Size(width: 7, height: 7), Size(width: 2, height: 2), 3, 41, 37),
    (Size(width: 3, height: 3), Size(width: 1, height: 1), 1, 29, 31),
    (Size(width: 11, height: 1), Size(width: 4, height: 1), 8, 67, 5),
    (Size(width: 5, height: 4), Size(width: 3, height: 2), 4, 23, 19),
    (Size(width: 1, height: 3), Size(width: 1, height: 3), 2, 1, 17),
    (Size(width: 13, height: 2), Size(width: 1, height: 1), 7, 13, 3),
  ]

  @Test("a model input of few channels", arguments: imageCases, [Padding.same, .valid])
  func images(_ test: (Size, Size, Int, Int, Int), padding: Padding) throws {
    let (kernel, stride, channels, width, height) = test
    let input = Input(width: width, height: height, channels: channels)
    for outputs in [1, 20, 64, 67] {
      let model = Model(
        input: input,
        output: input
          --> Convolution(
            kernel: (kernel.width, kernel.height), channels: outputs,
            stride: (stride.width, stride.height), padding: padding, activation: .relu))
      try expectSameSums(model, inputs: width * height * channels)
    }
  }

  @Test("products of rows, one or many", arguments: [1, 2, 15, 16, 17, 33, 197])
  func rows(count: Int) throws {
    let input = Input(shape: [count, 97].map { .exactly($0) })
    let model = Model(
      input: input, output: input --> LastAxisDense(neurons: 70, activation: .relu))
    try expectSameSums(model, inputs: count * 97)
  }

  /// A token's result does not depend on how many others there are.
  @Test func anyLength() throws {
    let input = Input(shape: [.upTo(40), 50])
    let model = Model(
      input: input,
      output: input --> LastAxisDense(neurons: 37, activation: .relu) --> LastAxisDense(neurons: 9))
    let network = try model.compile(
      parameters: SeededParameters(), options: CompileOptions(precision: .bfloat16))
    let values = seededValues(count: 40 * 50, seed: 8)
    let all = try network.predict(values)
    for length in [1, 2, 7, 16, 31] {
      let some = try network.predict(Array(values[..<(length * 50)]))
      #expect(some.bits == Array(all[..<(length * 9)]).bits, "\(length)")
    }
  }

  @Test("NaN stays in the windows that contain it")
  func notFinite() throws {
    let input = Input(width: 40, height: 9, channels: 3)
    let model = Model(
      input: input, output: input --> Convolution(kernel: (3, 3), channels: 16))
    let network = try model.compile(
      parameters: SeededParameters(), options: CompileOptions(precision: .bfloat16))
    var values = seededValues(count: 40 * 9 * 3, seed: 6)
    values[(4 * 40 + 20) * 3 + 1] = .nan
    let found = try network.predict(values)
    for y in 0..<9 {
      for x in 0..<40 {
        let isNear = abs(y - 4) <= 1 && abs(x - 20) <= 1
        #expect(found[(y * 40 + x) * 16].isNaN == isNear, "\(x), \(y)")
      }
    }
  }
}

/// bfloat16 of the nearest value, ties to even.
private func rounded(_ value: Float) -> Float {
  let bits = value.bitPattern
  return Float(bitPattern: (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF_0000)
}
