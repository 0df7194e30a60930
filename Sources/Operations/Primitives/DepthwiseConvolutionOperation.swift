import ForgeShapes

/// Convolution of each channel on its own.
///
/// `y(i, j, o) = b(o) + Σ w(c, m, v, u) · x(i·sᵧ + v·dᵧ − top, j·sₓ + u·dₓ − left, c)`, where
/// output channel `o` is `c·multiplier + m`.
///
/// Operands: image, weights [channels][multiplier][height][width], biases (optional).
package struct DepthwiseConvolutionOperation: ZeroPaddedOperation {
  package var geometry: ConvolutionGeometry
  let multiplier: Int

  package init(geometry: ConvolutionGeometry, multiplier: Int) {
    (self.geometry, self.multiplier) = (geometry, multiplier)
  }

  package var name: String { "depthwiseConvolution" }
  package var primitive: Primitive { .depthwiseConvolution(geometry, multiplier: multiplier) }

  package func weights(for input: Shape) throws(ShapeError) -> ParameterSpec {
    ParameterSpec(
      .weights,
      [
        .channels: try ArgumentRule.channels(of: input), .multiplier: multiplier,
        .height: geometry.kernel.height, .width: geometry.kernel.width,
      ],
      keras: [.height, .width, .channels, .multiplier],
      pytorch: [.channels, .multiplier, .height, .width])
  }

  package func outputs(for input: Shape) throws(ShapeError) -> Int {
    let channels = try ArgumentRule.channels(of: input)
    let (outputs, overflow) = channels.multipliedReportingOverflow(by: multiplier)
    guard !overflow else { throw .tooManyElements() }
    return outputs
  }

  package func validateArguments(_ input: Shape) throws(ShapeError) {
    try geometry.validate()
    try ArgumentRule.positive(multiplier, "multiplier")
    _ = try outputs(for: input)
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try geometry.outputShape(for: operands[0], channels: try outputs(for: operands[0]))
  }

  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    try convolution(call, groups: call.input.channels)
  }
}

extension DepthwiseConvolutionOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    let channels = part.ranges[2]
    let all = operands[0][2] * multiplier
    guard let (geometry, rows, columns) = geometry.cut(to: part, input: operands[0]),
      channels == 0..<all || multiplier == 1,
      let parameters = parameters(of: channels, outputs: all, operands)
    else { return nil }
    let inputs = multiplier == 1 ? channels : 0..<operands[0][2]
    return PartialComputation(
      .depthwiseConvolution(geometry, multiplier: multiplier),
      [TensorPart([rows, columns, inputs])] + parameters)
  }
}
