import Forge
import ForgeModels
import ForgeTestSupport
import Testing

/// Networks compiled for a precision below Float32.
@Suite struct PrecisionTests {
  typealias Precision = CompileOptions.Precision

  static let reduced: [Precision] = [.halfWeights, .bfloat16, .int8]
  /// Those the best instruction set of this machine has, and the scalar level's arithmetic.
  static let present = reduced.filter { report($0).precision == $0 }

  private static func report(
    _ precision: Precision, _ set: CompileOptions.InstructionSet? = nil
  ) -> (precision: Precision, text: String) {
    let input = Input(width: 1, height: 1, channels: 3)
    let model = Model(input: input, output: input --> Dense(neurons: 2))
    let options = CompileOptions(instructionSet: set, precision: precision)
    let network = try? model.compile(parameters: SeededParameters(), options: options)
    return (network?.report.precision ?? .float32, "\(network?.report.description ?? "")")
  }

  /// The relative L2 difference ‖a − b‖ / ‖b‖.
  private func difference(_ a: [Float], _ b: [Float]) -> Double {
    let squares = zip(a, b).reduce(0.0) { $0 + Double($1.0 - $1.1) * Double($1.0 - $1.1) }
    return (squares / b.reduce(0.0) { $0 + Double($1) * Double($1) }).squareRoot()
  }

  /// Pointwise and 3×3 convolutions with and without stride, dilation and residual, dense layers.
  private func network() -> Model {
    let input = Input(width: 23, height: 19, channels: 3)
    let first =
      input --> Convolution(kernel: (3, 3), channels: 24, activation: .relu, name: "first")
    let branch =
      first --> PointwiseConvolution(channels: 40, activation: .relu6, name: "wide")
      --> DepthwiseConvolution(kernel: (3, 3), name: "depthwise")
      --> PointwiseConvolution(channels: 24, name: "narrow")
    let sum = [branch, first] --> Add() --> Activation(.relu, name: "sum")
    let small =
      sum
      --> Convolution(
        kernel: (3, 3), channels: 50, stride: (2, 2), activation: .swish, name: "strided")
      --> Convolution(
        kernel: (3, 3), channels: 33, dilation: (2, 2), activation: .relu, name: "dilated")
    let output =
      small --> Convolution(kernel: (1, 1), channels: 35, stride: (2, 1), name: "skipping")
      --> Dense(neurons: 70, activation: .tanh, name: "fc1") --> Dense(neurons: 11, name: "fc2")
    return Model(input: input, output: output)
  }

  private func options(
    _ precision: Precision, threads: Int = 1, set: CompileOptions.InstructionSet? = nil,
    preference: CompileOptions.Preference = .size
  ) -> CompileOptions {
    var options = CompileOptions(
      instructionSet: set, preference: preference, threads: .exactly(threads),
      precision: precision)
    options.smallestShare = 0
    return options
  }

  @Test func unsupportedPrecisionIsReported() {
    for precision in Self.reduced where !Self.present.contains(precision) {
      print(
        "PrecisionTests: this machine lacks \(precision): it is tested on the scalar level alone")
    }
    for precision in Self.reduced {
      #expect(Self.report(precision, .scalar).precision == precision)
      let (kept, text) = Self.report(precision, .baseline)
      #expect(kept == .float32)
      #expect(text.contains("\nPrecision: float32, as "))
      #expect(text.contains(" is missing for \(precision.rawValue)\n"))
    }
    #expect(!Self.report(.float32).text.contains("Precision"))
  }

  @Test(arguments: CompileOptions.InstructionSet.present, reduced)
  func unsupportedPrecisionFallsBackToFloat32(
    _ set: CompileOptions.InstructionSet, _ precision: Precision
  ) throws {
    guard Self.report(precision, set).precision == .float32 else { return }
    let values = seededValues(count: 23 * 19 * 3, seed: 2)
    let bits = try [precision, .float32].map { precision in
      try network().compile(
        parameters: SeededParameters(), options: options(precision, set: set)
      ).predict(values).bits
    }
    #expect(bits[0] == bits[1])
  }

