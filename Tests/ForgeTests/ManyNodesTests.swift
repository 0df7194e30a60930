import Forge
import ForgeTestSupport
import Testing

/// Networks of very many nodes, inputs and outputs: the time follows their number.
@Suite(.serialized) struct ManyNodesTests {
  /// Fails where eight times as many nodes take much more than eight times as long.
  private func expectLinear(
    _ count: Int, _ body: (Int) throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    func fastest(_ count: Int, of runs: Int) throws -> Duration {
      var times: [Duration] = []
      for _ in 0..<runs {
        let start = ContinuousClock.now
        try body(count)
        times.append(ContinuousClock.now - start)
      }
      return times.min() ?? .zero
    }
    let few = try fastest(count, of: 3), many = try fastest(8 * count, of: 2)
    // Quadratic time would be 64 times as much.
    #expect(many < few * 28, "\(few) and \(many)", sourceLocation: sourceLocation)
  }

  private func compiled(_ model: Model) throws -> CompiledModel {
    try model.compile(options: CompileOptions(maximumBatch: 1, threads: .exactly(1)))
  }

  /// Each sum is folded into the one before.
  @Test func constantSums() throws {
    try expectLinear(500) { count in
      let input = Input(shape: [1, 1, 4], name: "x")
      var sum = input
      for index in 0..<count { sum = sum --> Scale(1, bias: Float(index % 3)) }
      let network = try compiled(Model(input: input, output: sum))
      let expected = (0..<count).reduce(Float(0)) { $0 + Float($1 % 3) }
      #expect(try network.predict([0, 1, 2, 3]) == [0, 1, 2, 3].map { $0 + expected })
      #expect(network.report.steps.count < 8)
    }
  }

  @Test func outputs() throws {
    try expectLinear(500) { count in
      let input = Input(shape: [1, 1, 4], name: "x")
      let outputs = (0..<count).map { index in
        input --> Scale(1, bias: Float(index), name: "y\(index)")
      }
      let network = try compiled(Model(inputs: [input], outputs: outputs))
      let results = try network.predict([
        "x": TensorValues(shape: Shape(sizes: [1, 1, 4]), values: [0, 1, 2, 3])
      ])
      for index in stride(from: 0, to: count, by: max(count / 7, 1)) {
        #expect(results["y\(index)"]?.values == [0, 1, 2, 3].map { $0 + Float(index) })
      }
    }
  }

  @Test func inputs() throws {
    try expectLinear(200) { count in
      let inputs = (0..<count).map { Input(shape: [1, 1, 4], name: "x\($0)") }
      let network = try compiled(Model(inputs: inputs, outputs: [inputs --> Add()]))
      let values = Dictionary(
        uniqueKeysWithValues: (0..<count).map {
          (
            "x\($0)",
            TensorValues(shape: Shape(sizes: [1, 1, 4]), values: [1, 0, 0, Float($0 % 2)])
          )
        })
      let sum = try network.predict(values)[network.outputNames[0]]?.values
      #expect(sum == [Float(count), 0, 0, Float(count / 2)])
    }
  }

  /// Thousands of tensors are placed in order of time; they share memory, and none is overwritten.
  @Test func memoryOfManyTensors() throws {
    let input = Input(shape: [1, 1, 16], name: "x")
    var chain = input
    var kept: [Tensor] = []
    for index in 0..<3000 {
      chain = chain --> Activation(.tanh) --> Activation(.sigmoid)
      if index % 1000 == 0 { kept.append(chain) }
    }
    let model = Model(inputs: [input], outputs: [[chain] + kept --> Add()])
    let network = try model.compile(
      options: CompileOptions(maximumBatch: 1, verify: .samples(2), threads: .exactly(1)))
    // A few tensors of 64 bytes, not thousands.
    #expect(network.report.arenaBytes <= 20 * 64, "\(network.report.arenaBytes)")
  }
}
