import ForgeShapes
import Testing

/// Checks of single arguments; hostile values do not trap.
@Suite struct ArgumentRuleTests {
  @Test func positive() throws {
    try ArgumentRule.positive(1, "channels")
    try ArgumentRule.positive(1 << 20, "channels")
    try ArgumentRule.positive(Size(width: 1, height: 1 << 20), "size")
    try ArgumentRule.nonNegative(Edges(all: 0), "padding")
    try ArgumentRule.nonNegative(Edges(all: 1 << 20), "padding")
  }

  @Test(arguments: [.min, -1, 0, (1 << 20) + 1, .max] as [Int]) func notPositive(number: Int) {
    let rule = number < 1 ? "positive" : "at most 1048576"
    expectError(
      .invalidArgument,
      """
      channels must be \(rule)
        received  channels: \(number)
        needs     numbers from 1 to 1048576
      """
    ) { try ArgumentRule.positive(number, "channels") }
    expectError(
      .invalidArgument,
      """
      size must be \(rule)
        received  size: (\(number), 1)
        needs     numbers from 1 to 1048576
      """
    ) { try ArgumentRule.positive(Size(width: number, height: 1), "size") }
  }

  @Test(
    arguments: [
      (0, 0, "no tensor"), (1, 1, "exactly 1 tensor"), (3, 3, "exactly 3 tensors"),
      (1, .max, "at least 1 tensor"), (3, .max, "at least 3 tensors"), (3, 4, "3 to 4 tensors"),
    ] as [(Int, Int, String)])
  func counts(least: Int, most: Int, needs: String) throws {
    for count in 0...5 {
      let inputs = Array(repeating: image(1, 1, 1), count: count)
      if count >= least, count <= most {
        try ArgumentRule.count(inputs, from: least, to: most)
      } else {
        expectError(
          .wrongInputCount,
          """
          wrong number of inputs
            received  \(count == 1 ? "1 tensor" : "\(count) tensors")
            needs     \(needs)
          """
        ) { try ArgumentRule.count(inputs, from: least, to: most) }
      }
    }
    expectError(
      .wrongInputCount,
      """
      wrong number of inputs
        received  6 tensors
        needs     exactly 1 tensor, as in x --> Softmax()
      """
    ) {
      try ArgumentRule.count(
        Array(repeating: image(1, 1, 1), count: 6), from: 1, to: 1, example: "x --> Softmax()")
    }
  }

  @Test func tensors() throws {
    #expect(try ArgumentRule.tensor(image(7, nil, 3)) == image(7, nil, 3))
    #expect(try ArgumentRule.single([image(1 << 20, 1 << 20, 1)]) == image(1 << 20, 1 << 20, 1))
    expectError(.shapeMismatch, "the input has 9 axes\n  needs     1 to 8 axes") {
      _ = try ArgumentRule.tensor(Shape(sizes: Array(repeating: 1, count: 9)))
    }
    for shape in [image(0, 1, 1), image(1, -1, 1), image(nil, 1, .min)] {
      expectError(
        .shapeMismatch, "the input is empty\n  needs     every size to be at least 1"
      ) { _ = try ArgumentRule.tensor(shape) }
    }
    for shape in [image(.max, .max, .max), image(1 << 41, nil, 1)] {
      expectError(
        .tooLarge, "the input is too large\n  needs     at most 1099511627776 elements"
      ) { _ = try ArgumentRule.tensor(shape) }
    }
  }

  @Test func channels() throws {
    #expect(try ArgumentRule.channels(of: image(nil, nil, 3)) == 3)
    #expect(try ArgumentRule.lastAxis(of: Shape([nil, 4])) == 4)
    try ArgumentRule.channels(of: image(1, 1, 3), oneOf: [1, 3], meaning: "grey or colour")
    expectError(
      .shapeMismatch,
      """
      the input has 2 channels
        needs     1 or 3 channels: grey or colour
      """
    ) {
      try ArgumentRule.channels(of: image(1, 1, 2), oneOf: [1, 3], meaning: "grey or colour")
    }
    expectError(
      .unknownSize,
      """
      the size of the input is not known
        needs     a known number of channels
        remedy    give the Input a width and a height, or put a Resize before this layer
      """
    ) { _ = try ArgumentRule.lastAxis(of: Shape([3, nil])) }
  }

