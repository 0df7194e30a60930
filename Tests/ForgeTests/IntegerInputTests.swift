import Forge
import ForgeGraph
import ForgeOperations
import ForgeTestSupport
import Testing

/// Integers that Float32 may have rounded end a prediction with an error that names them.
@Suite struct IntegerInputTests {
  private func network(_ options: CompileOptions = CompileOptions()) throws -> CompiledModel {
    let ids = Input(shape: [4], name: "ids").ofIntegers
    let other = Input(shape: [4], name: "other")
    return try Model(inputs: [ids, other], outputs: [[ids, other] --> Maximum(name: "most")])
      .compile(options: options)
  }

  private func single(_ options: CompileOptions = CompileOptions()) throws -> CompiledModel {
    let ids = Input(shape: [4], name: "ids").ofIntegers
    return try Model(input: ids, output: ids --> Unary(.negate)).compile(options: options)
  }

  private func text(_ received: String) -> String {
    """
    input "ids" holds an integer that Float32 may not represent exactly
      received  \(received)
      needs     integers from -16777215 to 16777215
    """
  }

  private func expect(_ received: String, _ body: () throws -> Void) {
    let error = #expect(throws: PredictionError.self) { try body() }
    #expect(error?.kind == .inexactInteger)
    #expect(error?.description == text(received))
  }

  @Test func formsOfInput() throws {
    let network = try single()
    #expect(
      try network.predict([16_777_215, -16_777_215, 0, 1] as [Int]) == [
        -16_777_215, 16_777_215, 0, -1,
      ])
    expect("16777217 at index 2") { _ = try network.predict([1, 2, 16_777_217, 3] as [Int64]) }
    expect("-16777217 at index 0") { _ = try network.predict([-16_777_217, 2, 1, 3] as [Int32]) }
    expect("9223372036854775807 at index 3") { _ = try network.predict([1, 2, 3, .max] as [Int]) }
    expect("16777217 at index 1") {
      _ = try network.predict(([0, 1, 16_777_217, 2, 3] as [Int])[1...])
    }
    expect("16777216 at index 1") { _ = try network.predict([0, 0x1p24, 1, 2] as [Float]) }
    expect("nan at index 0") { _ = try network.predict([.nan, 1, 2, 3] as [Float]) }
    expect("16777216 at index 3") {
      _ = try network.predict(
        TensorValues(shape: Shape(sizes: [4]), elements: [0, 0, 0, 16_777_217] as [Int64]))
    }
    expect("-inf at index 1") {
      let values: [Float] = [0, -.infinity, 0, 0]
      _ = try network.predict(values.span)
    }
  }

  /// Inputs that hold no integers take any number.
  @Test func otherInputs() throws {
    let network = try network()
    let found = try network.predict(
      ["ids": [0, 1, 2, 3], "other": [1e9, -1e9, 0x1p24, 5]] as [String: [Float]])
    #expect(found["most"]?.values == [1e9, 1, 0x1p24, 5])
    expect("16777217 at index 3") {
      _ = try network.predict(
        ["ids": [0, 1, 2, 16_777_217], "other": [1, 2, 3, 4]] as [String: [Int]])
    }
  }

  @Test func batchesAndContexts() throws {
    let network = try single(CompileOptions(maximumBatch: 3))
    expect("16777216 at index 1 of example 1") {
      _ = try network.predict([0, 1, 2, 3, 0, 0x1p24, 2, 3], batch: 2)
    }
    let context = try Context(network, batch: 2)
    try context.set("ids", to: [1, 2, 3, 4] as [Int])
    try context.set("ids", to: [1, 2, 1 << 40, 4] as [Int], example: 1)
    try context.predict()
    expect("1.0995116e+12 at index 2 of example 1") { try context.predict(batch: 2) }
    context.withInput(0) { values in values[0] = -0x1p24 }
    expect("-16777216 at index 0") { try context.predict() }
    var output: [Float] = []
    expect("16777216 at index 0") { try context.predict([0x1p24, 0, 0, 0], into: &output) }
    try context.predict([1, 2, 3, 4], into: &output)
    #expect(output == [-1, -2, -3, -4])
    let realtime = try RealtimeContext(network)
    var result = [Float](repeating: 0, count: 4)
    var span = result.mutableSpan
    let wrong: [Float] = [0, 0, 0, 0x1p30]
    let right: [Float] = [1, 2, 3, 4]
    do {
      try realtime.predict(wrong.span, into: &span)
      Issue.record("it predicted")
    } catch { #expect(error.description == text("1.0737418e+09 at index 3")) }
    try realtime.predict(right.span, into: &span)
    #expect(result == [-1, -2, -3, -4])
  }

  @Test func runners() async throws {
    let runner = try Runner(try single(), inflightBuffers: 2)
    #expect(try await runner.predict([1, 2, 3, 4] as [Int]) == [-1, -2, -3, -4])
    let error = await #expect(throws: PredictionError.self) {
      try await runner.predict([1, 2, 3, 16_777_217] as [Int])
    }
    #expect(error?.description == text("16777217 at index 3"))
  }

  /// Of a shorter sequence the values behind it are not looked at.
  @Test func lengths() throws {
    let ids = Input(shape: [.upTo(20), 1], name: "ids").ofIntegers
    let network = try Model(input: ids, output: ids --> Unary(.negate)).compile()
    let context = try Context(network)
    try context.setLength(5)
    try context.set("ids", to: [1, 2, 3, 4, 1 << 30] as [Int])
    expect("1.0737418e+09 at index 4") { try context.predict() }
    try context.setLength(4)
    try context.set("ids", to: [1, 2, 3, 4] as [Int])
    try context.predict()
    expect("16777217 at index 2") {
      _ = try network.predict(
        [1, 2, 16_777_217] as [Int])
    }
  }
}

