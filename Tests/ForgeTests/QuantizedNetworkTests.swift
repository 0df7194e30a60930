import Forge
import ForgeTestSupport
import Foundation
import Testing

/// Networks that calibration turns to integers.
@Suite struct QuantizedNetworkTests {
  private func network() throws -> (Model, CompiledModel) {
    let model = Model.withIntegerSteps()
    return (model, try model.compile(parameters: SeededParameters(seed: 3)))
  }

  private func samples(_ count: Int, seed: UInt64 = 7) -> [[Float]] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      let scale = Float(random.next() % 100) / 50 + 0.1
      return (0..<13 * 11 * 3).map { _ in random.nextSymmetric() * scale }
    }
  }

  private func relativeL2(_ a: [[Float]], _ b: [[Float]]) -> Double {
    let pairs = zip(a.joined(), b.joined())
    let difference = pairs.reduce(0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
    return (difference / b.joined().reduce(0) { $0 + pow(Double($1), 2) }).squareRoot()
  }

  @Test func everyLayerComputesWithIntegers() throws {
    let (_, real) = try network()
    let samples = samples(9)
    let quantized = try real.quantized(calibration: samples, bound: 1, onlyFaster: false)
    #expect(quantized.table.products.count == 5)
    #expect(!quantized.layers.contains { !$0.isQuantized })
    let kernels = quantized.network.report.steps.map(\.kernel)
    #expect(
      !kernels.contains { $0.hasPrefix("convolution") || $0.hasPrefix("dense") }, "\(kernels)")
    let made = try quantized.network.predict(batch: samples)
    let error = relativeL2(made, try real.predict(batch: samples))
    #expect(error < 0.05 && error > 1e-4, "\(error)")
    #expect(abs(error - quantized.error) < 1e-9)
    // Numbers that it was not calibrated with.
    let others = self.samples(9, seed: 99)
    let general = relativeL2(
      try quantized.network.predict(batch: others), try real.predict(batch: others))
    #expect(general < 0.08, "\(general)")
  }

  @Test(arguments: [CalibrationMethod.minimumAndMaximum, .percentile(99.9), .entropy])
  func boundIsKept(method: CalibrationMethod) throws {
    let (_, real) = try network()
    let samples = samples(9)
    let expected = try real.predict(batch: samples)
    var counts: [Int] = []
    for bound in [1e-9, 0.004, 0.01, 1] {
      let quantized = try real.quantized(
        calibration: samples, bound: bound, method: method, onlyFaster: false)
      let error = relativeL2(try quantized.network.predict(batch: samples), expected)
      #expect(error <= bound && quantized.error <= bound, "\(method) \(bound): \(error)")
      counts.append(quantized.table.products.count)
    }
    #expect(counts.first == 0 && counts.last == 5 && counts == counts.sorted(), "\(counts)")
  }

  @Test func tableIsTakenByLaterCompiles() throws {
    let (model, real) = try network()
    let samples = samples(5)
    let quantized = try real.quantized(calibration: samples, bound: 1, onlyFaster: false)
    let data = try JSONEncoder().encode(quantized.table)
    let table = try JSONDecoder().decode(QuantizationTable.self, from: data)
    #expect(table == quantized.table)
    for threads in [1, 2] {
      let again = try model.compile(
        options: CompileOptions(threads: .exactly(threads), quantization: table),
        parameters: SeededParameters(seed: 3))
      for sample in samples {
        let (a, b) = (try again.predict(sample), try quantized.network.predict(sample))
        #expect(a.bits == b.bits)
      }
    }
  }

  @Test func referenceHasTheSameIntegers() throws {
    let (model, real) = try network()
    let quantized = try real.quantized(calibration: samples(5), bound: 1, onlyFaster: false)
    // Scalar kernels sum integers exactly, as the others do.
    let scalar = try model.compile(
      options: CompileOptions(instructionSet: .scalar, quantization: quantized.table),
      parameters: SeededParameters(seed: 3))
    for sample in samples(5) {
      let (a, b) = (try scalar.predict(sample), try quantized.network.predict(sample))
      #expect(relativeL2([a], [b]) < 0.01)
    }
  }

  @Test func sequencesOfOpenLength() throws {
    let input = Input(shape: [.upTo(23), 12])
    let output =
      input --> LastAxisDense(neurons: 33, activation: .gelu, name: "wide")
      --> LastAxisDense(neurons: 12, name: "narrow")
    let model = Model(input: input, output: output)
    let real = try model.compile(parameters: SeededParameters(seed: 3))
    var random = SplitMix64(seed: 2)
    let samples = [1, 5, 23].map { length in
      TensorValues(
        shape: Shape(sizes: [length, 12]),
        values: (0..<length * 12).map { _ in random.nextSymmetric() })
    }
    let quantized = try real.quantized(calibration: samples, bound: 1, onlyFaster: false)
    #expect(quantized.table.products == ["wide", "narrow"])
    let error = relativeL2(
      try quantized.network.predict(batch: samples), try real.predict(batch: samples))
    #expect(error > 1e-5 && error < 0.05, "\(error)")
  }

  @Test func wrongArguments() throws {
    let (model, real) = try network()
    #expect(throws: QuantizationError.self) {
      try real.quantized(calibration: [[Float]](), bound: 1)
    }
    for bound in [0, -1, .nan, Double.infinity] {
      #expect(throws: QuantizationError.self) {
        try real.quantized(calibration: samples(1), bound: bound)
      }
    }
    for share in [0, -1, 101, Double.nan] {
      #expect(throws: QuantizationError.self) {
        try real.quantized(calibration: samples(1), method: .percentile(share))
      }
    }
    #expect(throws: QuantizationError.self) { try real.quantized(calibration: [[Float(1)]]) }
    for number in [Float.nan, .infinity] {
      var sample = samples(1)[0]
      sample[5] = number
      do {
        _ = try real.quantized(calibration: [sample], bound: 1)
        Issue.record("\(number) was taken")
      } catch {
        #expect("\(error)".contains("\"image\""), "\(error)")
      }
    }
    let byte = Quantization(scale: 1, zeroPoint: 0, storage: .uint8)
    for (table, word) in [
      (QuantizationTable(tensors: ["imag": byte]), "imag"),
      (QuantizationTable(products: ["frist"]), "frist"),
      (
        QuantizationTable(tensors: [
          "image": Quantization(scale: .nan, zeroPoint: 0, storage: .uint8)
        ]), "scale"
      ),
      (
        QuantizationTable(tensors: [
          "image": Quantization(scale: 1, zeroPoint: 256, storage: .uint8)
        ]), "zero point"
      ),
    ] {
      do {
        _ = try model.compile(
          options: CompileOptions(quantization: table), parameters: SeededParameters(seed: 3))
        Issue.record("a table with a wrong \(word) was taken")
      } catch {
        #expect("\(error)".contains(word), "\(error)")
      }
    }
  }

  @Test func hostileSamplesHaveRanges() throws {
    let (_, real) = try network()
    for scale in [0, Float.leastNonzeroMagnitude * 71_362, 1e-30, 1e30] {
      let sample = samples(1)[0].map { $0 * scale }
      for method in [CalibrationMethod.minimumAndMaximum, .percentile(99), .entropy] {
        let quantized = try real.quantized(
          calibration: [sample], bound: 1, method: method, onlyFaster: false)
        #expect(try quantized.network.predict(sample).allSatisfy { !$0.isNaN }, "\(scale)")
      }
    }
  }

  @Test func entropyCutsOffTheEnds() throws {
    // The magnitudes of a normal distribution up to 8 deviations, in 2,048 parts.
    let counts = (0..<2048).map { part in
      (1e6 * exp(-pow((Double(part) + 0.5) / 256, 2) / 2)).rounded()
    }
    let parts = try #require(ObservedRange.leastDivergence(of: counts))
    let deviations = Double(parts) / 256
    #expect(deviations > 2.5 && deviations < 6, "\(deviations)")
    #expect(ObservedRange.leastDivergence(of: Array(repeating: 0, count: 2048)) == nil)
    // Without ends to cut off, the whole range is best.
    let even = Array(repeating: 100.0, count: 2048)
    #expect(ObservedRange.leastDivergence(of: even) == 2048)
  }

  @Test func percentileCutsOffTheEnds() {
    var range = ObservedRange()
    let values = (0..<10_000).map { Float($0) } + [1e6, -1e6]
    range.widen(by: values)
    range.count(values)
    let quantization = range.quantization(.percentile(99.9))
    #expect(quantization.scale < 1e4 / 200 && quantization.scale > 1e4 / 300)
    let whole = range.quantization(.minimumAndMaximum)
    #expect(whole.scale == Float(2e6 / 255) && whole.zeroPoint == 128)
  }

  @Test func descriptionNamesLayers() throws {
    let (_, real) = try network()
    let quantized = try real.quantized(calibration: samples(3), bound: 1, onlyFaster: false)
    let lines = quantized.description.split(separator: "\n")
    #expect(lines.count == 2 + 5 + 1)
    #expect(lines[2].hasPrefix("norm") || lines[2].hasPrefix("first"))
    #expect(lines.last?.hasPrefix("5 of 5 layers on integers") == true)
  }
}