  /// Every layer that supports reduced precision uses it, within the default bound of `verify`.
  @Test(arguments: CompileOptions.InstructionSet.present, reduced)
  func reducedLayersAndErrorsAreReported(
    _ set: CompileOptions.InstructionSet, _ precision: Precision
  ) throws {
    guard Self.report(precision, set).precision == precision else { return }
    var options = options(precision, set: set)
    options.verify = .samples(3)
    options.keep = ["wide", "narrow", "strided", "fc1"]
    let network = try network().compile(parameters: SeededParameters(), options: options)
    let verification = try #require(network.report.verification)
    #expect(verification.bound == precision.accuracy)
    #expect(verification.errors.count == 5)
    for error in verification.errors {
      #expect(error.relativeL2 > 0)
      #expect(error.relativeL2 <= precision.accuracy)
    }
    let name = [Precision.halfWeights: "half-weight", .bfloat16: "bfloat16", .int8: "int8"]
    let kernels = network.report.steps.map(\.kernel).filter {
      $0.hasPrefix(name[precision] ?? "-") && $0.contains("convolution")
    }
    #expect(kernels.count >= (precision == .halfWeights ? 2 : 7))
    #expect(network.report.description.contains("\nPrecision: \(precision.rawValue)\n"))
    // More than Float32's error.
    #expect(verification.errors[0].relativeL2 > 1e-6)
  }

