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

  @Test func shapeOfFirstInputByDefault() throws {
    let same = Custom { inputs, output in output.update(fromContentsOf: inputs[0]) }
    #expect(same.name == nil)
    #expect(try same.outputShape(for: [image(nil, 5, 3), .vector(1)]) == image(nil, 5, 3))
  }

  private static let scale = ParameterType("scale")

  /// A layer with the parameters of a rule.
  private func layer(_ rule: @escaping Custom.ParameterRule) -> Custom {
    Custom(name: "own", parameters: rule, body: { _, _, _ in })
  }

  @Test func parameters() throws {
    let fixed = Custom(name: "own", parameters: [.biases: [3], Self.scale: [2, 5]]) { _, _, _ in }
    let specs = try fixed.parameters(for: [image(7, 5, 3)])
    #expect(
      specs.map { "\($0.type) \($0.shapeText)" } == ["biases 3 [C]", "scale 2×5 [O][I]"])
    #expect(try fixed.outputShape(for: [image(7, 5, 3)]) == image(7, 5, 3))
    let lowered = try Lowered(fixed, image(7, 5, 3), .vector(1))
    #expect(lowered.text == ["custom x0, x1, biases, scale"])
    let derived = layer { [.biases: [$0[0].channels], .weights: [.channels: $0[1].channels]] }
    #expect(
      try derived.parameters(for: [image(nil, nil, 3), .vector(4)]).map(\.sizes) == [[3], [4]])
    #expect(try layer { _ in [:] }.parameters(for: [.vector(4)]).isEmpty)
  }

  /// Sizes alone are in the order of the file in every layout; axes are rearranged.
  @Test func axesOfParameters() throws {
    for rank in 1...6 {
      let sizes = Array((2..<(2 + rank)))
      let own: Custom.ParameterRule = { _ in
        [
          .weights: rank == 1
            ? [2]
            : rank == 2
              ? [2, 3]
              : rank == 3
                ? [2, 3, 4]
                : rank == 4
                  ? [2, 3, 4, 5]
                  : rank == 5 ? [2, 3, 4, 5, 6] : [2, 3, 4, 5, 6, 7]
        ]
      }
      let spec = try #require(try layer(own).parameters(for: [.vector(1)]).first)
      for layout in [ParameterLayout.forge, .keras, .pytorch] {
        #expect(spec.sizes(in: layout) == sizes)
      }
    }
    let kernel = layer { _ in [.weights: [.outputs: 2, .height: 3, .width: 4, .inputs: 5]] }
    let spec = try #require(try kernel.parameters(for: [.vector(1)]).first)
    #expect(
      spec
        == ParameterSpec(
          layer: "", .weights, [.outputs: 2, .height: 3, .width: 4, .inputs: 5]))
    #expect(spec.sizes(in: .pytorch) == [2, 5, 3, 4])
  }

  @Test func parameterErrors() {
    expectError(
      layer { _ in throw Refusal() }, [image(7, 5, 3)], .customRule,
      """
      the parameter rule of the custom layer failed
        received  only squares
      """)
    expectError(
      layer { [Self.scale: [2, $0[0].width]] }, [image(nil, 5, 3)], .unknownSize,
      """
      the scale have sizes that are not known
        received  2×?
        needs     inputs of known size, or sizes that do not depend on them
      """)
    expectError(
      layer { _ in [Self.scale: []] }, [.vector(1)], .invalidArgument,
      """
      the scale have no sizes
        needs     [1] for one value
      """)
    expectError(
      layer { _ in [Self.scale: [1, 2, 3, 4, 5, 6, 7]] }, [.vector(1)], .invalidArgument,
      """
      the scale have too many axes
        received  1×2×3×4×5×6×7
        needs     at most 6 axes
      """)
    expectError(
      layer { _ in [Self.scale: [0]] }, [.vector(1)], .invalidArgument,
      """
      the scale would be empty
        received  0 [C]
        needs     every size to be at least 1
      """)
    expectError(
      layer { _ in [Self.scale: [1], Self.scale: [2]] }, [.vector(1)], .invalidArgument,
      """
      the layer has two parameters called scale
        needs     a type of its own for each, as sources find parameters by type
      """)
  }

  @Test func unknownSizesForKnownOnes() throws {
    let vague = Custom(shape: { _ in image(nil, nil, 3) }, body: { _, _ in })
    #expect(try vague.outputShape(for: [image(nil, 5, 3)]) == image(nil, nil, 3))
    expectError(
      vague, [image(2, 2, 3), .vector(4)], .customRule,
      """
      the shape rule of the custom layer returns unknown sizes for known ones
        received  ?×?×3 (width×height×channels) for 2×2×3 (width×height×channels), \
      1×1×4 (width×height×channels)
        needs     a size along each axis when those of the inputs are known
      """)
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
