import ForgeOperations
import ForgeShapes
import ForgeTestSupport
import Testing

/// Complete hand-written graphs.
@Suite struct ReferenceExecutorTests {
  /// A row of three pixels under a convolution of one pixel with bias.
  private struct Small {
    var graph = OperationGraph()
    let input: OperationGraph.Value
    let weights: OperationGraph.Value
    let biases: OperationGraph.Value
    let output: OperationGraph.Value

    init(width: Int? = 3) throws {
      input = graph.addInput(Shape(width: width, height: 1, channels: 1))
      weights = graph.addValue(Shape(sizes: [1, 1, 1, 1]), .constant(.parameter(0)))
      biases = graph.addValue(Shape(sizes: [1]), .constant(.literal([-1])))
      let window = ConvolutionGeometry(kernel: .one)
      output = try graph.addNode(
        .convolution(window, outputs: 1, groups: 1), [input, weights, biases], layer: 0)
      graph.outputs = [output]
    }

    func run(
      _ inputs: [Double] = [1, -2, 3], values: [OperationGraph.Value]? = nil,
      parameter: (Int) throws -> [Float] = { _ in [2] }
    ) throws -> [OperationGraph.Value: ReferenceTensor] {
      let tensor = try ReferenceTensor(sizes: [1, inputs.count, 1], values: inputs)
      return try ReferenceExecutor(graph).run(
        inputs: [tensor], values: values, parameter: parameter)
    }
  }

  @Test func residualPrecedesActivation() throws {
    var small = try Small()
    // 2x − 1.
    #expect(try small.run()[small.output]?.values == [1, -5, 5])
    small.graph.nodes[0].activation = .relu
    #expect(try small.run()[small.output]?.values == [1, 0, 5])
    small.graph.nodes[0].residual = small.input
    // max(2x − 1 + x, 0).
    #expect(try small.run()[small.output]?.values == [2, 0, 8])
    small.graph.nodes[0].activation = .leakyReLU(slope: 0.5)
    #expect(try small.run()[small.output]?.values == [2, -3.5, 8])
  }

