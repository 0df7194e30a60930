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
  package var traits: OperationTraits { .weighted }
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

  package func multiplyAdds(for operands: [Shape], output: Shape) -> Int {
    MultiplyAdds.perElement(of: output, operands[0].elementCount ?? 0)
  }

  package func reference(
    on operands: [ReferenceTensor], output: [Int], crops: [String: CropRectangle]
  ) throws(ReferenceError) -> ReferenceTensor {
    let (input, weights) = (operands[0], operands[1])
    try check(weights, "weights", sizes: output[2], input.count)
    let biases = try biases(operands, count: output[2])
    let values = biases.indices.map { o in
      var sum = biases[o]
      for e in 0..<input.count { sum += weights.values[o * input.count + e] * input.values[e] }
      return sum
    }
    return ReferenceTensor(unchecked: output, values)
  }
}
