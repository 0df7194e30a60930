import Forge
import ForgeExporters
import ForgeImporters
import ForgeTestSupport
import Testing

/// Values for which the operations of a format are not those of Forge: constants without a tensor
/// beside them, NaN, indices from the end, results under several names.
@Suite struct WrittenValueTests {
  /// Compares the results of a model with those of its Keras and Core ML files, bit for bit.
  private func expectSame(_ model: Model, _ values: [Float], _ title: String) throws {
    var model = model
    model.parameters = RandomParameters(seed: 3)
    let own = try model.compile().predict(values)
    let keras = try ImportedModel(keras: try model.keras())
    let coreML = try ImportedModel(coreML: try model.coreML(), name: "net")
    for (format, imported) in [("Keras", keras), ("Core ML", coreML)] {
      let (input, output) = (imported.inputs[0], imported.outputs[0])
      let given = try input.forgeValues(values)
      let read = try imported.model.compile().predict([input.name: given])
      let made = try output.fileValues(try #require(read[output.name]?.values))
      #expect(
        own.count == made.count
          && zip(own, made).allSatisfy {
            $0 == $1 || ($0.isNaN && $1.isNaN) || abs($0 - $1) <= 1e-6 * abs($0)
          }, "\(title) in \(format): \(own), \(made)")
    }
  }

  @Test func constantsAreConditions() throws {
    let x = Input(shape: [2, 3], name: "x")
    let values: [Float] = [0, 1, -2.5, 0, 3, 0]
    let row = Tensor.applying(
      Constant([2, 0, -7], shape: Shape(sizes: [3]), name: "row"), to: [])
    for operation in [LogicalOperation.and, .or, .xor] {
      try expectSame(
        Model(input: x, output: [row, x] --> Logical(operation, name: "y")), values,
        "\(operation)")
    }
    try expectSame(
      Model(input: x, output: [row, x, x --> Activation(.relu)] --> Where(name: "y")), values,
      "Where")
    let divisor = x --> Activation(.elu(alpha: 1))
    try expectSame(
      Model(input: x, output: [row, divisor] --> Remainder(.ofDividend, name: "y")),
      [0.5, 1, -0.7, 3, 3, 2], "Remainder")
  }

  @Test func nanStays() throws {
    let x = Input(shape: [8], name: "x")
    let values: [Float] = [.nan, .infinity, -.infinity, 0, 0.4, -0.4, 2, -2]
    for function in [
      UnaryFunction.thresholdedReLU(alpha: 0.5), .thresholdedReLU(alpha: -1),
      .shrink(bias: 0.5, lambda: 1), .shrink(bias: 0.25, lambda: -1), .shrink(bias: 0, lambda: 0),
    ] {
      try expectSame(
        Model(input: x, output: x --> Unary(function, name: "y")), values, "\(function)")
    }
  }

  @Test func rowsFromTheEnd() throws {
    let ids = Input(shape: [4], name: "ids")
    let table = Tensor.applying(
      Constant([1, 2, 3, 4, 5, 6], shape: Shape(sizes: [3, 2]), name: "table"), to: [])
    try expectSame(
      Model(input: ids, output: [table, ids] --> GatherRows(name: "rows")), [0, -1, 2, -3],
      "GatherRows")
  }

  /// The product of a matrix, rectified under one name and added under the other.
  private struct Twice: Layer {
    let name: String? = "twice"
    let place = SourcePlace(fileID: "App/Twice.swift", line: 1, column: 1)

    func lower(into lowering: inout Lowering) throws(ShapeError) {
      let weights = try lowering.parameter(ParameterType("matrix"), [.outputs: 4, .inputs: 4])
      let product = try lowering.apply(.dense(outputs: 4), to: [lowering.inputs[0], weights])
      let sameProduct = try lowering.apply(.identity, to: [product])
      let positive = try lowering.apply(.activation(.relu), to: [sameProduct])
      lowering.output = try lowering.apply(.binary(.subtract), to: [positive, product])
    }
  }

  @Test func activationsLeaveWhatOthersRead() throws {
    let x = Input(shape: [4], name: "x")
    try expectSame(Model(input: x, output: x --> Twice()), [1, -2, 0.5, -0.25], "Twice")
  }

  /// A mean of windows, the last of which reach beyond the image.
  private struct RoundedUp: Layer {
    let name: String? = "mean"
    let place = SourcePlace(fileID: "App/RoundedUp.swift", line: 1, column: 1)

    func lower(into lowering: inout Lowering) throws(ShapeError) {
      let two = Size(width: 2, height: 2)
      let geometry = ConvolutionGeometry(kernel: two, stride: two, rounding: .ceiling)
      lowering.output = try lowering.apply(
        .pooling(.averageAll, geometry), to: lowering.inputs)
    }
  }

  @Test func meansDivideByAllTaps() throws {
    let x = Input(width: 3, height: 3, channels: 1, name: "x")
    try expectSame(
      Model(input: x, output: x --> RoundedUp()), (1...9).map { Float($0) }, "RoundedUp")
  }

  @Test func longNamesAreCut() throws {
    let x = Input(shape: [2], name: "x")
    let long = String(repeating: "n", count: 70_000)
    var output = x
    for end in ["a", "b"] { output = output --> Dense(neurons: 2, name: long + end) }
    var model = Model(input: x, output: output)
    model.parameters = RandomParameters(seed: 3)
    let imported = try ImportedModel(keras: try model.keras())
    #expect(imported.outputs[0].name.utf8.count <= 1024)
    let name = imported.inputs[0].name
    let read = try imported.model.compile().predict([name: [1, 2]])
    #expect(try read[imported.outputs[0].name]?.values == model.compile().predict([1, 2]))
  }
}
