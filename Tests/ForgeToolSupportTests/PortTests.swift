import Forge
import ForgeImporters
import ForgeToolSupport
import Testing

/// Arrays in the order of a file, and what they are in Forge's.
@Suite struct PortTests {
  /// An image of 2×3 pixels and 5 channels, channels first after a batch axis.
  private let port = ImportedModel.Port(name: "x", sizes: [1, 5, 2, 3], axes: [2, 3, 1])
  private let shape = Shape(sizes: [2, 3, 5])
  /// Each element tells its channel, row and column.
  private let inFile = (0..<30).map { (index: Int) -> Float in
    let (channel, pixel) = (index / 6, index % 6)
    return Float(100 * channel + 10 * (pixel / 3) + pixel % 3)
  }
  private let inForge = (0..<30).map { (index: Int) -> Float in
    let (channel, pixel) = (index % 5, index / 5)
    return Float(100 * channel + 10 * (pixel / 3) + pixel % 3)
  }

  private func tensor(_ values: [Float], _ sizes: [Int]) throws -> StoredTensor {
    try StoredTensor(floats: values, sizes: sizes)
  }

  /// Examples of an output follow each other along the axis that the file gives them.
  @Test func examplesFollowEachOtherAlongTheirAxis() throws {
    var port = ImportedModel.Port(name: "y", sizes: [2, 1, 3], axes: [0, 2])
    port.examples = .along(1)
    let examples = (0..<2).map { example in
      TensorValues(
        shape: Shape(sizes: [2, 3]), values: (0..<6).map { Float(10 * example + $0) })
    }
    let array = try port.array(of: examples, isBatch: true)
    #expect(array.sizes == [2, 2, 3])
    #expect(array.floats == [0, 1, 2, 10, 11, 12, 3, 4, 5, 13, 14, 15])
  }

  @Test func channelsComeLast() throws {
    let examples = try port.examples(in: tensor(inFile, [1, 5, 2, 3]), forge: shape)
    #expect(examples == [TensorValues(shape: shape, values: inForge)])
  }

  /// A sequence has any length, in the order of the file or of Forge.
  @Test func lengthsAreAnySize() throws {
    let port = ImportedModel.Port(name: "x", sizes: [1, 3, 40], axes: [2, 1], lengthAxes: [2])
    let shape = Shape(sizes: [40, 3])
    let values: [Float] = [0, 1, 10, 11, 20, 21]
    for sizes in [[1, 3, 2], [3, 2]] {
      let examples = try port.examples(in: tensor(values, sizes), forge: shape)
      #expect(
        examples == [TensorValues(shape: Shape(sizes: [2, 3]), values: [0, 10, 20, 1, 11, 21])])
    }
    let error = #expect(throws: ToolError.self) {
      try port.examples(in: tensor(values + [0, 0], [1, 4, 2]), forge: shape)
    }
    #expect(error?.description.contains("1×3×..40, the axes of the file") == true)
  }

  @Test func theBatchAxisMayBeMissing() throws {
    let examples = try port.examples(in: tensor(inFile, [5, 2, 3]), forge: shape)
    #expect(examples.map(\.values) == [inForge])
  }

  @Test(arguments: [[2, 3, 5], [1, 2, 3, 5]])
  func forgesOrderIsTakenToo(_ sizes: [Int]) throws {
    let examples = try port.examples(in: tensor(inForge, sizes), forge: shape)
    #expect(examples.map(\.values) == [inForge])
  }

  @Test func theFilesOrderComesFirst() throws {
    let cube = ImportedModel.Port(name: "x", sizes: [1, 2, 2, 2], axes: [2, 3, 1])
    let examples = try cube.examples(
      in: tensor([0, 1, 2, 3, 4, 5, 6, 7], [2, 2, 2]), forge: Shape(sizes: [2, 2, 2]))
    #expect(examples.map(\.values) == [[0, 4, 1, 5, 2, 6, 3, 7]])
  }

  @Test(arguments: [[2, 5, 2, 3], [2, 2, 3, 5]])
  func theFirstAxisCountsExamples(_ sizes: [Int]) throws {
    let isFile = sizes[1] == 5
    let one = isFile ? inFile : inForge
    let array = try tensor(one + one.map { -$0 }, sizes)
    let examples = try port.examples(in: array, forge: shape, isBatch: true)
    #expect(examples.map(\.values) == [inForge, inForge.map { -$0 }])
    let error = #expect(throws: ToolError.self) { try port.examples(in: array, forge: shape) }
    #expect(
      error?.description == """
        the array does not fit the input "x"
          received  \(isFile ? "2×5×2×3" : "2×2×3×5")
          needs     1×5×2×3, the axes of the file
                    or 2×3×5, Forge's order
          remedy    --batch, if the first axis counts examples
        """)
  }

  @Test func resultsGetTheFilesOrderAndType() throws {
    let integers = ImportedModel.Port(
      name: "y", elementType: .int64, sizes: [1, 5, 2, 3], axes: [2, 3, 1])
    let values = TensorValues(shape: shape, values: inForge)
    let array = try integers.array(of: [values])
    #expect(array.sizes == [1, 5, 2, 3])
    #expect(array.elementType == .int64)
    #expect(array.int64s == inFile.map { Int64($0) })
    let batch = try integers.array(of: [values, values], isBatch: true)
    #expect(batch.sizes == [2, 5, 2, 3])
    #expect(batch.floats == inFile + inFile)
  }

  @Test func axesThatTheFileLacksHaveSizeOne() throws {
    // A matrix of the file is an image of one row.
    let port = ImportedModel.Port(name: "m", sizes: [3, 4], axes: [nil, 1, 0])
    let shape = Shape(sizes: [1, 4, 3])
    let inFile = (0..<12).map { Float($0) }
    let examples = try port.examples(in: tensor(inFile, [3, 4]), forge: shape)
    #expect(examples.map(\.values) == [[0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]])
    #expect(try port.array(of: examples).floats == inFile)
    #expect(try port.array(of: examples + examples, isBatch: true).sizes == [2, 3, 4])
  }

  @Test func aSingleValueHasNoAxes() throws {
    let port = ImportedModel.Port(name: "s", elementType: .float32, sizes: [], axes: [nil])
    let examples = try port.examples(in: tensor([7.5], []), forge: Shape(sizes: [1]))
    #expect(examples.map(\.values) == [[7.5]])
    #expect(try port.array(of: examples).sizes == [])
  }

  @Test func anyRowsAndColumnsFit() throws {
    let port = ImportedModel.Port(name: "x", shape: Shape([nil, nil, 2]))
    let examples = try port.examples(
      in: tensor(Array(repeating: 0.5, count: 24), [3, 4, 2]), forge: Shape([nil, nil, 2]))
    #expect(examples.map(\.shape) == [Shape(sizes: [3, 4, 2])])
  }
}
