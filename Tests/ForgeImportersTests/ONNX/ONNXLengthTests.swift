import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Models whose sequences have any length up to a maximum, against ONNX Runtime at some lengths;
/// Scripts/references/make_length_exports.py made them.
@Suite struct ONNXLengthTests {
  struct Length: Decodable {
    struct Output: Decodable {
      let sizes: [Int]
      @Numbers var values: [Float]
    }

    let inputs: [String: Numbers]
    let outputs: [String: Output]
  }

  static let folder = "ONNX/Lengths"
  static let expected = Result {
    try ImporterFixtures.decode(
      "\(folder)/expected.safetensors", as: [String: [String: Length]].self)
  }
  static let maximum = 40
  static let networks = ["bert", "fused", "decoder", "triangle", "lstm", "gru", "convolutions"]

  private static func options(_ name: String) -> ImportOptions {
    switch name {
    case "bert", "fused":
      ImportOptions(
        sizes: ["input_ids": [1, .upTo(maximum)], "attention_mask": [1, .upTo(maximum)]])
    case "decoder", "triangle": ImportOptions(sizes: ["ids": [1, .upTo(maximum)]])
    case "convolutions": ImportOptions(sizes: ["x": [1, 13, .upTo(maximum)]])
    default: ImportOptions(sizes: ["x": [1, .upTo(maximum), 13]])
    }
  }

