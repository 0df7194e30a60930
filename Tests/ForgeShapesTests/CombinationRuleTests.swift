import ForgeShapes
import Testing

@Suite struct CombinationRuleTests {
  @Test(
    arguments: [
      ([[7, 5, 3]], [7, 5, 3]),
      ([[7, 5, 3], [7, 5, 3]], [7, 5, 3]),
      ([[7, 5, 3], [1, 1, 3]], [7, 5, 3]),
      ([[1, 5, 1], [7, 1, 3]], [7, 5, 3]),
      ([[7, 5, 3], [3]], [7, 5, 3]),
      ([[5, 1], [7, 5, 3]], [7, 5, 3]),
      ([[1], [1, 1], [4]], [1, 4]),
      ([[nil, 5, 3], [7, 5, 3]], [7, 5, 3]),
      ([[nil, 5, 3], [1, 5, 3]], [nil, 5, 3]),
      ([[nil, 5, 3], [nil, 5, 1]], [nil, 5, 3]),
      ([[1, 5, 3], [nil, 5, 3]], [nil, 5, 3]),
    ] as [([[Int?]], [Int?])])
  func broadcast(shapes: [[Int?]], result: [Int?]) throws {
    #expect(try CombinationRule.broadcast(shapes.map { Shape($0) }) == Shape(result))
    #expect(try CombinationRule.broadcast(shapes.reversed().map { Shape($0) }) == Shape(result))
  }

  @Test(
    arguments: [
      [[7, 5, 3], [7, 5, 4]], [[2], [3]], [[7, 5, 3], [5]], [[2, 2], [4]],
      [[nil, 5, 3], [nil, 5, 2]],
    ] as [[[Int?]]])
  func incompatibleBroadcasts(shapes: [[Int?]]) {
    expectError(
      .shapeMismatch,
      """
      the inputs do not match
        needs     sizes that are equal along each axis, or 1 where they differ
      """
    ) { _ = try CombinationRule.broadcast(shapes.map { Shape($0) }) }
  }

  @Test func outOfRangeBroadcasts() {
    let large = """
      the output would be too large
        needs     at most 1099511627776 elements
      """
    expectError(.tooLarge, large) {
      _ = try CombinationRule.broadcast([image(1 << 21, 1, 1), image(1, 1 << 20, 1)])
    }
    expectError(.tooLarge, large) { _ = try CombinationRule.broadcast([image(.max, .max, .max)]) }
    expectError(
      .emptyOutput,
      """
      the output would be empty
        needs     every size to be at least 1
      """
    ) { _ = try CombinationRule.broadcast([image(0, 5, 3), image(1, 5, 3)]) }
    expectError(
      .invalidArgument,
      """
      rank is out of range
        received  rank: 0
        needs     1 to 8 axes
      """
    ) { _ = try CombinationRule.broadcast([]) }
  }

  @Test(
    arguments: [
      ([[7, 5, 3]], -1, [7, 5, 3]),
      ([[7, 5, 3], [7, 5, 4]], -1, [7, 5, 7]),
      ([[7, 5, 3], [7, 5, 4]], 2, [7, 5, 7]),
      ([[7, 5, 3], [1, 5, 3], [2, 5, 3]], 0, [10, 5, 3]),
      ([[7, 5, 3], [7, 6, 3]], -2, [7, 11, 3]),
      ([[4], [5]], 0, [9]),
      ([[nil, 5, 3], [7, 5, 4]], 2, [7, 5, 7]),
      ([[7, nil, 3], [7, 5, 4]], 1, nil),
      ([[7, nil, 3], [7, 5, 3]], 1, [7, nil, 3]),
      ([[7, 5, 3], [7, nil, 3], [7, 5, 3]], 1, [7, nil, 3]),
    ] as [([[Int?]], Int, [Int?]?)])
  func concatenate(shapes: [[Int?]], axis: Int, result: [Int?]?) throws {
    let joined = try? CombinationRule.concatenate(shapes.map { Shape($0) }, axis: axis)
    #expect(joined?.dimensions == result)
  }

  @Test func incompatibleConcatenations() {
    func text(_ axis: String) -> String {
      """
      the inputs do not match
        needs     the same rank and, on every axis but \(axis), the same sizes
      """
    }
    expectError(.shapeMismatch, text("channels")) {
      _ = try CombinationRule.concatenate([image(7, 5, 3), image(7, 4, 3)], axis: 2)
    }
    expectError(.shapeMismatch, text("height")) {
      _ = try CombinationRule.concatenate([image(7, 5, 3), Shape(sizes: [5, 3])], axis: 0)
    }
    expectError(.shapeMismatch, text("1")) {
      _ = try CombinationRule.concatenate([Shape(sizes: [5, 3]), image(7, 5, 3)], axis: -1)
    }
    expectError(
      .wrongInputCount,
      "wrong number of inputs\n  received  0 tensors\n  needs     at least 1 tensor"
    ) {
      _ = try CombinationRule.concatenate([], axis: 0)
    }
  }

  @Test(arguments: [3, -4, .max, .min] as [Int]) func invalidAxes(axis: Int) {
    expectError(
      .invalidArgument,
      """
      axis is out of range
        received  axis: \(axis)
        needs     -3 to 2
      """
    ) { _ = try CombinationRule.concatenate([image(7, 5, 3)], axis: axis) }
  }

  @Test func axes() throws {
    #expect(try (-3...2).map { try CombinationRule.axis($0, rank: 3) } == [0, 1, 2, 0, 1, 2])
  }

  @Test func overflowingSums() {
    let large = """
      the output would be too large
        needs     at most 1099511627776 elements
      """
    for sizes in [[.max, .max], [.max, 1], [1 << 40, 1]] as [[Int]] {
      expectError(.tooLarge, large) {
        _ = try CombinationRule.concatenate(sizes.map { Shape(sizes: [$0]) }, axis: 0)
      }
    }
  }
}
