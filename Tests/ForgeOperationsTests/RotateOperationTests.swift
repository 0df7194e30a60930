import ForgeOperations
import ForgeShapes
import Testing

/// The rotation of pairs of channels: shapes and reference.
@Suite struct RotateOperationTests {
  private func shape(_ rule: RotationRule, _ operands: [[Int]]) -> String {
    do {
      return try Primitive.rotate(rule).checkedShape(for: operands.map { Shape(sizes: $0) })
        .sizeText
    } catch {
      return "\(error)"
    }
  }

  @Test func shapes() {
    let rule = RotationRule(heads: 3, pairs: .halves)
    // Width, height, channels.
    #expect(shape(rule, [[2, 5, 21], [1, 5, 6], [1, 5, 6]]) == "5×2×21")
    #expect(shape(rule, [[2, 5, 21], [2, 5, 2], [2, 5, 2]]) == "5×2×21")
    #expect(shape(rule, [[2, 5, 21], [3, 5, 6], [3, 5, 6]]).contains("its rows or one"))
    #expect(shape(rule, [[2, 5, 21], [1, 4, 6], [1, 4, 6]]).contains("the image's columns"))
    #expect(shape(rule, [[2, 5, 21], [5, 6], [5, 6]]).contains("the image's columns"))
    #expect(shape(rule, [[2, 5, 21], [1, 5, 7], [1, 5, 7]]).contains("an even number"))
    #expect(shape(rule, [[2, 5, 21], [1, 5, 8], [1, 5, 8]]).contains("up to the head's 7"))
    #expect(
      shape(rule, [[2, 5, 21], [1, 5, 6], [1, 5, 4]]).contains("the sizes of the cosines"))
    #expect(shape(rule, [[2, 5, 22], [1, 5, 6], [1, 5, 6]]).contains("a multiple of 3"))
    #expect(shape(rule, [[2, 5, 21], [1, 5, 6]]).contains("wrong number of operands"))
    #expect(
      shape(RotationRule(heads: 0, pairs: .halves), [[2, 5, 21], [1, 5, 6], [1, 5, 6]])
        .contains("heads"))
    let part = RotationRule(heads: 3, pairs: .neighbors, hasPosition: true)
    #expect(shape(part, [[1, 5, 21], [9, 6], [9, 6], [1]]) == "5×1×21")
    #expect(shape(part, [[1, 5, 21], [4, 6], [4, 6], [1]]).contains("at most 4"))
    #expect(shape(part, [[2, 5, 21], [9, 6], [9, 6], [1]]).contains("one row"))
    #expect(
      shape(part, [[1, 5, 21], [1, 9, 6], [1, 9, 6], [1]]).contains("a table of positions"))
    #expect(shape(part, [[1, 5, 21], [9, 6], [9, 6]]).contains("wrong number of operands"))
  }

  private func tensor(_ sizes: [Int], _ values: [Double]) throws -> ReferenceTensor {
    try ReferenceTensor(sizes: sizes, values: values)
  }

  /// Two heads of five channels, of which four turn; the second row has cosines of its own.
  @Test(arguments: [RotationRule.Pairs.halves, .neighbors])
  func references(pairs: RotationRule.Pairs) throws {
    let image = try tensor([2, 1, 10], (1...20).map(Double.init))
    let cosines = try tensor([2, 1, 4], [2, 3, 5, 7, 11, 13, 17, 19])
    let sines = try tensor([2, 1, 4], [100, 200, 300, 400, 500, 600, 700, 800])
    let result = try Primitive.rotate(RotationRule(heads: 2, pairs: pairs)).reference(
      on: [image, cosines, sines])
    func turned(_ x: [Double], _ c: [Double], _ s: [Double]) -> [Double] {
      let partners =
        pairs == .halves ? [-x[2], -x[3], x[0], x[1]] : [-x[1], x[0], -x[3], x[2]]
      return (0..<4).map { x[$0] * c[$0] + partners[$0] * s[$0] } + [x[4]]
    }
    let expected = (0..<4).flatMap { part in
      turned(
        (1...5).map { Double(part * 5 + $0) },
        part < 2 ? [2, 3, 5, 7] : [11, 13, 17, 19],
        part < 2 ? [100, 200, 300, 400] : [500, 600, 700, 800])
    }
    #expect(result.values == expected)
  }

  @Test func positionsOfAStream() throws {
    let image = try tensor([1, 2, 2], [1, 2, 3, 4])
    let cosines = try tensor([4, 2], [1, 2, 3, 4, 5, 6, 7, 8])
    let sines = try tensor([4, 2], [10, 20, 30, 40, 50, 60, 70, 80])
    let rule = RotationRule(heads: 1, pairs: .halves, hasPosition: true)
    for (position, start) in [(1.0, 1), (2, 2), (9, 2), (-1, 0), (.nan, 0)] {
      let result = try Primitive.rotate(rule).reference(
        on: [image, cosines, sines, try tensor([1], [position])])
      let expected = (0..<2).flatMap { t -> [Double] in
        let (a, b) = (image.values[2 * t], image.values[2 * t + 1])
        let row = 2 * (start + t)
        return [
          a * cosines.values[row] - b * sines.values[row],
          b * cosines.values[row + 1] + a * sines.values[row + 1],
        ]
      }
      #expect(result.values == expected, "\(position)")
    }
  }
}
