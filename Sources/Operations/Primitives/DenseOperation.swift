import ForgeShapes

/// The product of a matrix and all elements, in memory order.
///
/// `y(o) = b(o) + Σ w(o, e) · x(e)`, where `e` runs over all elements.
///
/// Operands: any tensor, weights [outputs][elements], biases [outputs] (optional).
package struct DenseOperation: WeightedOperation {
  let outputs: Int

  package init(outputs: Int) { self.outputs = outputs }

  package var name: String { "dense" }
  package var primitive: Primitive { .dense(outputs: outputs) }

  package func weights(for input: Shape) throws(ShapeError) -> ParameterSpec {
    let image = input.isImage ? input : try RearrangementRule.flatten(input)
    let sizes = try ArgumentRule.known(image, "a known number of elements to flatten")
    return ParameterSpec(
      .weights, [.outputs: outputs, .height: sizes[0], .width: sizes[1], .inputs: sizes[2]],
      keras: [.height, .width, .inputs, .outputs], pytorch: [.outputs, .inputs, .height, .width])
  }

  package func outputs(for input: Shape) -> Int { outputs }

  package func validateArguments(_ input: Shape) throws(ShapeError) {
    try ArgumentRule.positive(outputs, "outputs")
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    _ = try RearrangementRule.flatten(operands[0])
    return try SizeRule.bounded(.vector(outputs))
  }

  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    let (input, weights) = (call.input, call.operands[1])
    try check(weights, "weights", sizes: outputs, input.count)
    let biases = try biases(call, count: outputs)
    let values = biases.indices.map { o in
      var sum = biases[o]
      for e in 0..<input.count { sum += weights.values[o * input.count + e] * input.values[e] }
      return sum
    }
    return ReferenceTensor(unchecked: call.output, values)
  }
}

extension DenseOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    let channels = part.ranges[2]
    guard let parameters = parameters(of: channels, outputs: outputs, operands) else { return nil }
    return PartialComputation(
      .dense(outputs: channels.count), [TensorPart(allOf: operands[0])] + parameters)
  }
}