  @Test func valuesPerChannel() throws {
    try ArgumentRule.perChannel([1], "scale", channels: nil)
    try ArgumentRule.perChannel([1, 2, 3], "scale", channels: 3)
    let needs = [nil: "1 value, as the number of channels is not known", 1: "1 value"]
    for channels in [nil, 1, 3] as [Int?] {
      expectError(
        .invalidArgument,
        """
        scale has the wrong number of values
          received  scale: 2 values
          needs     \(needs[channels] ?? "1 value, or one for each of 3 channels")
        """
      ) { try ArgumentRule.perChannel([1, 2], "scale", channels: channels) }
    }
    for value in [Float.nan, .infinity, -.infinity] {
      expectError(
        .invalidArgument,
        """
        scale is out of range
          received  scale: \(value)
          needs     a finite number
        """
      ) { try ArgumentRule.perChannel([1, value, 3], "scale", channels: 3) }
    }
  }

  @Test func valuesFillShape() throws {
    try ArgumentRule.values(6, fill: Shape(sizes: [2, 3]))
    expectError(
      .invalidArgument,
      """
      the values do not fill the shape
        received  1 value for 2×3 (in memory order)
        needs     6 values
      """
    ) { try ArgumentRule.values(1, fill: Shape(sizes: [2, 3])) }
    expectError(
      .invalidArgument,
      """
      the values do not fill the shape
        received  6 values for 2×? (in memory order)
        needs     a shape of known sizes
      """
    ) { try ArgumentRule.values(6, fill: Shape([2, nil])) }
  }

  @Test func namedAxes() throws {
    try ArgumentRule.namedAxes(Shape(sizes: [1, 2]))
    expectError(
      .shapeMismatch,
      """
      the axes of the input have no names
        needs     1 to 3 axes, not 4
        remedy    put a Reshape before this layer
      """
    ) { try ArgumentRule.namedAxes(Shape(sizes: [1, 2, 3, 4])) }
  }

  @Test func groups() throws {
    try GroupRule.divides(3, input: 6, output: 9)
    expectError(
      .channelsNotDivisible,
      """
      the input channels cannot be divided into 3 groups
        needs     a number of input channels divisible by 3, not 7
      """
    ) { try GroupRule.divides(3, input: 7, output: 8) }
    expectError(
      .channelsNotDivisible,
      """
      the output channels cannot be divided into 3 groups
        needs     a number of output channels divisible by 3, not 8
      """
    ) { try GroupRule.divides(3, input: 6, output: 8) }
    for number in [.min, -1, 0, .max] as [Int] {
      _ = try? GroupRule.divides(number, input: .min, output: .max)
      _ = try? GroupRule.divides(.max, input: number, output: number)
    }
  }

  @Test func bounds() throws {
    #expect(try SizeRule.bounded(image(nil, 1 << 40, 1)) == image(nil, 1 << 40, 1))
    try SizeRule.bounded(ParameterSpec(.weights, [.outputs: 1 << 20, .inputs: 1 << 20]))
    expectError(
      .tooLarge,
      """
      the gamma would be too large
        received  1048576×1048577 [O][I]
        needs     at most 1099511627776 values
      """
    ) {
      try SizeRule.bounded(ParameterSpec(.gamma, [.outputs: 1 << 20, .inputs: (1 << 20) + 1]))
    }
    try SizeRule.boundedConstant(channels: 1 << 24)
    expectError(
      .tooLarge,
      """
      the input has too many channels
        needs     at most 16777216 channels, not 16777217
      """
    ) { try SizeRule.boundedConstant(channels: (1 << 24) + 1) }
  }
}