  @Test(arguments: networks, ["script", "dynamo"])
  func lengthsGiveTheResultsOfONNXRuntime(_ name: String, _ exporter: String) throws {
    let expected = try #require(try Self.expected.get()["\(name)_\(exporter)"])
    let imported = try ImportedModel(
      onnx: ImporterFixtures.path("\(Self.folder)/\(name)_\(exporter).onnx"),
      options: Self.options(name))
    for disabled: Set<String> in [[], ["recognizeAttention"]] {
      let network = try imported.model.compile(
        options: CompileOptions(disabledRewrites: disabled, threads: .exactly(2)))
      #expect(network.maximumLength == Self.maximum)
      // Down and up, so that a length follows longer and shorter ones.
      for length in [Self.maximum, 1, 23, 7, Self.maximum, 1] {
        let given = try #require(expected["\(length)"])
        let inputs = Dictionary(
          uniqueKeysWithValues: try imported.inputs.map { port in
            (
              port.name,
              try Self.tensor(
                port, try #require(given.inputs[port.name]).wrappedValue, length)
            )
          })
        let predictions = try network.predict(inputs)
        for port in imported.outputs {
          let output = try #require(given.outputs[port.name])
          let result: TensorValues = try #require(predictions[port.name])
          expectClose(
            try Self.values(port, result, sizes: output.sizes), output.values, relativeL2: 1e-5,
            maximum: 1e-4, "\(name): \(port.name), length \(length), without \(disabled)")
        }
      }
    }
  }

  /// The axes of a port at another length.
  private static func port(_ port: ImportedModel.Port, _ sizes: [Int]) -> ImportedModel.Port {
    .init(name: port.name, elementType: port.elementType, sizes: sizes, axes: port.axes)
  }

  private static func tensor(
    _ own: ImportedModel.Port, _ values: [Float], _ length: Int
  ) throws -> TensorValues {
    let sizes = own.sizes.map { $0 == maximum ? length : $0 }
    return port(own, sizes).tensor(values)
  }

  private static func values(
    _ own: ImportedModel.Port, _ result: TensorValues, sizes: [Int]
  ) throws -> [Float] {
    #expect(own.sizes.count == sizes.count)
    return port(own, sizes).values(result)
  }

  /// A small graph from `x` to `y`, compiled.
  private struct SmallNetwork {
    let imported: ImportedModel
    let network: CompiledModel

    init(_ name: String, _ sizes: [InputSize] = [1, .upTo(40), 6]) throws {
      imported = try ImportedModel(
        onnx: ImporterFixtures.path("\(ONNXLengthTests.folder)/\(name).onnx"),
        options: ImportOptions(sizes: ["x": sizes]))
      network = try imported.model.compile()
    }

    /// What it computes, in the order of the file, given the sizes of both.
    func predict(_ values: [Float], _ sizes: [Int], to result: [Int]) throws -> [Float] {
      let input = ONNXLengthTests.port(imported.inputs[0], sizes).tensor(values)
      let output = try #require(try network.predict(["x": input])["y"])
      return ONNXLengthTests.port(imported.outputs[0], result).values(output)
    }
  }

  // MARK: What does not follow the length

  private func problem(_ name: String, _ sizes: [InputSize] = [1, .upTo(40), 6]) -> String {
    do {
      let imported = try ImportedModel(
        onnx: ImporterFixtures.path("\(Self.folder)/\(name).onnx"),
        options: ImportOptions(sizes: ["x": sizes]))
      _ = try imported.model.compile(options: CompileOptions(threads: .exactly(1)))
      return ""
    } catch { return "\(type(of: error)): \(error)" }
  }

  /// Each says what does not follow the length, and names the node.
  @Test(arguments: [
    ("fixed_reshape", "rows", "6·length"),
    ("half", "halve", "leaves a remainder"), ("compared", "longer", "differs by length"),
    ("scaled", "by_length", "depends on the length"), ("resized", "resize", "length varies"),
    ("third", "third", "may be shorter"), ("shape", "y", "depends on the length"),
  ])
  func nodesThatDoNotFollowTheLengthAreNamed(_ file: String, _ node: String, _ text: String) {
    let message = problem(file)
    #expect(message.contains(node) && message.contains(text), "\(file): \(message)")
    #expect(message.hasPrefix("ForgeError<ImportErrorKind>"), "\(file): \(message)")
    // The same file with one length.
    if file != "shape" { #expect(problem(file, [1, 40, 6]).isEmpty) }
  }

  /// Length and channels change places, but no number does: [length][6] as [6][length].
  @Test func aReshapeMayMoveTheLengthToAnotherAxis() throws {
    let network = try SmallNetwork("mixing_reshape")
    for length in [40, 1, 7, 23] {
      let values = (0..<6 * length).map { Float($0) / 7 - 3 }
      #expect(try network.predict(values, [1, length, 6], to: [1, 6, length]) == values)
    }
  }

  /// Counts of Booleans are small; integers of 8 bits wrap around, 0 − 1 to 255.
  @Test func integersOfAKnownBoundAreComputed() throws {
    let narrow = try SmallNetwork("narrow")
    for length in [40, 1, 7] {
      let values = (0..<6 * length).map { Float($0 * 37 % 11) - 5 }
      #expect(
        try narrow.predict(values, [1, length, 6], to: [1, length, 6])
          == values.map { $0 > 0 ? 0 : 255 })
    }
    let network = try SmallNetwork("counted")
    for length in [40, 1, 7] {
      let values = (0..<6 * length).map { Float($0 * 37 % 11) - 5 }
      var counts = Array(repeating: Float(0), count: 6)
      let expected = values.enumerated().map { index, value -> Float in
        if value > 0 { counts[index % 6] += 1 }
        return (value > 0 ? counts[index % 6] : 0) - 1
      }
      #expect(try network.predict(values, [1, length, 6], to: [1, length, 6]) == expected)
    }
  }

  /// Whether a product is 0 does not depend on rounding, and a clip leaves small numbers.
  @Test func integersWithoutABoundAreComputedWhereThatIsExact() throws {
    for sizes: [InputSize] in [[1, .upTo(40), 6], [1, 40, 6]] {
      #expect(problem("product", sizes).contains("Mul with arithmetic on i64"))
    }
    for file in ["truth", "clipped"] {
      let network = try SmallNetwork(file)
      for length in [40, 1, 7] {
        let values = (0..<6 * length).map { Float($0 * 37 % 23) * 0.7 - 6 }
        let expected = values.map { value in
          let whole = value.rounded(.towardZero)
          let clipped = min(max(whole, -3), 5)
          return file == "truth" ? (whole == 0 ? 0 : 1) : clipped * clipped
        }
        #expect(try network.predict(values, [1, length, 6], to: [1, length, 6]) == expected)
      }
    }
  }

  @Test func rowsAtComputedPlacesOfASequence() throws {
    let network = try SmallNetwork("largest_rows")
    for length in [40, 1, 7, 23] {
      let values = (0..<6 * length).map { Float(($0 * 37 + length) % 241) }
      let expected = (0..<6).flatMap { channel in
        let largest = (0..<length).max { values[6 * $0 + channel] < values[6 * $1 + channel] } ?? 0
        return values[6 * largest..<6 * largest + 6]
      }
      #expect(try network.predict(values, [1, length, 6], to: [1, 6, 6]) == expected)
    }
  }

  /// Negative places count from the end of their axis; one that it does not have is an error.
  @Test func rowsAtComputedPlacesOfTwoAxes() throws {
    let network = try SmallNetwork("computed_places", [1, 40, 6])
    var values = (0..<240).map { Float($0) / 8 }
    func place(_ places: [(Float, Float)]) {
      for (row, place) in places.enumerated() {
        (values[6 * row], values[6 * row + 1]) = (place.0, place.1)
      }
    }
    place([(4, 7), (-1, -8), (0, 7), (-5, 0)])
    let rows = try network.predict(values, [1, 40, 6], to: [4, 6])
    #expect(Array(rows[..<6]) == Array(values[6 * 39..<6 * 40]))
    #expect(Array(rows[6..<12]) == Array(values[6 * 32..<6 * 33]))
    #expect(Array(rows[12..<18]) == Array(values[6 * 7..<6 * 8]))
    #expect(Array(rows[18...]) == Array(values[..<6]))
    for outside: (Float, Float) in [(0, 8), (-6, 0)] {
      place([(4, 7), outside, (0, 0), (0, 0)])
      let error = #expect(throws: PredictionError.self) {
        try network.predict(values, [1, 40, 6], to: [4, 6])
      }
      #expect(error?.kind == .invalidIndex)
    }
  }

