import ForgeShapes
import Testing

@Suite struct RearrangementRuleTests {
  private let large = """
    the output would be too large
      needs     at most 1099511627776 elements
    """

  @Test func flatten() throws {
    #expect(try RearrangementRule.flatten(image(7, 5, 3)) == .vector(105))
    #expect(try RearrangementRule.flatten(Shape(sizes: [2, 3, 4, 5])) == .vector(120))
    expectError(
      .unknownSize,
      """
      the size of the input is not known
        needs     a known number of elements to flatten
        remedy    give the Input a width and a height, or put a Resize before this layer
      """
    ) { _ = try RearrangementRule.flatten(image(7, nil, 3)) }
    expectError(.tooLarge, large) { _ = try RearrangementRule.flatten(image(.max, .max, 3)) }
  }

  @Test(
    arguments: [
      ([105], [105]), ([-1], [105]), ([3, 5, 7], [3, 5, 7]), ([5, -1], [5, 21]),
      ([-1, 1, 1, 105], [1, 1, 1, 105]),
      ([1, 1, 1, 1, 1, 1, -1, 105], [1, 1, 1, 1, 1, 1, 1, 105]),
    ] as [([Int], [Int])])
  func reshape(target: [Int], result: [Int]) throws {
    #expect(try RearrangementRule.reshape(image(7, 5, 3), to: target) == Shape(sizes: result))
  }

  @Test(
    arguments: [
      [], [0], [-2, 5], [-1, -1], [.min], [105, 0], [1, 1, 1, 1, 1, 1, 1, 1, 105],
    ] as [[Int]])
  func invalidReshapeTargets(target: [Int]) {
    expectError(
      .invalidArgument,
      """
      shape is out of range
        received  shape: \(target)
        needs     1 to 8 positive sizes, of which one may be -1
      """
    ) { _ = try RearrangementRule.reshape(image(7, 5, 3), to: target) }
  }

  @Test(arguments: [[104], [2, -1], [5, 5, 5], [-1, 106]])
  func mismatchedReshapes(target: [Int]) {
    expectError(
      .shapeMismatch,
      """
      the input cannot take the shape \(target)
        needs     a shape of 105 elements
      """
    ) { _ = try RearrangementRule.reshape(image(7, 5, 3), to: target) }
  }

  @Test func oversizedReshapes() {
    for target in [[.max, .max], [1 << 41, -1]] as [[Int]] {
      expectError(.tooLarge, large) {
        _ = try RearrangementRule.reshape(image(7, 5, 3), to: target)
      }
    }
  }

  @Test func permute() throws {
    #expect(try RearrangementRule.permute(image(7, 5, 3), order: [0, 1, 2]) == image(7, 5, 3))
    #expect(try RearrangementRule.permute(image(7, 5, 3), order: [2, 0, 1]) == Shape([3, 5, 7]))
    #expect(try RearrangementRule.permute(Shape([nil, 5]), order: [1, 0]) == Shape([5, nil]))
  }

  @Test(
    arguments: [
      [], [0], [0, 1], [0, 1, 1], [0, 1, 3], [1, 2, 3], [-1, 0, 1], [0, 1, 2, 3], [.min, .max, 0],
    ]
      as [[Int]])
  func invalidPermutations(order: [Int]) {
    expectError(
      .invalidArgument,
      """
      order is not a permutation of the axes
        received  order: \(order)
        needs     each of 0 to 2 once
      """
    ) { _ = try RearrangementRule.permute(image(7, 5, 3), order: order) }
  }

  @Test func pad() throws {
    let edges = Edges(top: 1, left: 2, bottom: 3, right: 4)
    #expect(try RearrangementRule.pad(image(7, 5, 3), by: edges) == image(13, 9, 3))
    #expect(try RearrangementRule.pad(image(nil, 5, nil), by: edges) == image(nil, 9, nil))
    expectError(
      .invalidArgument,
      """
      padding must not be negative
        received  padding: top 0, left -1, bottom 0, right 0
        needs     numbers from 0 to 1048576
      """
    ) { _ = try RearrangementRule.pad(image(7, 5, 3), by: Edges(left: -1)) }
    expectError(.tooLarge, large) {
      _ = try RearrangementRule.pad(image(1 << 20, 1 << 20, 1), by: Edges(left: 1))
    }
  }

  @Test func crop() throws {
    let edges = Edges(top: 1, left: 2, bottom: 3, right: 4)
    #expect(try RearrangementRule.crop(image(7, 5, 3), by: edges) == image(1, 1, 3))
    #expect(try RearrangementRule.crop(image(nil, nil, 3), by: edges) == image(nil, nil, 3))
    let text = """
      the output would be empty
        needs     width above 6 and height above 4 to cut top 1, left 2, bottom 3, right 4
      """
    expectError(.emptyOutput, text) { _ = try RearrangementRule.crop(image(6, 5, 3), by: edges) }
    expectError(.emptyOutput, text) { _ = try RearrangementRule.crop(image(nil, 4, 3), by: edges) }
    expectError(
      .invalidArgument,
      """
      crop must be at most 1048576
        received  crop: top 0, left 0, bottom 0, right \(Int.max)
        needs     numbers from 0 to 1048576
      """
    ) { _ = try RearrangementRule.crop(image(6, 5, 3), by: Edges(right: .max)) }
  }

  @Test func upSample() throws {
    let twice = Size(width: 2, height: 3)
    #expect(try RearrangementRule.upSample(image(7, 5, 3), by: twice) == image(14, 15, 3))
    #expect(try RearrangementRule.upSample(image(nil, 5, 3), by: twice) == image(nil, 15, 3))
    let most = Size(width: 1 << 20, height: 1 << 20)
    expectError(.tooLarge, large) {
      _ = try RearrangementRule.upSample(image(7, 5, 3), by: most)
    }
    expectError(
      .invalidArgument,
      """
      size must be positive
        received  size: (0, 3)
        needs     numbers from 1 to 1048576
      """
    ) { _ = try RearrangementRule.upSample(image(7, 5, 3), by: Size(width: 0, height: 3)) }
  }

  @Test func resize() throws {
    let size = Size(width: 64, height: 48)
    #expect(try RearrangementRule.resize(image(7, nil, 3), to: size) == image(64, 48, 3))
    #expect(try RearrangementRule.resize(image(nil, nil, nil), to: size) == image(64, 48, nil))
    expectError(.tooLarge, large) {
      _ = try RearrangementRule.resize(
        image(1, 1, 2), to: Size(width: 1 << 20, height: 1 << 20))
    }
  }

  @Test func nonImageInputs() {
    let flat = Shape(sizes: [7, 5])
    let rules: [() throws -> Shape] = [
      { try RearrangementRule.pad(flat, by: .none) },
      { try RearrangementRule.crop(flat, by: .none) },
      { try RearrangementRule.upSample(flat, by: .one) },
      { try RearrangementRule.resize(flat, to: .one) },
    ]
    for rule in rules {
      expectError(
        .shapeMismatch,
        """
        the input is not an image
          needs     three axes: height, width, channels
          remedy    put a Reshape before this layer
        """
      ) { _ = try rule() }
    }
  }
}