  /// `relu(x) · x + relu(x)` with the product's node reading a value twice and far apart.
  @Test func valuesLiveUntilLastUse() throws {
    var graph = OperationGraph()
    let input = graph.addInput(Shape(sizes: [3]))
    let relu = try graph.addNode(.activation(.relu), [input], layer: 0)
    let product = try graph.addNode(.binary(.multiply), [relu, input], layer: 1)
    let square = try graph.addNode(.binary(.multiply), [product, product], layer: 2)
    let sum = try graph.addNode(.binary(.add), [square, relu], layer: 3)
    let executor = try ReferenceExecutor(graph)
    let tensor = try ReferenceTensor(sizes: [3], values: [1, -2, 3])

    let all = try executor.run(inputs: [tensor]) { _ in [] }
    #expect(Set(all.keys) == [input, relu, product, square, sum])
    #expect(all[product]?.values == [1, 0, 9])
    #expect(all[sum]?.values == [2, 0, 84])
    let some = try executor.run(inputs: [tensor], values: [sum, product, input]) { _ in [] }
    #expect(Set(some.keys) == [sum, product, input])
    for (value, tensor) in some { #expect(all[value] == tensor) }
  }

  @Test func requestedConstantsAreReturned() throws {
    var small = try Small()
    let unused = small.graph.addValue(
      Shape(sizes: [2]), .constant(.scaled(.parameter(1), axis: 0, sizes: [2], by: [2, 3])))
    let values = try small.run(values: [small.weights, unused]) { $0 == 0 ? [2] : [10, 20] }
    #expect(values[small.weights]?.values == [2])
    #expect(values[unused]?.values == [20, 60])
    #expect(Set(try small.run().keys) == [small.input, small.output])
  }

  @Test func unusedParametersAreNotRead() throws {
    var small = try Small()
    _ = small.graph.addValue(Shape(sizes: [2]), .constant(.parameter(1)))
    _ = try small.run { index in
      #expect(index == 0)
      return [2]
    }
  }

  @Test func boundGraphRuns() throws {
    var small = try Small(width: nil)
    let error = #expect(throws: ReferenceError.self) { try ReferenceExecutor(small.graph) }
    #expect(error?.kind == .unknownShape)
    small.graph = try small.graph.binding(inputs: [Shape(width: 2, height: 1, channels: 1)])
    #expect(try small.run([4, 5])[small.output]?.values == [7, 9])
  }

  /// Values that a rewrite leaves unused are ignored.
  @Test func unusedValuesAreIgnored() throws {
    var small = try Small()
    _ = small.graph.addValue(Shape([nil]), .node)
    #expect(try small.run()[small.output]?.values == [1, -5, 5])
  }

  /// The left and right halves of a picture, by two named crops.
  @Test func cropsAreSelectedByName() throws {
    var graph = OperationGraph()
    let input = graph.addInput(Shape(sizes: [1, 4, 1]))
    let target = Size(width: 1, height: 1)
    let left = try graph.addNode(
      .resize(.size(target, cropSlot: "left"), .nearest), [input], layer: 0)
    let right = try graph.addNode(
      .resize(.size(target, cropSlot: "right"), .nearest), [input], layer: 1)
    let executor = try ReferenceExecutor(graph)
    let tensor = try ReferenceTensor(sizes: [1, 4, 1], values: [1, 2, 3, 4])
    // The middle of columns 0 ..< 2 lies in column 1, that of 2 ..< 4 in column 3.
    let crops = [
      "left": CropRectangle(x: 0, y: 0, width: 2, height: 1),
      "right": CropRectangle(x: 2, y: 0, width: 2, height: 1),
    ]
    let both = try executor.run(inputs: [tensor], crops: crops) { _ in [] }
    #expect(both[left]?.values == [2])
    #expect(both[right]?.values == [4])
    // The middle of the whole image lies in column 2.
    let whole = try executor.run(inputs: [tensor]) { _ in [] }
    #expect(whole[left]?.values == [3])
  }

  @Test func customBodiesReceivePlainFloats() throws {
    let operation = CustomOperation {
      $0[0]
    } body: { inputs, output in
      #expect(inputs.map(\.count) == [6, 2])
      #expect(output.count == 6)
      for index in output.indices { output[index] = inputs[0][index] * inputs[1][index % 2] }
    }
    let a = try ReferenceTensor(sizes: [1, 3, 2], values: [1, 2, 3, 4, 5, 6])
    let b = try ReferenceTensor(sizes: [2], values: [10, 0.5])
    let output = try Primitive.custom(operation).reference(on: [a, b])
    #expect(output.sizes == [1, 3, 2])
    #expect(output.values == [10, 1, 30, 2, 50, 3])
  }

  @Test func identityReturnsInput() throws {
    let tensor = try ReferenceTensor(sizes: [2, 2], values: [1, 2, 3, .infinity])
    #expect(try Primitive.identity.reference(on: [tensor]) == tensor)
  }

  @Test func errorsNameNode() throws {
    var small = try Small()
    let extra = try small.graph.addNode(.activation(.tanh), [small.output], layer: 1)
    small.graph.nodes[1].residual = small.weights
    let error = #expect(throws: ReferenceError.self) { try small.run(values: [extra]) }
    #expect(error?.kind == .shapeMismatch)
    #expect(error?.node == 1)
  }

  @Test func wrongInputs() throws {
    let small = try Small()
    let executor = try ReferenceExecutor(small.graph)
    let tensor = try ReferenceTensor(sizes: [3, 1, 1], values: [1, 2, 3])
    let shape = #expect(throws: ReferenceError.self) {
      try executor.run(inputs: [tensor]) { _ in [2] }
    }
    #expect(
      shape?.description == """
        input 0 has the wrong shape
          received  1×3×1 (width×height×channels)
          needs     3×1×1 (width×height×channels)
        """)
    let count = #expect(throws: ReferenceError.self) {
      try executor.run(inputs: []) { _ in [2] }
    }
    #expect(count?.kind == .wrongInputCount)
  }

  @Test func wrongParameters() throws {
    let small = try Small()
    let count = #expect(throws: ReferenceError.self) { try small.run { _ in [2, 3] } }
    #expect(count?.kind == .wrongElementCount)
    let failed = #expect(throws: ReferenceError.self) {
      try small.run { _ in throw CancellationError() }
    }
    #expect(failed?.kind == .parameter)
    #expect(failed?.cause is CancellationError)
  }

  /// Values of a larger graph, and one that no node produces.
  @Test func unknownValues() throws {
    let small = try Small()
    var larger = small.graph
    let beyond = try larger.addNode(.identity, [small.output], layer: 1)
    var hollow = small
    let unmade = hollow.graph.addValue(Shape(sizes: [1]), .node)
    for (graph, value) in [(small, beyond), (hollow, unmade)] {
      let error = #expect(throws: ReferenceError.self) { try graph.run(values: [value]) }
      #expect(error?.kind == .unknownValue)
    }
  }
}
