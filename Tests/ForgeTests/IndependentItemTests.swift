import Forge
import ForgeTestSupport
import Testing

/// Rows of a product, tokens and pixels of a pointwise convolution are independent: the error of
/// each is bounded by its own inputs, and what is not finite stays in it.
///
/// Docs/Accuracy.md has the bounds.
@Suite struct IndependentItemTests {
  /// A network whose output has an item for each item of its input.
  struct Product: CustomStringConvertible, Sendable {
    let name: String
    let items, inputs, outputs: Int
    let layer: @Sendable (Tensor, Int) -> Tensor

    var description: String { "\(name) of \(items) × \(inputs) → \(outputs)" }
  }

  private static func tokens(_ items: Int, _ inputs: Int, _ outputs: Int) -> Product {
    Product(name: "tokens", items: items, inputs: inputs, outputs: outputs) { input, outputs in
      input --> LastAxisDense(neurons: outputs, name: "layer")
    }
  }

  private static func pixels(_ items: Int, _ inputs: Int, _ outputs: Int) -> Product {
    Product(name: "pixels", items: items, inputs: inputs, outputs: outputs) { input, outputs in
      input --> Reshape(width: items, height: 1, channels: inputs)
        --> PointwiseConvolution(channels: outputs, name: "layer")
    }
  }

  /// Direct sums, one level of Strassen's algorithm, two, and two in parts.
  static let products: [Product] = [
    tokens(7, 48, 32), tokens(33, 256, 256), tokens(64, 512, 512), tokens(67, 1536, 512),
    pixels(31, 128, 256), pixels(64, 512, 512),
  ]
  static let precisions: [CompileOptions.Precision] = [.float32, .halfWeights, .bfloat16, .int8]

  /// A compiled product and its weights.
  private struct Compiled {
    let product: Product
    let network: CompiledModel
    let weights: [Float]
    /// The L2 norm of each output's weights.
    let norms: [Double]

    init(_ product: Product, _ options: CompileOptions) throws {
      self.product = product
      let weights = normalValues(count: product.inputs * product.outputs, seed: 3)
      let input = Input(shape: [product.items, product.inputs], name: "x")
      network = try Model(input: input, output: product.layer(input, product.outputs)).compile(
        options: options
      ) { _, count, type in
        StoredValues(type == .weights ? weights : [Float](repeating: 0, count: count))
      }
      self.weights = weights
      norms = (0..<product.outputs).map { o in
        weights[o * product.inputs..<(o + 1) * product.inputs].reduce(0) {
          $0 + Double($1) * Double($1)
        }.squareRoot()
      }
    }

    /// Returns an output of an item in double precision.
    func exact(_ item: ArraySlice<Float>, _ output: Int) -> Double {
      zip(item, weights[output * product.inputs..<(output + 1) * product.inputs]).reduce(0) {
        $0 + Double($1.0) * Double($1.1)
      }
    }

    /// Returns the largest error of an output of an item over the norms of the item and the
    /// output's weights.
    func error(of item: Int, _ values: [Float], _ made: [Float]) -> Double {
      let own = values[item * product.inputs..<(item + 1) * product.inputs]
      let norm = own.reduce(0) { $0 + Double($1) * Double($1) }.squareRoot()
      return (0..<product.outputs).reduce(0) { worst, output in
        let error = Double(made[item * product.outputs + output]) - exact(own, output)
        guard !error.isNaN else { return .infinity }
        return norm > 0
          ? max(worst, abs(error) / norm / norms[output]) : error == 0 ? worst : .infinity
      }
    }
  }

  /// What an output may be off by, over the norms of its item and its weights.
  private static func bound(_ network: CompiledModel) -> Double {
    switch network.report.precision {
    case .float32: 5e-6
    case .halfWeights: 5e-4
    case .bfloat16: 4e-3
    case .int8: 2e-2
    }
  }

  private func options(
    _ set: CompileOptions.InstructionSet, _ precision: CompileOptions.Precision
  ) -> CompileOptions {
    CompileOptions(instructionSet: set, precision: precision)
  }