/// Places along an axis that a prediction computes.
@Suite struct PlaceOutsideTests {
  private func network(_ options: CompileOptions = CompileOptions()) throws -> CompiledModel {
    let data = Input(shape: [3, 2], name: "data")
    let places = Input(shape: [2], name: "places")
    let elements = Input(shape: [2, 2], name: "elements")
    let (put, putElements) = (
      Input(shape: [2], name: "put"), Input(shape: [2, 2], name: "put elements")
    )
    let updates = data --> Slice(starts: [0], ends: [2], axes: [0])
    return try Model(
      inputs: [data, places, elements, put, putElements],
      outputs: [
        [data, put, updates] --> ScatterRows(combination: .add, name: "put rows"),
        [data, putElements, updates]
          --> ScatterElements(axis: 0, combination: .add, name: "elements put"),
        [data, places] --> GatherRows(name: "rows"),
        [data, elements] --> GatherElements(axis: 0, name: "elements of rows"),
      ]
    ).compile(options: options)
  }

  @Test func negativePlacesCountFromTheEnd() throws {
    let found = try network().predict(
      [
        "data": [1, 2, 3, 4, 5, 6], "places": [-1, -3], "elements": [2, -3, 0, -1],
        "put": [-1, -1], "put elements": [-3, 1, 0, -1],
      ] as [String: [Float]])
    #expect(found["rows"]?.values == [5, 6, 1, 2])
    #expect(found["elements of rows"]?.values == [5, 2, 1, 6])
    #expect(found["put rows"]?.values == [1, 2, 3, 4, 9, 12])
    #expect(found["elements put"]?.values == [5, 2, 3, 6, 5, 10])
  }

  @Test(
    arguments: [
      ([3, 0], "3 at index 0"), ([0, -4], "-4 at index 1"), ([.nan, 9], "nan at index 0"),
    ]
      as [([Float], String)])
  func placesOutsideAreErrors(_ test: ([Float], String)) throws {
    for set in CompileOptions.InstructionSet.present {
      var options = CompileOptions()
      options.instructionSet = set
      let network = try network(options)
      let data: [Float] = [1, 2, 3, 4, 5, 6]
      for (name, values, layer) in [
        ("places", test.0, "rows"), ("elements", test.0 + [0, 0], "elements of rows"),
        ("put", test.0, "put rows"), ("put elements", test.0 + [0, 0], "elements put"),
      ] {
        var inputs: [String: [Float]] = [
          "data": data, "places": [0, 1], "elements": [0, 1, 2, 0], "put": [0, 1],
          "put elements": [0, 1, 2, 0],
        ]
        inputs[name] = values
        let error = #expect(throws: PredictionError.self) { try network.predict(inputs) }
        #expect(error?.kind == .invalidIndex && error?.layer == layer)
        let text = error?.description ?? ""
        #expect(text.contains("a number is not an index along the axis"), "\(text)")
        #expect(text.contains("received  \(test.1)\n  needs     a number from -3 to 2"), "\(text)")
      }
    }
  }
}
