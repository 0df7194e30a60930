import Forge
import ForgeTestSupport
import Testing

/// Weights below the smallest normal number, which become zero beside others of their output.
///
/// Only the first channel of the first pixel of the input is not 0, and only a denormal weight meets
/// it, so that the first output shows whether the weight is there: 2⁻¹³⁰ · 2¹¹⁰ = 2⁻²⁰.
@Suite struct TinyWeightTests {
  private static let tiny: Float = 0x1p-130
  private static let large: Float = 0x1p110
  private static let kept: Float = 0x1p-20

  /// An output: its other weights, its bias, and what it is.
  private struct Output {
    let weight, bias, expected: Float
  }

  private static let outputs = [
    Output(weight: 0.5, bias: 0, expected: 0),
    Output(weight: -0x1p-64, bias: 0, expected: 0),
    Output(weight: 0x1p-65, bias: 0, expected: kept),
    // Denormal numbers are all that this output has.
    Output(weight: 0x1p-128, bias: 0, expected: kept),
    Output(weight: 0, bias: -1, expected: -1),
    Output(weight: 0x1p-140, bias: 0x1p-64, expected: 0x1p-64),
    Output(weight: 0x1p-140, bias: 0x1p-65, expected: kept),
    Output(weight: 0.25, bias: 3, expected: 3),
  ]

  /// The layers that sum weighted inputs, with the sizes of an input.
  enum Case: String, CaseIterable, CustomTestStringConvertible {
    case dense, pointwise, convolution, strided, grouped, depthwise, multiplied

    var testDescription: String { rawValue }

    fileprivate var sizes: (width: Int, height: Int, channels: Int) {
      switch self {
      case .dense: (1, 1, 7)
      case .pointwise: (3, 5, 19)
      case .convolution: (7, 5, 17)
      case .strided: (7, 5, 3)
      case .grouped: (5, 4, 12)
      case .depthwise: (5, 4, 8)
      case .multiplied: (5, 4, 4)
      }
    }

    fileprivate var layer: any Layer {
      let count = TinyWeightTests.outputs.count
      return switch self {
      case .dense: Dense(neurons: count, name: "layer")
      case .pointwise: PointwiseConvolution(channels: count, name: "layer")
      case .convolution:
        Convolution(kernel: (3, 3), channels: count, padding: .valid, name: "layer")
      case .strided:
        Convolution(
          kernel: (3, 3), channels: count, stride: (2, 2), padding: .valid, name: "layer")
      case .grouped:
        Convolution(kernel: (3, 3), channels: count, padding: .valid, groups: 2, name: "layer")
      case .depthwise: DepthwiseConvolution(kernel: (3, 3), padding: .valid, name: "layer")
      case .multiplied:
        DepthwiseConvolution(kernel: (3, 3), padding: .valid, multiplier: 2, name: "layer")
      }
    }

    /// The weights of an output.
    fileprivate var weightCount: Int {
      switch self {
      case .dense, .pointwise: sizes.channels
      case .convolution, .strided: 9 * sizes.channels
      case .grouped: 9 * sizes.channels / 2
      case .depthwise, .multiplied: 9
      }
    }

    /// The channels of the first pixel that the denormal weights meet.
    fileprivate var channels: [Int] {
      switch self {
      case .dense, .pointwise, .convolution, .strided: [0]
      case .grouped: [0, sizes.channels / 2]
      case .depthwise, .multiplied: Array(0..<sizes.channels)
      }
    }
  }

  private func model(_ kind: Case) -> Model {
    let input = Input(
      width: kind.sizes.width, height: kind.sizes.height, channels: kind.sizes.channels)
    return Model(input: input, output: input.chained(to: kind.layer))
  }

  private func parameters(_ kind: Case) -> ParameterDictionary {
    let weights = Self.outputs.flatMap { output in
      [Self.tiny] + Array(repeating: output.weight, count: kind.weightCount - 1)
    }
    return ParameterDictionary(["layer": [.weights: weights, .biases: Self.outputs.map(\.bias)]])
  }

