import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

@Suite struct ConstantTests {
  @Test func shapesAndLowering() throws {
    let layer = Constant([1, 2, 3, 4, 5, 6], shape: image(3, 2, 1))
    #expect(try layer.outputShape(for: []) == image(3, 2, 1))
    #expect(try layer.parameters(for: []).isEmpty)
    let lowered = try Lowered(layer)
    #expect(lowered.nodes.isEmpty)
    #expect(lowered.text == ["[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]"])
    #expect(lowered.constants.map(\.shape) == [image(3, 2, 1)])
  }

  @Test func errors() {
    expectError(
      Constant([1], shape: .vector(1)), [.vector(1)], .wrongInputCount,
      """
      wrong number of inputs
        received  1 tensor
        needs     no tensor
      """)
    expectError(
      Constant([1, 2, 3, 4, 5], shape: image(3, 2, 1)), [], .invalidArgument,
      """
      the values do not fill the shape
        received  5 values for 3×2×1 (width×height×channels)
        needs     6 values
      """)
    expectError(
      Constant([1], shape: Shape([nil, 1])), [], .invalidArgument,
      """
      the values do not fill the shape
        received  1 value for ?×1 (in memory order)
        needs     a shape of known sizes
      """)
    expectError(
      Constant([], shape: Shape(sizes: [0])), [], .emptyOutput,
      """
      the output would be empty
        needs     every size to be at least 1
      """)
    expectError(
      Constant([], shape: Shape(sizes: [.max, .max])), [], .tooLarge,
      """
      the output would be too large
        needs     at most 1099511627776 elements
      """)
    expectError(
      Constant([1], shape: Shape([])), [], .invalidArgument,
      """
      rank is out of range
        received  rank: 0
        needs     1 to 8 axes
      """)
  }
}