  @Test func windowsAndStepsAlongTheLengthAreRefused() {
    for file in ["strided", "unpadded"] {
      let message = problem(file, [1, 6, .upTo(40)])
      #expect(message.hasPrefix("ForgeError<ImportErrorKind>"), "\(file): \(message)")
      #expect(message.contains(file == "strided" ? "steps" : "window"), "\(file): \(message)")
      #expect(problem(file, [1, 6, 40]).isEmpty)
    }
    #expect(problem("flattened").contains("product"))
  }

  /// The matrix has rows for the channels, which a length does not replace.
  @Test func channelsThatVaryAreRefused() {
    #expect(problem("channels").isEmpty)
    let message = problem("channels", [1, 5, .upTo(40)])
    #expect(message.hasPrefix("ForgeError<ImportErrorKind>"), "\(message)")
  }

  /// At the largest length both axes have the same size, so that a fixed one looks right.
  @Test func equalSizesAreNotMistakenForTheLength() throws {
    #expect(problem("square", [1, .upTo(40), 40]).isEmpty)
    let message = problem("square", [1, 40, .upTo(40)])
    #expect(message.contains("square") && message.contains("mixes"), "\(message)")
  }

  // MARK: Options

  @Test(
    arguments: [
      ([1, .upTo(0), 6], "a largest length from 8"),
      ([1, .upTo(-3), 6], "a largest length from 8"),
      ([1, .upTo(7), 6], "a largest length from 8"),
      ([1, .upTo(.max), 6], "a largest length from 8"),
      ([.upTo(40), 1, 12, 6], "the batch of input \"x\" cannot be a length"),
      ([1, .upTo(40), .upTo(41)], "have different numbers of sizes"),
      ([0, .upTo(40), 6], "out of range"),
      ([1, .upTo(1 << 20), .exactly(.max)], "out of range"),
    ] as [([InputSize], String)])
  func wrongOptionsAreErrors(_ sizes: [InputSize], _ text: String) {
    let message = problem("channels", sizes)
    #expect(message.contains(text), "\(message)")
    #expect(message.hasPrefix("ForgeError<ImportErrorKind>"), "\(message)")
  }

  /// The error for sizes that a file leaves open says how to state them.
  @Test func openSizesNameTheLengthWhereThereMayBeOne() throws {
    func remedy(_ name: String, _ sizes: [String: [InputSize]] = [:]) throws -> String {
      var options = ImportOptions(sizes: sizes)
      options.largestOpenSize = nil
      let error = try #require(
        #expect(throws: ImportError.self) {
          try ImportedModel(onnx: ImporterFixtures.path("ONNX/\(name).onnx"), options: options)
        })
      #expect(error.kind == .unknownSize)
      return try #require(error.remedy)
    }
    let state = "state them in ImportOptions.sizes, as "
    #expect(
      try remedy("Lengths/bert_dynamo") == state
        + "[\"input_ids\": [1, 128], \"attention_mask\": [1, 128]], "
        + "or [1, .upTo(512)] for sequences of up to 512")
    #expect(
      try remedy("Lengths/channels") == state
        + "[\"x\": [1, 128, 6]], or [1, .upTo(512), 6] for sequences of up to 512")
    // Two open sizes may be those of an image.
    let known: [InputSize] = [1, 2, .upTo(300), 4]
    #expect(
      try remedy("LongLengths/masked", ["q": known, "k": known, "v": [1, 2, .upTo(300), 3]])
        == state + "[\"m\": [1, 1, 224, 224]], "
        + "or [1, 1, .open(\"h\", 1...1024), .open(\"w\", 1...1024)] for any sizes")
  }

  @Test func lengthsOfSeveralInputsAgree() {
    func kind(_ sizes: [String: [InputSize]]) -> ImportErrorKind? {
      do {
        _ = try ImportedModel(
          onnx: ImporterFixtures.path("\(Self.folder)/bert_dynamo.onnx"),
          options: ImportOptions(sizes: sizes))
        return nil
      } catch { return error.kind }
    }
    let ids: [InputSize] = [1, .upTo(40)]
    #expect(kind(["input_ids": ids, "attention_mask": [1, .upTo(39)]]) == .unknownSize)
    #expect(kind(["input_ids": ids, "mask": ids]) == .unknownName)
    // Positions are learned up to 40.
    #expect(kind(["input_ids": [1, .upTo(41)], "attention_mask": [1, .upTo(41)]]) != nil)
    // One sequence varies, and the other does not.
    #expect(kind(["input_ids": ids, "attention_mask": [1, 40]]) != nil)
  }
}
