import Forge
import ForgeTestSupport
import Testing

/// The source rectangle of a `Resize`, chosen at every prediction.
@Suite struct CropTests {
  private static let crops = [
    CropRectangle(x: 0, y: 0, width: 11, height: 9),
    CropRectangle(x: 2, y: 1, width: 5, height: 7),
    CropRectangle(x: 3.25, y: 2.5, width: 6.5, height: 3.125),
    CropRectangle(x: 10, y: 8, width: 1, height: 1),
    CropRectangle(x: 0.5, y: 0.5, width: 0.25, height: 0.125),
  ]

  /// A network that resizes its input, and the result of a convolution once more.
  private func model(_ mode: ResizeMode, width: Int? = 11, height: Int? = 9) -> Model {
    let input = Input(width: width, height: height, channels: 3)
    let first = input --> Resize(width: 7, height: 8, mode: mode, name: "first")
    let second =
      first --> Convolution(kernel: (3, 3), channels: 5)
      --> Resize(width: 4, height: 3, mode: mode, name: "second")
    return Model(inputs: [input], outputs: [second, first])
  }

  @Test(arguments: [ResizeMode.nearest, .bilinear, .bilinearAntialiased])
  func valuesMatchReference(_ mode: ResizeMode) throws {
    for known in [true, false] {
      let model = model(mode, width: known ? 11 : nil, height: known ? 9 : nil)
      let reference = try ReferenceModel(model)
      let network = try model.compile(parameters: SeededParameters())
      let input = TensorValues.seeded(Shape(width: 11, height: 9, channels: 3), seed: 3)
      for crop in Self.crops {
        let inner = CropRectangle(x: 1, y: 2.5, width: 4, height: 3)
        let chosen = [["first": crop], ["second": inner], ["first": crop, "second": inner], [:]]
        for crops in chosen {
          let expected = try reference.run([input], crops: crops).outputs
          let actual = try network.predict(ordered: [input], crops: crops)
          expectClose(
            try #require(actual["second"]?.values), expected[0], relativeL2: 1e-6, "\(crops)")
          expectClose(
            try #require(actual["first"]?.values), expected[1], relativeL2: 1e-6, "\(crops)")
          #expect(try network.predict(["input": input], crops: crops) == actual)
        }
      }
    }
  }

  @Test func contextPreservesCrops() throws {
    let model = model(.bilinear)
    let reference = try ReferenceModel(model)
    let network = try model.compile(parameters: SeededParameters())
    let context = try Context(network, batch: 2)
    let examples = (0..<2).map { reference.inputs(seed: 20 + $0) }
    func expect(_ crops: [String: CropRectangle]) throws {
      for (example, result) in zip(examples, try context.predict(examples)) {
        let expected = try reference.run(example, crops: crops).outputs
        expectClose(result[0], expected[0], relativeL2: 1e-6)
        expectClose(result[1], expected[1], relativeL2: 1e-6)
      }
    }
    try expect([:])
    try context.setCrop(Self.crops[1], of: "first")
    try expect(["first": Self.crops[1]])
    try expect(["first": Self.crops[1]])
    try context.setCrop(Self.crops[4], of: "second")
    try expect(["first": Self.crops[1], "second": Self.crops[4]])
    try context.setCrop(nil, of: "first")
    try expect(["second": Self.crops[4]])
    // Other contexts and the network's own memory know nothing of it.
    let whole = try reference.run(examples[0]).outputs
    expectClose(try network.outputs(of: examples[0])[0], whole[0], relativeL2: 1e-6)
  }

  @Test func networkDiscardsCrops() throws {
    let network = try model(.nearest).compile(parameters: SeededParameters())
    let input = TensorValues.seeded(Shape(width: 11, height: 9, channels: 3), seed: 3)
    let whole = try network.predict(["input": input])
    let cut = try network.predict(["input": input], crops: ["first": Self.crops[1]])
    #expect(whole != cut)
    #expect(try network.predict(["input": input]) == whole)
    #expect(try network.predict(["input": input.values]) == whole)
  }

  /// Both layers of the same name use the rectangle.
  @Test func layersWithSameNameShareCrop() throws {
    let resize = Resize(width: 3, height: 3, name: "resize")
    let left = Input(width: 11, height: 9, channels: 1, name: "left")
    let right = Input(width: 11, height: 9, channels: 1, name: "right")
    let model = Model(
      inputs: [left, right], outputs: [[left --> resize, right --> resize] --> Subtract()])
    let network = try model.compile()
    let values = TensorValues.seeded(Shape(width: 11, height: 9, channels: 1), seed: 4)
    let result = try network.predict(
      ordered: [values, values], crops: ["resize": Self.crops[2]])
    #expect(result.outputs.values.first?.values == Array(repeating: 0, count: 9))
  }

  @Test func outOfBoundsRectangles() throws {
    let network = try model(.bilinear).compile(parameters: SeededParameters())
    let context = try Context(network)
    let (nan, infinity) = (Double.nan, Double.infinity)
    for (x, y, width, height) in [
      (-0.5, 0, 5, 5), (0, -1, 5, 5), (7, 0, 4.5, 5), (0, 5, 5, 4.001), (0, 0, 0, 5),
      (0, 0, 5, 0), (0, 0, -1, 5), (5, 5, 1, -1), (11, 0, 1, 1), (nan, 0, 5, 5), (0, nan, 5, 5),
      (0, 0, nan, 5), (0, 0, 5, nan), (0, 0, infinity, 5), (-infinity, 0, infinity, 5),
      (0, 0, 1e300, 1e300),
    ] {
      let crop = CropRectangle(x: x, y: y, width: width, height: height)
      let error = #expect(throws: PredictionError.self) {
        try context.setCrop(crop, of: "first")
      }
      #expect(error?.kind == .wrongCrop)
      #expect(
        error?.description == """
          the crop rectangle of "first" does not lie inside its image
            received  x \(x), y \(y), width \(width), height \(height)
            needs     a part of 11×9 (width×height) with sides above 0
          """)
      let input = TensorValues.seeded(Shape(width: 11, height: 9, channels: 3), seed: 3)
      let other = #expect(throws: PredictionError.self) {
        try network.predict(["input": input], crops: ["second": crop])
      }
      #expect(other?.kind == .wrongCrop)
    }
  }

  @Test func cropRequiresResizeLayer() throws {
    let network = try model(.bilinear).compile(parameters: SeededParameters())
    let error = #expect(throws: PredictionError.self) {
      try Context(network).setCrop(nil, of: "third")
    }
    #expect(error?.kind == .unknownName)
    #expect(
      error?.description == """
        there is no Resize layer "third"
          needs     "first", "second"
        """)
    let input = Input(width: 3, height: 3)
    let plain = try Model(input: input, output: input --> Softmax()).compile()
    let none = #expect(throws: PredictionError.self) {
      try plain.predict(
        .seeded(Shape(width: 3, height: 3, channels: 3), seed: 1), crops: ["a": Self.crops[0]])
    }
    #expect(
      none?.description == """
        there is no Resize layer "a"
          needs     none
        """)
  }
}
