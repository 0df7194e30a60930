import Forge
import ForgeImporters
import Testing

/// Values between the order of a file and Forge's.
///
/// The expected numbers are NumPy's: `np.arange(n).reshape(sizes).transpose(axes).ravel()`.
@Suite struct FileOrderTests {
  private typealias Port = ImportedModel.Port

  private func numbers(_ count: Int) -> [Float] { (0..<count).map { Float($0) } }

  /// An image of 3×7 pixels and two channels, channels first after a batch axis.
  @Test func channelsComeLast() throws {
    let port = Port(name: "x", sizes: [1, 2, 3, 7], axes: [2, 3, 1])
    let expected: [Float] = [
      0, 21, 1, 22, 2, 23, 3, 24, 4, 25, 5, 26, 6, 27, 7, 28, 8, 29, 9, 30, 10, 31, 11, 32, 12, 33,
      13, 34, 14, 35, 15, 36, 16, 37, 17, 38, 18, 39, 19, 40, 20, 41,
    ]
    let tensor = try port.forgeValues(numbers(42))
    #expect(tensor == TensorValues(shape: Shape(sizes: [3, 7, 2]), values: expected))
    #expect(try port.fileValues(expected) == numbers(42))
  }

  /// Five rows of 2×3 in any order of axes.
  @Test func otherOrders() throws {
    let port = Port(name: "x", sizes: [5, 1, 2, 3], axes: [2, 1, 3, 0])
    let expected: [Float] = [
      0, 6, 12, 18, 24, 1, 7, 13, 19, 25, 2, 8, 14, 20, 26, 3, 9, 15, 21, 27, 4, 10, 16, 22, 28, 5,
      11, 17, 23, 29,
    ]
    #expect(try port.forgeValues(numbers(30)).values == expected)
    #expect(try port.forgeValues(numbers(30)).shape == Shape(sizes: [2, 1, 3, 5]))
    #expect(try port.fileValues(expected) == numbers(30))
  }

  @Test func axesThatTheFileDoesNotHave() throws {
    let port = Port(name: "x", sizes: [11], axes: [nil, nil, 0])
    let tensor = try port.forgeValues(numbers(11))
    #expect(tensor == TensorValues(shape: Shape(sizes: [1, 1, 11]), values: numbers(11)))
    #expect(try port.fileValues(numbers(11)) == numbers(11))
    let scalar = Port(name: "s", sizes: [], axes: [])
    #expect(try scalar.forgeValues([4]).values == [4])
    #expect(try scalar.fileValues([4]) == [4])
  }

  @Test func sequencesMayBeShorter() throws {
    let port = Port(name: "x", sizes: [1, 3, 40], axes: [2, 1], lengthAxes: [2])
    let tensor = try port.forgeValues([0, 1, 10, 11, 20, 21], sizes: [1, 3, 2])
    #expect(
      tensor == TensorValues(shape: Shape(sizes: [2, 3]), values: [0, 10, 20, 1, 11, 21]))
    #expect(
      try port.fileValues(tensor.values, sizes: [1, 3, 2]) == [0, 1, 10, 11, 20, 21])
    for sizes in [[1, 2, 2], [1, 3, 41], [3, 2], [1, 3, -1], [1, 3, .max]] {
      let error = #expect(throws: ImportError.self) {
        try port.forgeValues([], sizes: sizes)
      }
      #expect(error?.kind == .parameter)
      #expect(error?.headline == "the sizes do not fit \"x\"")
      #expect(error?.needs == "1×3×..40")
      #expect(throws: ImportError.self) { try port.fileValues([], sizes: sizes) }
    }
  }

  @Test(arguments: [0, 1, 41, 43]) func otherCounts(_ count: Int) {
    let port = Port(name: "x", sizes: [1, 2, 3, 7], axes: [2, 3, 1])
    let error = #expect(throws: ImportError.self) { try port.forgeValues(numbers(count)) }
    #expect(
      error?.description == """
        the values do not fill "x"
          received  \(count) \(count == 1 ? "value" : "values")
          needs     1×2×3×7
        """)
    #expect(throws: ImportError.self) { try port.fileValues(numbers(count)) }
  }

  /// Ports that contradict themselves are errors, too.
  @Test(arguments: [[2, 3], [2, 2, 1], [2, 9, 1]]) func otherAxes(_ axes: [Int]) {
    let port = Port(name: "x", sizes: [1, 2, 3, 7], axes: axes)
    #expect(throws: ImportError.self) { try port.forgeValues(numbers(42)) }
    #expect(throws: ImportError.self) { try port.fileValues(numbers(42)) }
  }

  /// What the network of a file computes, with the arrays of its original program.
  @Test func throughANetwork() throws {
    let transpose = ONNXWriter.node("Transpose", ["x"], ["y"], ["perm": [0, 2, 3, 1]])
    let imported = try ImportedModel(
      onnx: ONNXWriter.model([transpose], inputs: [ONNXWriter.value("x", [1, 2, 3, 7])]))
    let network = try imported.model.compile()
    let results = try network.predict(["x": try imported.inputs[0].forgeValues(numbers(42))])
    let values = try #require(results["y"]).values
    let expected = try Port(name: "x", sizes: [1, 2, 3, 7], axes: [2, 3, 1])
      .forgeValues(numbers(42)).values
    #expect(try imported.outputs[0].fileValues(values) == expected)
  }
}
