import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

@Suite struct CustomTests {
  private struct Refusal: Error, CustomStringConvertible {
    var description: String { "only squares" }
  }

  private let halve = Custom(shape: { $0[0] }, name: "halve") { inputs, output in
    for (index, value) in inputs[0].enumerated() { output[index] = value / 2 }
  }

  @Test func shapes() throws {
    #expect(try halve.outputShape(for: [image(7, 5, 3)]) == image(7, 5, 3))
    #expect(try halve.outputShape(for: [image(nil, nil, 3)]) == image(nil, nil, 3))
    let second = Custom(shape: { $0[1] }, body: { _, _ in })
    #expect(try second.outputShape(for: [.vector(1), image(7, 5, 3)]) == image(7, 5, 3))
    #expect(try halve.parameters(for: [.vector(3)]).isEmpty)
    #expect(try halve.multiplyAdds(for: [.vector(3)]) == 0)
  }

  @Test func loweringKeepsTheBody() throws {
    let lowered = try Lowered(halve, .vector(3), .vector(1))
    #expect(lowered.text == ["custom x0, x1"])
    guard case .custom(let operation) = lowered.nodes[0].primitive else {
      Issue.record("\(lowered.nodes[0].primitive)")
      return
    }
    var output: [Float] = [0, 0, 0]
    var span = output.mutableSpan
    try operation.body([CustomInput([2, 4, -6])], [], &span)
    #expect(output == [1, 2, -3])
  }

  @Test func equalityUsesNameAndSourceLocation() {
    func layer(_ name: String, line: Int, factor: Float) -> Custom {
      Custom(
        shape: { $0[0] }, name: name, body: { _, output in output[0] = factor },
        fileID: "App/Net.swift", line: line, column: 1)
    }
    #expect(layer("a", line: 1, factor: 1) == layer("a", line: 1, factor: 2))
    #expect(layer("a", line: 1, factor: 1) != layer("b", line: 1, factor: 1))
    #expect(layer("a", line: 1, factor: 1) != layer("a", line: 2, factor: 1))
  }

  @Test func errors() {
    expectError(
      Custom(shape: { _ in throw Refusal() }, body: { _, _ in }), [image(7, 5, 3)], .customRule,
      """
      the shape rule of the custom layer failed
        received  only squares
      """)
    expectError(
      halve, [], .wrongInputCount,
      """
      wrong number of inputs
        received  0 tensors
        needs     at least 1 tensor
      """)
    expectError(
      Custom(shape: { _ in .vector(0) }, body: { _, _ in }), [.vector(1)], .emptyOutput,
      """
      the output would be empty
        needs     every size to be at least 1
      """)
    expectError(
      Custom(shape: { _ in .vector(.max) }, body: { _, _ in }), [.vector(1)], .tooLarge,
      """
      the output would be too large
        needs     at most 1099511627776 elements
      """)
  }
}