  @Test func explicitAccuracyIsRespected() throws {
    for precision in [Precision.bfloat16, .int8] {
      var options = options(precision, set: .scalar)
      options.verify = .samples(1)
      options.accuracy = 1e-5
      let error = #expect(throws: CompileError.self) {
        try network().compile(parameters: SeededParameters(), options: options)
      }
      #expect("\(error.map { "\($0)" } ?? "")".contains("needs     at most 1e-05"))
    }
  }

  @Test func defaultAccuracy() {
    var options = CompileOptions()
    #expect(options.accuracy == 1e-5)
    for precision in Precision.allCases {
      options.precision = precision
      #expect(options.accuracy == precision.accuracy)
    }
    options.accuracy = 1e-3
    options.precision = .float32
    #expect(options.accuracy == 1e-3)
    #expect(CompileOptions(accuracy: 1e-4, precision: .int8).accuracy == 1e-4)
  }

  @Test(arguments: reduced, [CompileOptions.Preference.speed, .size])
  func bitsAreIndependentOfThreadsAndPosition(
    _ precision: Precision, _ preference: CompileOptions.Preference
  ) throws {
    let examples = (0..<5).map { seededValues(count: 23 * 19 * 3, seed: 70 + $0) }
    var alone: [Bits]?
    for threads in [1, 2, 5] {
      let network = try network().compile(
        parameters: SeededParameters(),
        options: options(precision, threads: threads, preference: preference))
      let bits = try examples.map { try network.predict($0).bits }
      if let alone { #expect(bits == alone, "\(threads) threads") } else { alone = bits }
      for size in [2, 3, 5] {
        let batch = try network.predict(Array(examples[..<size].joined()), batch: size)
        let expected = try examples[..<size].flatMap { try network.predict($0) }
        #expect(batch.bits == expected.bits, "\(threads) threads, batch \(size)")
      }
    }
  }

  @Test(arguments: reduced)
  func keptLayersPreserveOutputBits(_ precision: Precision) throws {
    let values = seededValues(count: 23 * 19 * 3, seed: 9)
    var options = options(precision)
    let plain = try network().compile(parameters: SeededParameters(), options: options)
    options.keep = ["first", "wide", "depthwise", "narrow", "strided", "fc1"]
    let keeping = try network().compile(parameters: SeededParameters(), options: options)
    #expect(try keeping.predict(values).bits == plain.predict(values).bits)
  }

  /// NaN in one image of a batch does not affect the others.
  @Test(arguments: reduced)
  func nanAffectsOnlyItsImage(_ precision: Precision) throws {
    let network = try network().compile(
      parameters: SeededParameters(), options: options(precision))
    let good = seededValues(count: 23 * 19 * 3, seed: 9)
    for value in [Float.nan, .infinity] {
      var bad = good
      bad[600] = value
      let results = try network.predict(good + bad + good, batch: 3)
      let count = results.count / 3
      #expect(Array(results[..<count]).bits == Array(results[(2 * count)...]).bits)
      #expect(!results[..<count].contains { !$0.isFinite })
      #expect(results[count..<2 * count].contains { !$0.isFinite })
    }
  }

  @Test(arguments: reduced)
  func variableImageSizes(_ precision: Precision) throws {
    let model =
      Model(channels: 3) --> Convolution(kernel: (3, 3), channels: 20, activation: .relu)
      --> PointwiseConvolution(channels: 33) --> GlobalAveragePooling() --> Dense(neurons: 5)
    let full = try model.compile(parameters: SeededParameters(), options: options(.float32))
    let network = try model.compile(parameters: SeededParameters(), options: options(precision))
    for (width, height) in [(9, 7), (31, 2), (1, 1)] {
      let values = TensorValues(
        width: width, height: height, channels: 3,
        values: seededValues(count: width * height * 3, seed: 4))
      #expect(
        difference(try network.predict(values), try full.predict(values))
          < precision.accuracy)
    }
  }

  @Test func float16HalvesParameterMemory() throws {
    let input = Input(width: 7, height: 7, channels: 64)
    let model = Model(input: input, output: input --> Dense(neurons: 128, useBias: false))
    let bytes = try [Precision.float32, .halfWeights, .bfloat16, .int8].map {
      var options = options($0, set: .scalar)
      options.disabledRewrites = ["fixedPointWeights"]
      return try model.compile(parameters: SeededParameters(), options: options)
        .memory.packedParameters
    }
    let weights = 7 * 7 * 64 * 128
    // Zeros for a bias, scales and totals: 128 numbers each.
    #expect(bytes == [4 * weights + 512, 2 * weights + 1024, 2 * weights + 512, weights + 1536])
  }

  @Test func leNetAccuracy() throws {
    let model = Model.leNet()
    let parameters = RandomParameters(seed: 1)
    let values = seededValues(count: 28 * 28, seed: 3)
    let full = try model.compile(parameters: parameters).predict(values)
    for (precision, bound) in [(Precision.halfWeights, 1e-3), (.bfloat16, 1e-2), (.int8, 3e-2)] {
      for set in [CompileOptions.InstructionSet.scalar, nil] {
        let network = try model.compile(
          parameters: parameters, options: options(precision, set: set, preference: .speed))
        let error = difference(try network.predict(values), full)
        #expect(error < bound, "\(precision), \(error)")
      }
    }
  }

  @Test func mobileNetAccuracy() throws {
    let model = Model.mobileNetV1(alpha: 0.5, size: 128, head: .logits)
    let values = seededValues(count: 128 * 128 * 3, seed: 3)
    let full = try model.compile(parameters: SeededParameters()).predict(values)
    for (precision, bound) in [(Precision.halfWeights, 1e-3), (.bfloat16, 5e-2), (.int8, 0.25)] {
      let network = try model.compile(
        parameters: SeededParameters(), options: options(precision, preference: .speed))
      let error = difference(try network.predict(values), full)
      #expect(error < bound, "\(precision), \(error)")
      #expect((error > 0) == Self.present.contains(precision))
    }
  }

  /// The default gives the same steps and bits as explicit Float32.
  @Test func defaultIsFloat32() throws {
    let values = seededValues(count: 23 * 19 * 3, seed: 9)
    let networks = try [CompileOptions(), CompileOptions(precision: .float32)].map {
      try network().compile(parameters: SeededParameters(), options: $0)
    }
    #expect(try networks[0].predict(values).bits == networks[1].predict(values).bits)
    for network in networks {
      #expect(network.report.precision == .float32)
      #expect(
        !network.report.steps.contains {
          $0.kernel.contains("int8") || $0.kernel.contains("bfloat16")
            || $0.kernel.contains("half-")
        })
    }
  }
}
