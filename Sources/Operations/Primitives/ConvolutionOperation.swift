import ForgeShapes

/// Cross-correlation of an image in `groups` groups of channels.
///
/// `y(i, j, o) = b(o) + Σ w(o, v, u, c) · x(i·sᵧ + v·dᵧ − top, j·sₓ + u·dₓ − left, c)`, where `c`
/// runs over the input channels of the group of `o`; pixels outside the image count as 0.
///
/// Operands: image, weights [outputs][height][width][inputs / groups], biases [outputs] (optional).
package struct ConvolutionOperation: ZeroPaddedOperation {
  package var geometry: ConvolutionGeometry
  let outputs: Int
  let groups: Int

  package init(geometry: ConvolutionGeometry, outputs: Int, groups: Int) {
    (self.geometry, self.outputs, self.groups) = (geometry, outputs, groups)
  }

  package var name: String { "convolution" }
  package var primitive: Primitive { .convolution(geometry, outputs: outputs, groups: groups) }

  package func weights(for input: Shape) throws(ShapeError) -> ParameterSpec {
    ParameterSpec(
      .weights,
      [
        .outputs: outputs, .height: geometry.kernel.height, .width: geometry.kernel.width,
        .inputs: try ArgumentRule.channels(of: input) / groups,
      ],
      keras: [.height, .width, .inputs, .outputs], pytorch: [.outputs, .inputs, .height, .width])
  }

  package func outputs(for input: Shape) -> Int { outputs }

  package func validateArguments(_ input: Shape) throws(ShapeError) {
    try geometry.validate()
    try ArgumentRule.positive(outputs, "outputs")
    try ArgumentRule.positive(groups, "groups")
    try GroupRule.divides(groups, input: try ArgumentRule.channels(of: input), output: outputs)
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try geometry.outputShape(for: operands[0], channels: outputs)
  }

  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    do {
      try ArgumentRule.positive(groups, "groups")
      try GroupRule.divides(groups, input: call.input.channels, output: outputs)
    } catch { throw .shape(error) }
    return try convolution(call, groups: groups)
  }
}

extension ConvolutionOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    let channels = part.ranges[2]
    guard let (geometry, rows, columns) = geometry.cut(to: part, input: operands[0]),
      channels == 0..<outputs || groups == 1,
      let parameters = parameters(of: channels, outputs: outputs, operands)
    else { return nil }
    return PartialComputation(
      .convolution(geometry, outputs: channels.count, groups: groups),
      [TensorPart([rows, columns, 0..<operands[0][2]])] + parameters)
  }
}
