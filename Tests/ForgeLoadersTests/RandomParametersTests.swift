import ForgeLoaders
import ForgeShapes
import Testing

@Suite struct RandomParametersTests {
  private func values(
    _ spec: ParameterSpec, seed: UInt64 = 1
  ) throws -> [Float] {
    try #require(RandomParameters(seed: seed).parameter(for: spec)).storedFloats()
  }

  @Test func valuesAreReproducible() throws {
    let spec = Specs.convolution("conv1", 2, 1, 1, 3)
    let source = RandomParameters(seed: 42)
    let first = try #require(source.parameter(for: spec)).storedFloats()
    _ = try #require(source.parameter(for: Specs.biases("other", 9))).storedFloats()
    #expect(try #require(source.parameter(for: spec)).storedFloats() == first)
    let golden = ["3ee3d19c", "3e0287b0", "3fa7305f", "3e70bbc0", "3f37a1b6", "3f5e81ba"]
    // Another machine or a later version must give these bits.
    #expect(first.map { String($0.bitPattern, radix: 16) } == golden)
  }

  @Test func valuesDependOnSeedLayerTypeAndSizes() throws {
    let base = try values(Specs.convolution("a", 4, 1, 1, 4))
    #expect(try values(Specs.convolution("a", 4, 1, 1, 4), seed: 2) != base)
    #expect(try values(Specs.convolution("b", 4, 1, 1, 4)) != base)
    #expect(try values(Specs.convolution("a", 2, 2, 1, 4)) != base)
    // "ab" + "c" is not "a" + "bc".
    let one = ParameterSpec(layer: "ab", ParameterType("c"), [.channels: 3])
    let other = ParameterSpec(layer: "a", ParameterType("bc"), [.channels: 3])
    #expect(try values(one) != values(other))
  }

  @Test func unnamedLayersAreAccepted() throws {
    let source = RandomParameters(seed: 3)
    #expect(!source.goesByName)
    #expect(source.seed == 3)
    #expect(try values(Specs.biases("", 4)).count == 4)
    #expect(try values(Specs.biases("", 0)) == [])
  }

  @Test func valuesAreInRange() throws {
    let ranges: [(ParameterType, ClosedRange<Float>)] = [
      (.biases, -0.1...0.1), (.gamma, 0.8...1.2), (.beta, -0.1...0.1), (.mean, -0.1...0.1),
      (.variance, 0.5...1.5), (.slopes, 0.2...0.3), (ParameterType("own"), -0.1...0.1),
    ]
    for (type, range) in ranges {
      let all = try values(ParameterSpec(layer: "x", type, [.channels: 5000]))
      #expect(all.allSatisfy { range.contains($0) && $0 != 0 }, "\(type)")
      let mean = all.reduce(0, +) / 5000
      let middle = (range.lowerBound + range.upperBound) / 2
      #expect(abs(mean - middle) < (range.upperBound - range.lowerBound) / 50, "\(type)")
      #expect(Set(all).count > 4900, "\(type)")
    }
  }

  @Test func weightsScaleWithInputCount() throws {
    let shapes = [
      (Specs.convolution("x", 8, 3, 3, 16), 144), (Specs.convolution("x", 100, 1, 1, 600), 600),
      (Specs.depthwise("x", 400, 1, 3, 3), 9),
    ]
    for (spec, inputs) in shapes {
      let all = try values(spec)
      let limit = Float((6 / Double(inputs)).squareRoot())
      #expect(all.allSatisfy { abs($0) <= limit && $0 != 0 })
      let variance = all.reduce(0) { $0 + $1 * $1 } / Float(all.count)
      #expect(abs(variance * Float(inputs) / 2 - 1) < 0.1)
    }
  }

  /// Fifty layers of 64 neurons with ReLU: activations stay within bounds.
  @Test func deepNetworkActivationsStayBounded() throws {
    var activations = [Float](repeating: 1, count: 64)
    for layer in 0..<50 {
      let weights = try values(Specs.convolution("fc\(layer)", 64, 1, 1, 64))
      let biases = try values(Specs.biases("fc\(layer)", 64))
      activations = (0..<64).map { neuron in
        max(
          0,
          (0..<64).reduce(biases[neuron]) { $0 + weights[neuron * 64 + $1] * activations[$1] })
      }
    }
    let size = (activations.reduce(0) { $0 + $1 * $1 } / 64).squareRoot()
    #expect(size > 0.01 && size < 100, "root of the mean square: \(size)")
  }
}
