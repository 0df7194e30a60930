import ForgeShapes

/// Cross-correlation of an image in `groups` groups of channels.
///
/// `y(i, j, o) = b(o) + Σ w(o, v, u, c) · x(i·sᵧ + v·dᵧ − top, j·sₓ + u·dₓ − left, c)`, where `c`
/// runs over the input channels of the group of `o`; pixels outside the image count as 0.
///
/// Operands: image, weights [outputs][height][width][inputs / groups], biases [outputs] (optional).
package struct ConvolutionOperation: WeightedOperation, ZeroPaddedOperation {
  package var geometry: ConvolutionGeometry
  let outputs: Int
  let groups: Int

  package init(geometry: ConvolutionGeometry, outputs: Int, groups: Int) {
    (self.geometry, self.outputs, self.groups) = (geometry, outputs, groups)
  }

  package var name: String { "convolution" }
  package var traits: OperationTraits { .weighted }
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

  package func multiplyAdds(for operands: [Shape], output: Shape) -> Int {
    MultiplyAdds.perElement(
      of: output, geometry.kernel.width, geometry.kernel.height,
      (operands[0].channels ?? 0) / max(groups, 1))
  }

  package func reference(
    on operands: [ReferenceTensor], output: [Int], crops: [String: CropRectangle]
  ) throws(ReferenceError) -> ReferenceTensor {
    let (input, weights) = (operands[0], operands[1])
    do {
      try ArgumentRule.positive(groups, "groups")
      try GroupRule.divides(groups, input: input.channels, output: outputs)
    } catch { throw .shape(error) }
    let groupInputs = input.channels / groups
    let groupOutputs = outputs / groups
    let kernel = geometry.kernel
    try check(weights, "weights", sizes: outputs, kernel.height, kernel.width, groupInputs)
    let biases = try biases(operands, count: outputs)
    var result = ReferenceTensor(sizes: output, repeating: 0)
    for y in 0..<result.height {
      for x in 0..<result.width {
        let taps = geometry.taps(over: input, y: y, x: x)
        for o in 0..<outputs {
          var sum = biases[o]
          for tap in taps {
            // The channels of a group are contiguous in both.
            let weight = ((o * kernel.height + tap.v) * kernel.width + tap.u) * groupInputs
            let pixel = input.offset(y: tap.y, x: tap.x) + o / groupOutputs * groupInputs
            for c in 0..<groupInputs {
              sum += weights.values[weight + c] * input.values[pixel + c]
            }
          }
          result[y, x, o] = sum
        }
      }
    }
    return result
  }
}
