import Forge
import ForgeTestSupport
import Testing

/// Sequences whose lengths are a progression, in networks with strides along them.
@Suite struct SteppingLengthTests {
  /// A network for inputs of the sizes that are given, varying or fixed.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    /// The sizes that vary, one for each input.
    let sizes: [InputSize]
    /// The number of values of each input for one row along the axis that varies.
    let units: [Int]
    let make: @Sendable (_ sizes: [InputSize]) -> Model
    var testDescription: String { name }

    /// The sizes at each place.
    var places: [[Int]] {
      let all = sizes.map { size -> [Int] in
        guard case .stepping(let first, let last, let step) = size else {
          return Array(1...size.maximum)
        }
        return Array(stride(from: first, through: last, by: step))
      }
      return all[0].indices.map { place in all.map { $0[place] } }
    }

    func values(_ sizes: [Int], names: [String]) -> [String: [Float]] {
      var random = SplitMix64(seed: UInt64(sizes[0]))
      return Dictionary(
        uniqueKeysWithValues: names.indices.map { index in
          (names[index], (0..<sizes[index] * units[index]).map { _ in random.nextSymmetric() })
        })
    }
  }

  static let cases: [Case] = [
    Case(
      name: "the front of a speech model",
      sizes: [.stepping(from: 400, through: 400 + 320 * 9, by: 320)], units: [1],
      make: { sizes in
        let sound = Input(shape: [sizes[0], 1], name: "sound")
        var x = sound
        for (index, (kernel, stride)) in zip([10, 3, 3, 3, 3, 2, 2], [5, 2, 2, 2, 2, 2, 2])
          .enumerated()
        {
          x =
            x
            --> Convolution1D(
              kernel: kernel, channels: 12, stride: stride, padding: .valid, activation: .gelu,
              name: "conv\(index)")
        }
        return Model(
          inputs: [sound],
          outputs: [x --> TransformerEncoder(heads: 3, hidden: 20).named("block"), x])
      }),
    Case(
      name: "a U-Net along time",
      sizes: [.stepping(from: 8, through: 88, by: 8)], units: [3],
      make: { sizes in
        let input = Input(shape: [sizes[0], 3], name: "x")
        func block(_ x: Tensor, _ channels: Int, _ name: String) -> Tensor {
          x
            --> Convolution1D(
              kernel: 5, channels: channels, padding: .same, activation: .relu, name: name)
        }
        func up(_ x: Tensor, _ channels: Int, _ name: String) -> Tensor {
          x --> TransposedConvolution1D(kernel: 4, channels: channels, stride: 2, name: name)
        }
        let a = block(input, 8, "a")
        let b = block(a --> MaxPooling1D(kernel: 2), 16, "b")
        let c = block(b --> AveragePooling1D(kernel: 2), 24, "c")
        let d = block([up(c, 16, "up1"), b] --> Concatenate(), 16, "d")
        let e = block([up(d, 8, "up2"), a] --> Concatenate(), 8, "e")
        return Model(input: input, output: e --> LastAxisDense(neurons: 2, name: "f"))
      }),
    Case(
      name: "frames at another rate",
      sizes: [.stepping(from: 20, through: 240, by: 20), .upTo(12)], units: [2, 7],
      make: { sizes in
        let sound = Input(shape: [sizes[0], 2], name: "sound")
        let frames = Input(shape: [sizes[1], 7], name: "frames")
        let heard =
          sound
          --> Convolution1D(kernel: 20, channels: 7, stride: 20, padding: .valid, name: "conv")
        let both = [heard, frames] --> Add()
        return Model(
          inputs: [sound, frames],
          outputs: [
            both --> GRU(units: 9, returnSequences: true, name: "gru"), both --> Softmax(),
            sound --> GlobalMaxPooling1D(),
          ])
      }),
    Case(
      name: "a window that needs some length",
      sizes: [.stepping(from: 5, through: 30, by: 1)], units: [6],
      make: { sizes in
        let input = Input(shape: [sizes[0], 6], name: "x")
        let outputs = [3, 4, 5].map { kernel in
          input
            --> Convolution1D(
              kernel: kernel, channels: 10, padding: .valid, activation: .relu, name: "w\(kernel)")
            --> GlobalMaxPooling1D()
        }
        return Model(
          input: input, output: outputs --> Concatenate() --> Dense(neurons: 3, name: "fc"))
      }),
    Case(
      name: "a line of text in a picture",
      sizes: [.stepping(from: 16, through: 112, by: 4)], units: [16],
      make: { sizes in
        let picture = Input(shape: [16, sizes[0], 1], name: "picture")
        let columns =
          picture
          --> Convolution(kernel: 3, channels: 8, activation: .relu, name: "a")
          --> MaxPooling(kernel: 2, stride: 2)
          --> Convolution(kernel: 3, channels: 16, activation: .relu, name: "b")
          --> MaxPooling(kernel: 2, stride: 2)
          --> Permute(order: [1, 0, 2]) --> Reshape(to: [-1, 64])
        return Model(
          input: picture,
          output: columns
            --> Bidirectional(LSTM(units: 10, returnSequences: true, name: "lstm"))
            --> LastAxisDense(neurons: 11, name: "letters") --> LogSoftmax())
      }),
  ]

  private func network(
    _ testCase: Case, _ sizes: [InputSize], _ options: CompileOptions = CompileOptions()
  ) throws -> CompiledModel {
    var options = options
    options.smallestShare = 0
    return try testCase.make(sizes).compile(
      parameters: RandomParameters(seed: 5), options: options)
  }

  @Test(arguments: cases)
  func everyLengthGivesTheResultsOfItsOwnPlan(_ testCase: Case) throws {
    let network = try network(
      testCase, testCase.sizes, CompileOptions(verify: .samples(3), threads: .exactly(2)))
    let reference = try self.network(
      testCase, testCase.sizes, CompileOptions(backend: ReferenceBackend()))
    let places = testCase.places
    #expect(network.maximumLength == places.last?[0])
    // Down and up, so that each length follows a longer and a shorter one.
    for sizes in places.reversed() + places {
      let values = testCase.values(sizes, names: network.inputNames)
      let expected = try self.network(testCase, sizes.map { .exactly($0) }).predict(values)
      let (found, plain) = (try network.predict(values), try reference.predict(values))
      for name in network.outputNames {
        let (one, other) = (try #require(found[name]), try #require(expected[name]))
        #expect(one.shape == other.shape, "\(name), \(sizes)")
        expectClose(one.values, other.values, relativeL2: 5e-6, "\(name), \(sizes)")
        expectClose(
          one.values, plain[name]?.values ?? [], relativeL2: 5e-6, "\(name), \(sizes), reference")
      }
    }
  }

  @Test func contextsAndRunnersTakeTheSizesThatAreDeclared() async throws {
    let testCase = Self.cases[3]
    let network = try network(testCase, testCase.sizes)
    let context = try Context(network)
    let realtime = try RealtimeContext(network)
    #expect(context.length == 30)
    let runner = try Runner(network, inflightBuffers: 2)
    for size in [30, 5, 17] {
      let values = testCase.values([size], names: ["x"])["x"] ?? []
      let expected = try network.predict(values).bits
      #expect(try context.predict(values).bits == expected)
      #expect(context.length == size)
      #expect(try await runner.predict(values).bits == expected)
      let one = try network.predict(values)
      #expect(try network.predict(values + values, batch: 2).bits == (one + one).bits)
      var output = [Float](repeating: 0, count: 3)
      var span = output.mutableSpan
      try realtime.predict(values.span, into: &span)
      #expect(output.bits == expected)
      try context.setLength(size)
      try realtime.setLength(size)
    }
    #expect(throws: PredictionError.self) { try context.setLength(4) }
    #expect(throws: PredictionError.self) { try realtime.setLength(31) }
    #expect(context.length == 17)
  }

  /// Parts of a stream have whole strides; together they have the bits of the sequence at once.
  @Test func partsOfAStreamHaveWholeStrides() throws {
    let input = Input(shape: [.stepping(from: 4, through: 32, by: 4), 6], name: "x")
    let output =
      input
      --> Convolution1D(kernel: 5, channels: 16, stride: 2, padding: .streaming, name: "a")
      --> Convolution1D(kernel: 3, channels: 16, stride: 2, padding: .streaming, name: "b")
      --> GRU(units: 16, returnSequences: true, stateful: true, name: "gru")
    let network = try Model(input: input, output: output).compile(
      parameters: RandomParameters(seed: 8))
    let values = seededValues(count: 64 * 6, seed: 3)
    func results(_ lengths: [Int]) throws -> [Float] {
      let context = try Context(network)
      var start = 0
      var found: [Float] = []
      for length in lengths {
        found += try context.predict(Array(values[start * 6..<(start + length) * 6]))
        start += length
      }
      return found
    }
    let expected = try results([32, 32])
    #expect(expected.count == 16 * 16)
    #expect(try results([4, 28, 8, 20, 4]).bits == expected.bits)
    #expect(try results(Array(repeating: 4, count: 16)).bits == expected.bits)
    #expect(throws: PredictionError.self) { try results([6]) }
  }

  @Test func sizesBetweenTheStepsAreErrors() throws {
    let testCase = Self.cases[2]
    let network = try network(testCase, testCase.sizes)
    func message(_ sound: Int, _ frames: Int) -> String {
      let values = [
        "sound": [Float](repeating: 1, count: 2 * sound),
        "frames": [Float](repeating: 1, count: 7 * frames),
      ]
      do { _ = try network.predict(values) } catch { return "\(error)" }
      return ""
    }
    #expect(message(60, 3) == "")
    #expect(
      message(70, 3) == """
        input "sound" has the wrong length
          received  140 values
          needs     length×2, with a length from 20 to 240 in steps of 20
          remedy    pad or shorten the sequence, or declare other sizes in Input(shape:)
        """)
    #expect(message(260, 3).hasPrefix("input \"sound\" has the wrong length"))
    #expect(message(0, 3).hasPrefix("input \"sound\" has the wrong length"))
    #expect(
      message(60, 4) == """
        the inputs differ in length
          received  60 in "sound", 4 in "frames"
          needs     3 in "frames" with 60 in "sound"
        """)
    do { try Context(network).setLength(70) } catch {
      #expect("\(error)".contains("needs     a length from 20 to 240 in steps of 20"))
    }
  }

  @Test func progressionsOutOfRangeDoNotCompile() throws {
    func message(_ sizes: InputSize...) -> String {
      let inputs = sizes.map { Input(shape: [$0, 6]) }
      do {
        _ = try Model(inputs: inputs, outputs: inputs.map { $0 --> Softmax() })
          .compile(parameters: RandomParameters(seed: 1))
      } catch { return "\(error)" }
      return ""
    }
    #expect(message(.stepping(from: 1, through: 8, by: 1)) == "")
    #expect(
      message(.stepping(from: 2, through: 16, by: 3)).contains(
        """
        stepping is out of range
          received  stepping: from 2 through 16 by 3
          needs     8 sizes or more, and numbers from 1 to 1048576
        """))
    for (first, last, step) in [
      (0, 40, 1), (-3, 40, 1), (1, 40, 0), (1, 40, -1), (50, 40, 1), (1, 40, .max), (.min, 40, 1),
    ] {
      #expect(
        message(.stepping(from: first, through: last, by: step)).contains("out of range"),
        "\(first) \(last) \(step)")
    }
    #expect(message(.stepping(from: 1, through: 1 << 21, by: 1)).contains("at most 1048576"))
    #expect(!message(.stepping(from: 1, through: .max, by: 1)).isEmpty)
    #expect(!message(.stepping(from: .min, through: .min, by: .min)).isEmpty)
    #expect(
      message(.upTo(12), .stepping(from: 20, through: 220, by: 20)).contains(
        """
        the inputs' lengths have different numbers of sizes
          received  12 (from 1 to 12), 11 (from 20 to 220 in steps of 20)
          needs     the same number of sizes for all inputs, because they are used in pairs
        """))
    // The progression has to fit the strides.
    let x = Input(shape: [.stepping(from: 16, through: 160, by: 3), 4])
    let strided = Model(
      input: x, output: x --> Convolution1D(kernel: 3, channels: 4, stride: 2, name: "conv"))
    #expect(throws: CompileError.self) {
      try strided.compile(parameters: RandomParameters(seed: 1))
    }
  }
}
