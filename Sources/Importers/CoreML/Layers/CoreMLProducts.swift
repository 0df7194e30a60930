import Forge
import ForgeMessages

/// Matrix products.
enum CoreMLProducts {
  static func innerProduct(_ call: inout CoreMLCall, _ layer: CoreMLInnerProduct) throws {
    guard !layer.int8DynamicQuantize else { throw NodeFailure.unsupported("int8DynamicQuantize") }
    let inputs = try CoreMLCall.size(layer.inputChannels)
    let outputs = try CoreMLCall.size(layer.outputChannels)
    let weights = try layer.weights.tensor([outputs, inputs])
    let bias = layer.hasBias ? try layer.bias.tensor([outputs]) : nil
    let input = try call.network()
    let rank = input.rank
    // The last axis of three has the channels in later networks, even if all sizes are 1.
    let isLast = call.isExact && rank == 3 && input.sizes[2] == inputs
    if rank >= 3, input.count == inputs, !isLast,
      input.sizes.suffix(2).allSatisfy({ $0 == 1 }) || !call.isExact || rank > 3
    {
      // [C, 1, 1], or an image that is flattened to it.
      let flat = input.sizes.dropLast(3) + [inputs, 1, 1]
      return try dense(
        &call, input.reshaped(to: Array(flat)), weights, bias, outputs: outputs,
        result: Array(flat.dropLast(3)) + [outputs, 1, 1])
    }
    if call.isExact, rank > 3, Shape.product(of: input.sizes.suffix(3)) == inputs {
      // Channels, height and width of each example are flattened.
      let vectors = input.reshaped(to: Array(input.sizes.dropLast(3)) + [inputs])
      let product = try lastAxis(
        &call, vectors, weights, bias, outputs: outputs, layout: .pytorch)
      return call.set(product.reshaped(to: product.sizes + [1, 1]))
    }
    if rank >= 3, !isLast, input.sizes.suffix(3) == [inputs, 1, 1] {
      // Times of a sequence: the channels in front of two axes of size 1.
      let vectors = input.relabelled(
        sizes: Array(input.sizes.dropLast(2)),
        axes: input.sizes.indices.map { $0 < rank - 2 ? $0 : nil })
      let product = try lastAxis(
        &call, vectors, weights, bias, outputs: outputs, layout: .pytorch)
      return call.set(
        product.relabelled(
          sizes: product.sizes + [1, 1], axes: product.sizes.indices.map { $0 }))
    }
    guard let last = input.sizes.last, last == inputs else {
      throw NodeFailure.invalid("\(inputs) input channels on \(input.sizes)")
    }
    if input.count == inputs {
      return try dense(
        &call, input, weights, bias, outputs: outputs,
        result: Array(input.sizes.dropLast()) + [outputs])
    }
    call.set(
      try lastAxis(&call, input, weights, bias, outputs: outputs, layout: .pytorch))
  }

  /// A dense layer on one vector, or on the image in front of its flattening.
  private static func dense(
    _ call: inout CoreMLCall, _ input: FileTensor, _ weights: HostTensor, _ bias: HostTensor?,
    outputs: Int, result: [Int]
  ) throws {
    var source = input.tensor
    var layout = ParameterLayout.axes([.outputs, .height, .width, .inputs])
    if let image = input.flattened?.image, image.layout.count == 3 {
      source = image.tensor
      // The matrix has its inputs in the order of the file, Forge's axes are in that of the image.
      let roles: [ParameterAxis] = [.height, .width, .inputs]
      let order = image.layout.indices.sorted {
        (image.layout[$0] ?? -1, $0) < (image.layout[$1] ?? -1, $1)
      }
      layout = .axes([.outputs] + order.map { roles[$0] })
    }
    call.parameter(.weights, weights, layout: layout, isOrdered: source === input.tensor)
    if let bias { call.parameter(.biases, bias) }
    let tensor = try call.apply(
      Dense(neurons: outputs, useBias: bias != nil, name: call.name), to: source)
    let axis = result.lastIndex { $0 == outputs } ?? result.count - 1
    call.set(FileTensor(tensor, sizes: result, layout: [nil, nil, axis]))
  }

  /// Returns a product of the last axis, for every index of the others.
  private static func lastAxis(
    _ call: inout CoreMLCall, _ input: FileTensor, _ weights: HostTensor, _ bias: HostTensor?,
    outputs: Int, layout: ParameterLayout
  ) throws -> FileTensor {
    call.parameter(.weights, weights, layout: layout)
    if let bias { call.parameter(.biases, bias) }
    let vectors = input.tensor(as: FileTensor.fileLayout(input.sizes))
    let count = input.sizes.dropLast().reduce(1, *)
    let image = try call.apply(Reshape(to: [1, count, input.sizes[input.rank - 1]]), to: vectors)
    let product = try call.apply(
      PointwiseConvolution(channels: outputs, useBias: bias != nil, name: call.name), to: image)
    let sizes = Array(input.sizes.dropLast()) + [outputs]
    return FileTensor(
      try call.apply(Reshape(to: sizes), to: product), sizes: sizes,
      layout: FileTensor.fileLayout(sizes))
  }

  static func batchedProduct(_ call: inout CoreMLCall, _ layer: CoreMLMatrixProduct) throws {
    guard !layer.int8DynamicQuantize else { throw NodeFailure.unsupported("int8DynamicQuantize") }
    if call.inputs.count == 1 {
      // Transpositions are for two inputs.
      let inputs = try CoreMLCall.size(layer.rows)
      let outputs = try CoreMLCall.size(layer.columns)
      let input = try call.network()
      guard input.sizes.last == inputs else {
        throw NodeFailure.invalid("a matrix of \(inputs) rows on \(input.sizes)")
      }
      return call.set(
        try lastAxis(
          &call, input, layer.weights.tensor([outputs, inputs]),
          layer.hasBias ? layer.bias.tensor([outputs]) : nil, outputs: outputs,
          layout: .axes([.outputs, .inputs, .height, .width])))
    }
    guard call.inputs.count == 2 else { throw NodeFailure.invalid("\(call.inputs.count) inputs") }
    let rank = max(try call.value(0).sizes.count, try call.value(1).sizes.count, 2)
    // NumPy's rule: vectors lose the axis that they are given.
    guard try call.value(0).sizes.count > 1, try call.value(1).sizes.count > 1 else {
      throw NodeFailure.unsupported("a vector")
    }
    let operands = try (0..<2).map { index in
      let operand = try call.network(index).raised(to: rank)
      return operand.tensor(as: FileTensor.fileLayout(operand.sizes))
    }
    let product = try call.apply(
      MatMul(transposeA: layer.transposeA, transposeB: layer.transposeB, name: call.name),
      to: operands)
    call.set(FileTensor(product, layout: Array(0..<rank), rank: rank))
  }
}