  @Test(
    "items of any scale keep their precision", arguments: CompileOptions.InstructionSet.present,
    precisions)
  func scales(
    _ set: CompileOptions.InstructionSet, _ precision: CompileOptions.Precision
  ) throws {
    for product in Self.products {
      let compiled = try Compiled(product, options(set, precision))
      for (seed, decades) in [Float(0), 3, 30].enumerated() {
        var values = normalValues(count: product.items * product.inputs, seed: UInt64(seed))
        let scales = channelScales(count: product.items, decades: decades, seed: 9)
        for i in values.indices { values[i] *= scales[i / product.inputs] }
        // An item of zeros, and one with a single number.
        for i in 0..<product.inputs {
          values[2 * product.inputs + i] = 0
          values[5 * product.inputs + i] = i == 17 ? 1e20 : 0
        }
        let made = try compiled.network.predict(values)
        for item in 0..<product.items {
          let error = compiled.error(of: item, values, made)
          #expect(
            error <= Self.bound(compiled.network),
            "\(product), \(set), \(precision), \(decades) decades, item \(item): \(error)")
        }
      }
    }
  }

  @Test(
    "what is not finite stays in its item", arguments: CompileOptions.InstructionSet.present,
    precisions)
  func specialValues(
    _ set: CompileOptions.InstructionSet, _ precision: CompileOptions.Precision
  ) throws {
    for product in Self.products where product.inputs <= 512 {
      let compiled = try Compiled(product, options(set, precision))
      let clean = normalValues(count: product.items * product.inputs, seed: 5)
      let step = set == .scalar ? 11 : 1
      for item in stride(from: 0, to: product.items, by: step) {
        let channel = item * 37 % product.inputs
        let value = [Float.nan, .infinity, -.infinity][item % 3]
        var values = clean
        values[item * product.inputs + channel] = value
        let made = try compiled.network.predict(values)
        let label: Comment = "\(product), \(set), \(precision), \(value) in item \(item)"
        for output in 0..<product.outputs {
          let (own, weight) = (
            made[item * product.outputs + output],
            compiled.weights[output * product.inputs + channel]
          )
          // Bytes have no infinity: the item's outputs are NaN.
          let isExact = precision != .int8 && compiled.network.report.precision == precision
          #expect(!own.isFinite && (!isExact || own.isNaN == (value * weight).isNaN), label)
          if isExact, !own.isNaN { #expect(own == value * weight, label) }
        }
        for other in 0..<product.items where other != item {
          #expect(
            compiled.error(of: other, values, made) <= Self.bound(compiled.network), label)
        }
      }
    }
  }

  /// A causal transformer's later tokens do not change earlier ones beyond rounding.
  @Test("later tokens do not reach earlier ones", arguments: [Float(1e8), .nan, .infinity])
  func causal(_ value: Float) throws {
    let (tokens, channels) = (48, 256)
    let input = Input(shape: [tokens, channels], name: "x")
    let attention = MultiHeadAttention(
      heads: 4, keyChannels: 256, isCausal: true, name: "attention")
    let output =
      input --> attention --> LastAxisDense(neurons: 512, activation: .gelu, name: "up")
      --> LastAxisDense(neurons: channels, name: "down")
    let network = try Model(input: input, output: output).compile(parameters: SeededParameters())
    #expect(network.report.steps.contains { $0.kernel.hasPrefix("strassen") })
    let clean = normalValues(count: tokens * channels, seed: 4)
    let expected = try network.predict(clean)
    for token in [1, 17, 40] {
      var values = clean
      for i in token * channels..<tokens * channels { values[i] = value }
      let made = try network.predict(values)
      for other in 0..<token {
        var (error, norm) = (0.0, 0.0)
        for at in other * channels..<(other + 1) * channels {
          error += (Double(made[at]) - Double(expected[at])).squared
          norm += Double(expected[at]).squared
        }
        #expect(error.squareRoot() <= 1e-5 * norm.squareRoot(), "\(value) in \(token): \(other)")
      }
    }
  }
}

extension Double {
  fileprivate var squared: Double { self * self }
}
