import ForgeOperations
import ForgeShapes
import Testing

/// Updates put into a tensor: shapes, and what the reference makes of each combination.
@Suite struct ScatterOperationTests {
  private func result(_ primitive: Primitive, _ operands: [[Int?]]) -> String {
    do {
      return try primitive.checkedShape(for: operands.map { Shape($0) }).sizeText
    } catch {
      return "\(error.headline); \(error.details.map(\.text).joined(separator: "; "))"
    }
  }

  @Test func shapes() {
    let add = Primitive.scatterElements(axis: 1, .add)
    #expect(result(add, [[7, 5], [7, 9], [7, 9]]) == "7×5")
    #expect(result(add, [[7, 5], [1, 9], [7, 9]]) == "7×5")
    #expect(result(add, [[7, 5], [3, 1], [3, 9]]) == "7×5")
    #expect(result(add, [[7, 5], [1, 1], [1, 1]]) == "7×5")
    #expect(result(add, [[nil, 5], [1, 9], [nil, 9]]) == "?×5")
    let text = """
      indices and updates do not fit the data; data 7×5, indices 7×9, updates 8×9; tensors of one \
      rank, updates no larger than the data except along the axis, and indices of the updates' \
      sizes or 1
      """
    #expect(result(add, [[7, 5], [7, 9], [8, 9]]) == text)
    for operands in [
      [[7, 5], [2, 9], [7, 9]], [[7, 5], [9], [7, 9]], [[7, 5], [7, 9], [7, 9, 1]],
    ] {
      #expect(result(add, operands).hasPrefix("indices and updates do not fit the data"))
    }
    #expect(result(add, [[7, 5], [7, 9]]).contains("wrong number of operands"))
    #expect(result(.scatterElements(axis: 2, .add), [[7, 5], [7, 9], [7, 9]]).contains("axis"))
    #expect(
      result(add, [[2, 1 << 24 + 1], [2, 1], [2, 1]])
        .contains("indices along an axis are not exact in Float32"))
  }

  private func tensor(_ sizes: [Int], _ values: [Double]) throws -> ReferenceTensor {
    try ReferenceTensor(sizes: sizes, values: values)
  }

  @Test(
    arguments: [
      (.replace, [9, 7, 3]), (.add, [1 + 5 + 9, 2 + 7, 3]), (.multiply, [5 * 9, 2 * 7, 3]),
      (.minimum, [1, 2, 3]), (.maximum, [9, 7, 3]),
    ] as [(ScatterCombination, [Double])])
  func combinations(_ test: (combination: ScatterCombination, wanted: [Double])) throws {
    let operation = Primitive.scatterElements(axis: 0, test.combination)
    let data = try tensor([3], [1, 2, 3])
    // Fractions are dropped, and places below 0 count from the end.
    let result = try operation.reference(
      on: [data, try tensor([3], [0.5, -2, -3]), try tensor([3], [5, 7, 9])])
    #expect(result.sizes == [3] && result.values == test.wanted)
    // Places outside change nothing here.
    let outside = try tensor([4], [3, -4, .nan, .infinity])
    let same = try operation.reference(on: [data, outside, try tensor([4], [5, 6, 7, 8])])
    #expect(same.values == data.values)
    // NaN stays, in the data and in updates.
    let numbers = try operation.reference(
      on: [
        try tensor([2, 1], [.nan, 1]), try tensor([1, 1], [-1]), try tensor([1, 1], [.nan]),
      ])
    let areNaN = numbers.values.map(\.isNaN)
    #expect(areNaN == [true, true])
  }

  /// Places that repeat along other axes, and updates smaller than the data.
  @Test func repeatedPlaces() throws {
    let data = try tensor([2, 3], [0, 0, 0, 0, 0, 0])
    let rows = try Primitive.scatterElements(axis: 0, .replace).reference(
      on: [data, try tensor([2, 1], [1, 1]), try tensor([2, 2], [1, 2, 3, 4])])
    #expect(rows.values == [0, 0, 0, 3, 4, 0])
    let columns = try Primitive.scatterElements(axis: -1, .add).reference(
      on: [data, try tensor([1, 2], [2, 0]), try tensor([2, 2], [1, 2, 3, 4])])
    #expect(columns.values == [2, 0, 1, 4, 0, 3])
    let one = try Primitive.scatterElements(axis: 1, .add).reference(
      on: [data, try tensor([2, 1], [2, 0]), try tensor([2, 4], [1, 2, 3, 4, 5, 6, 7, 8])])
    #expect(one.values == [0, 0, 10, 26, 0, 0])
  }
}