  /// The sum of an output is exact, so that all instruction sets have the same.
  @Test(arguments: Case.allCases)
  func becomeZeroBesideLargerOnes(_ kind: Case) throws {
    var values = [Float](
      repeating: 0, count: kind.sizes.width * kind.sizes.height * kind.sizes.channels)
    for channel in kind.channels { values[channel] = Self.large }
    for set in CompileOptions.InstructionSet.present {
      let options = CompileOptions(
        disabledRewrites: ["winograd", "strassen"], instructionSet: set)
      let network = try model(kind).compile(parameters: parameters(kind), options: options)
      let results = try network.predict(values)
      #expect(
        Array(results.prefix(Self.outputs.count)) == Self.outputs.map(\.expected), "\(set)")
    }
  }

  /// The reference executor has all weights; for inputs of like magnitude it has the same results.
  @Test(arguments: Case.allCases)
  func changeNoResult(_ kind: Case) throws {
    let options = CompileOptions(verify: .samples(3))
    let count = Self.outputs.count * kind.weightCount
    var weights = seededValues(count: count, seed: 3)
    for index in weights.indices where index % 5 == 2 { weights[index] *= 0x1p-130 }
    var flushed = weights
    for index in weights.indices where index % 5 == 2 { flushed[index] = 0 }
    let biases = Self.outputs.map(\.bias)
    let values = seededValues(
      count: kind.sizes.width * kind.sizes.height * kind.sizes.channels, seed: 4)
    let results = try [weights, flushed].map { weights in
      try model(kind).compile(
        parameters: ParameterDictionary(["layer": [.weights: weights, .biases: biases]]),
        options: options
      ).predict(values)
    }
    #expect(results[0].bits == results[1].bits)
  }

  /// What is infinite or NaN meets a weight of 0.
  @Test func zeroTimesInfinityIsNaN() throws {
    var values = [Float](repeating: 0, count: 7)
    values[0] = .infinity
    let results = try model(.dense).compile(parameters: parameters(.dense)).predict(values)
    #expect(results[0].isNaN)
    #expect(results[3] == .infinity)
  }

  /// Recurrent weights have rows, too; what is added to a unit is not known.
  @Test func recurrentWeights() throws {
    let (units, inputs) = (17, 1)
    let input = Input(shape: [2, inputs])
    let model = Model(
      input: input,
      output: input
        --> SimpleRNN(units: units, activation: .linear, useBias: false, name: "rnn"))
    var weights = [Float](repeating: 0, count: units)
    weights[0] = 1
    var recurrent = [Float](repeating: 0, count: units * units)
    for unit in 0..<units { recurrent[unit * units] = Self.tiny }
    // The first unit has another weight; the second one's are all denormal.
    recurrent[1] = 0.5
    let parameters = ParameterDictionary([
      "rnn": [.weights: weights, .recurrentWeights: recurrent]
    ])
    for set in CompileOptions.InstructionSet.present {
      let network = try model.compile(
        parameters: parameters, options: CompileOptions(instructionSet: set))
      let results = try network.predict([Self.large, 0])
      #expect(results[0] == 0, "\(set)")
      #expect(results[1] == Self.kept, "\(set)")
    }
  }

  /// Layers that share weights and differ in their biases have the weights that belong to these.
  @Test func biasesDecideApart() throws {
    let input = Input(width: 1, height: 1, channels: 3, name: "x")
    let model = Model(
      inputs: [input],
      outputs: ["a", "b"].map { input --> Dense(neurons: 1, name: $0) })
    let weights: [Float] = [Self.tiny, 0, 0]
    let parameters = ParameterDictionary([
      "a": [.weights: weights, .biases: [1]], "b": [.weights: weights, .biases: [0]],
    ])
    let outputs = try model.compile(parameters: parameters).predict([
      "x": [Self.large, 0, 0] as [Float]
    ])
    #expect(outputs.tensors.map(\.values) == [[1], [Self.kept]])
  }
}
