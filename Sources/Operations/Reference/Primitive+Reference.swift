import ForgeShapes

extension Primitive {
  /// What the operation computes, in double precision and plain loops: the meaning of each case.
  ///
  /// Every kernel is checked against it. It is written to be read, never to be fast.
  ///
  /// - Parameters:
  ///   - inputs: the operands in the order the case states.
  ///   - crops: source rectangles of resizes by the name of their slot; the whole image if absent.
  /// - Returns: the result, of the sizes that the shape rule states.
  /// - Throws: ``ReferenceError`` when the operands do not fit the operation.
  public func reference(
    on inputs: [ReferenceTensor], crops: [String: CropRectangle] = [:]
  ) throws(ReferenceError) -> ReferenceTensor {
    try checkCount(of: inputs)
    let output = try outputSizes(for: inputs)
    let input = inputs[0]
    switch self {
    case .convolution(let geometry, _, let groups):
      return try Self.convolution(inputs, output: output, geometry, groups: groups)
    case .depthwiseConvolution(let geometry, let multiplier):
      return try Self.depthwiseConvolution(
        inputs, output: output, geometry, multiplier: multiplier)
    case .dense:
      return try Self.dense(inputs, output: output)
    case .pooling(let kind, let geometry):
      return Self.pooling(input, output: output, kind, geometry)
    case .globalPooling(let kind):
      return Self.globalPooling(input, kind)
    case .activation(let function):
      return input.map(function.value)
    case .softmax(let logarithm):
      return Self.softmax(input, logarithm: logarithm)
    case .binary(let operation):
      return Self.binary(inputs[0], operation, inputs[1], output: output)
    case .affine:
      return try Self.affine(inputs)
    case .batchNormalization(let epsilon):
      return try Self.batchNormalization(inputs, epsilon: Double(epsilon))
    case .pad(let edges):
      return Self.pad(input, by: edges, output: output)
    case .crop(let edges):
      return Self.crop(input, by: edges, output: output)
    case .concatenate(let axis):
      return try Self.concatenate(inputs, axis: axis, output: output)
    case .reshape:
      return ReferenceTensor(unchecked: output, input.values)
    case .permute(let order):
      return Self.permute(input, order: order, output: output)
    case .gatherChannels(let order):
      return try Self.gatherChannels(input, order: order, output: output)
    case .resize(let target, let mode):
      return try Self.resize(input, to: target, mode, crops: crops)
    case .identity:
      return input
    case .custom(let operation):
      return try Self.custom(operation, on: inputs, output: output)
    }
  }

  private func checkCount(of inputs: [ReferenceTensor]) throws(ReferenceError) {
    let counts = operandCount
    guard !counts.contains(inputs.count) else { return }
    let (least, most) = (counts.lowerBound, counts.upperBound)
    let limits = most == .max ? "at least \(least)" : "\(least) or \(most)"
    throw .wrongInputCount(
      name, inputs.count, needs: least == most ? "exactly \(least)" : limits)
  }

  /// The sizes of the output by the shape rule.
  private func outputSizes(for inputs: [ReferenceTensor]) throws(ReferenceError) -> [Int] {
    let shape: Shape
    do { shape = try outputShape(for: inputs.map(\.shape)) } catch { throw .shape(error) }
    guard let sizes = shape.sizes else { throw .unknownShape(shape) }
    return sizes
  }

  /// Checks that an operand has exactly as many values as the operation reads.
  static func check(
    _ tensor: ReferenceTensor, _ what: String, sizes: Int...
  ) throws(ReferenceError) {
    guard Shape.product(of: sizes) == tensor.count else {
      throw .wrongElementCount(what, tensor.count, sizes: sizes)
    }
  }
}
