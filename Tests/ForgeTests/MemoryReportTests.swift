import Forge
import ForgeTestSupport
import Testing

/// The memory report of a compiled model, exact to the byte.
@Suite struct MemoryReportTests {
  /// Two layers without rewrites that would change their parameters: 17 → 5 channels, then 35 → 3 values.
  private func model() -> Model {
    let input = Input(width: 7, height: 1, channels: 17)
    return Model(
      input: input,
      output: input --> PointwiseConvolution(channels: 5, name: "first")
        --> Dense(neurons: 3, name: "last"))
  }

  /// Blocks of 16 channels: 32 inputs and 16 outputs, then 35 inputs, rounded up to 48, and 16 outputs, in floats.
  private let packed = [32 * 16, 16, 48 * 16, 16]
  private let counts = [17 * 5, 5, 7 * 5 * 3, 3]

  @Test func packedParametersAndPlans() throws {
    let network = try model().compile(
      parameters: SeededParameters(), options: CompileOptions(preference: .size))
    let memory = network.memory
    #expect(memory.packedParameters == 4 * packed.reduce(0, +))
    #expect(memory.packedParameters == network.report.constantBytes)
    #expect(memory.arena == network.report.arenaBytes)
    #expect(memory.context == (try network.workspaceSize()))
    #expect(memory.context >= memory.arena + 4 * (7 * 17 + 3))
    #expect(memory.plans > 0)
    #expect(
      "\(memory)" == """
        Packed parameters: \(memory.packedParameters) bytes, \(memory.loadingPeak) at most while loading
        Plans: \(memory.plans) bytes
        Each context: \(memory.context) bytes, of which arena: \(memory.arena)
        """)
  }

  /// While a parameter is packed, memory holds the packed parameters before it, its own packed form
  /// and room for the values of the largest so far.
  @Test func peakLoadingMemory() throws {
    let model = model()
    let options = CompileOptions(preference: .size)
    // Values that are in memory already take nothing but their copy in Forge's order.
    let network = try model.compile(options: options) { name, count, type in
      ParameterValues([Float](repeating: 0.5, count: count))
    }
    var (kept, peak, room) = (0, 0, 0)
    for (form, count) in zip(packed, counts) {
      room = max(room, count)
      peak = max(peak, kept + form + room)
      kept += form
    }
    #expect(network.memory.loadingPeak == 4 * peak)
    // Random values are made in memory of their own, which is given back before the form is made.
    let random = try model.compile(parameters: RandomParameters(seed: 1), options: options)
    (kept, room) = (0, 0)
    var randomPeak = peak
    for (form, count) in zip(packed, counts) {
      room = max(room, count)
      randomPeak = max(randomPeak, kept + room + count)
      kept += form
    }
    #expect(random.memory.loadingPeak == 4 * randomPeak)
  }

  @Test func peakWithLargestParameterFirst() throws {
    let input = Input(width: 1, height: 1, channels: 64)
    let model = Model(input: input, output: input --> Dense(neurons: 48, useBias: false))
    let network = try model.compile(
      parameters: RandomParameters(seed: 1), options: CompileOptions(preference: .size))
    // The matrix as the source made it and in Forge's order; or that and its form, and no bias yet.
    let values = 64 * 48
    #expect(network.memory.packedParameters >= 4 * values)
    #expect(network.memory.loadingPeak >= 8 * values)
    #expect(network.memory.loadingPeak <= 4 * values + network.memory.packedParameters)
  }

  /// Where sizes are known at prediction only, the first prediction packs parameters.
  @Test func unknownSizesDeferPacking() throws {
    let network = try (Model() --> Convolution(kernel: (3, 3), channels: 4, name: "only")).compile(
      parameters: SeededParameters())
    #expect(network.memory.packedParameters == 0)
    #expect(network.memory.plans == 0)
    #expect(network.memory.arena == 0)
    #expect(network.memory.context == 0)
    let shape = Shape(width: 5, height: 4, channels: 3)
    _ = try network.predict(.seeded(shape, seed: 1))
    #expect(network.memory.packedParameters > 0)
    #expect(network.memory.plans > 0)
    #expect(network.memory.loadingPeak > network.memory.packedParameters)
  }
}
