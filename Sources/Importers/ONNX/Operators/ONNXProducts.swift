import Forge

extension ONNXOperators {
  /// Products of matrices.
  static let products: [ONNXOperator] = [
    .computed("MatMul", import: multiply, rule: ONNXOpenProducts.multiplied),
    .computed("Gemm", import: gemm, rule: ONNXOpenProducts.gemm),
    .computed("Einsum", import: einsum, rule: ONNXOpenProducts.einsum),
  ]

  /// The product of matrices as NumPy's `matmul` makes it.
  private static func multiply(_ call: inout ONNXCall) throws {
    try call.refuseIntegers()
    let (a, b) = (try call.value(0), try call.value(1))
    if case .host(let weights) = b, case .network(let input) = a, weights.sizes.count == 2 {
      try dense(&call, input, weights, isTransposed: false, bias: nil)
      return
    }
    call.set(try product(&call, a, b))
  }

  /// Imports the product with a stored matrix as a dense layer.
  ///
  /// - Parameters:
  ///   - call: the node.
  ///   - input: the tensor, whose last axis is multiplied.
  ///   - weights: the matrix [inputs, outputs], or [outputs, inputs] if it is transposed.
  ///   - isTransposed: whether it is.
  ///   - bias: one number per output.
  ///   - blocks: the blocks of 4-bit weights.
  /// - Throws: ``NodeFailure``.
  static func dense(
    _ call: inout ONNXCall, _ input: FileTensor, _ weights: HostTensor, isTransposed: Bool,
    bias: HostTensor?, blocks: WeightBlocks? = nil
  ) throws {
    let (inputs, outputs) = (
      weights.sizes[isTransposed ? 1 : 0], weights.sizes[isTransposed ? 0 : 1]
    )
    guard input.rank >= 1, input.sizes[input.rank - 1] == inputs, inputs > 0, outputs > 0 else {
      throw NodeFailure.invalid("\(input.sizes) times \(weights.sizes)")
    }
    let name = call.layerName
    let isRow = input.rank == 2 && input.sizes[0] == 1
    let image = isRow && input.flattened?.image.layout.count == 3 ? input.flattened?.image : nil
    // The inputs of a flattened image are its axes in the order of the file.
    let layout = image?.layout ?? [2, 3, 1]
    let roles: [ParameterAxis] = [.height, .width, .inputs]
    let axes = layout.indices.sorted { (layout[$0] ?? -1, $0) < (layout[$1] ?? -1, $1) }
      .map { roles[$0] }
    call.parameter(
      .weights, of: name, weights,
      layout: .axes(isTransposed ? [.outputs] + axes : axes + [.outputs]),
      isOrdered: image == nil)
    if let bias { call.parameter(.biases, of: name, bias.reshaped([outputs])) }
    if isRow {
      // One row: a dense layer, on the image itself if a flattening of one comes before it.
      var layer = Dense(neurons: outputs, useBias: bias != nil, name: name)
      layer.weightScales = weights.scales
      layer.weightBlocks = blocks ?? weights.blocks
      let result = try call.apply(layer, to: image?.tensor ?? input.tensor(as: [nil, nil, 1]))
      call.set(FileTensor(result, sizes: [1, outputs], layout: [nil, nil, 1], type: input.type))
      return
    }
    let last = input.rank - 1
    var rows = input.layout
    if rows.last != .some(last) { rows = rows.filter { $0 != last } + [last] }
    var layer = LastAxisDense(neurons: outputs, useBias: bias != nil, name: name)
    layer.weightScales = weights.scales
    layer.weightBlocks = blocks ?? weights.blocks
    let result = try call.apply(layer, to: input.tensor(as: rows))
    var sizes = input.sizes
    sizes[last] = outputs
    call.set(FileTensor(result, sizes: sizes, layout: rows, type: input.type))
  }

  /// The product of two tensors as NumPy's matmul; the layer has the node's name unless it is given
  /// another one.
  static func product(
    _ call: inout ONNXCall, _ first: FileValue, _ second: FileValue, name: String? = nil
  ) throws -> FileTensor {
    func tensor(_ value: FileValue) throws -> FileTensor {
      switch value {
      case .network(let tensor): tensor
      case .host(let host): try ONNXCall.constant(host, layout: FileTensor.fileLayout(host.sizes))
      case .length: throw NodeFailure.unsupported("a product with the length of a sequence")
      }
    }
    var (a, b) = (try tensor(first), try tensor(second))
    guard a.rank >= 1, b.rank >= 1 else { throw NodeFailure.invalid("a factor without axes") }
    // A vector is a row on the left and a column on the right; its axis is dropped afterwards.
    let (isRow, isColumn) = (a.rank == 1, b.rank == 1)
    if isRow { a = a.reshaped(to: [1] + a.sizes) }
    if isColumn { b = b.reshaped(to: b.sizes + [1]) }
    guard let batch = HostTensor.broadcast(Array(a.sizes.dropLast(2)), Array(b.sizes.dropLast(2))),
      a.sizes[a.rank - 1] == b.sizes[b.rank - 2]
    else { throw NodeFailure.invalid("\(a.sizes) times \(b.sizes)") }
    // Batch axes of size 1 are left out of both.
    let kept = batch.indices.filter { batch[$0] != 1 }
    func matrices(_ x: FileTensor) throws -> Tensor {
      let missing = batch.count + 2 - x.rank
      let layout: [Int?] =
        kept.map { $0 < missing || x.sizes[$0 - missing] == 1 ? nil : $0 - missing }
        + [x.rank - 2, x.rank - 1]
      return x.tensor(as: layout)
    }
    let result = try call.apply(
      MatMul(name: name ?? call.layerName), to: [try matrices(a), try matrices(b)])
    let sizes = batch + [a.sizes[a.rank - 2], b.sizes[b.rank - 1]]
    let layout: [Int?] = kept.map { $0 } + [batch.count, batch.count + 1]
    let batched = FileTensor(result, sizes: sizes, layout: layout, type: a.type)
    var final = sizes
    if isColumn { final.removeLast() }
    if isRow { final.remove(at: batch.count) }
    return batched.reshaped(to: final)
  }

  /// `alpha·A'·B' + beta·C`.
  private static func gemm(_ call: inout ONNXCall) throws {
    try call.refuseIntegers()
    let (alpha, beta) = (call.node.float("alpha", 1), call.node.float("beta", 1))
    let (transA, transB) = (call.node.int("transA") != 0, call.node.int("transB") != 0)
    let (a, b) = (try call.value(0), try call.value(1))
    guard a.sizes.count == 2, b.sizes.count == 2 else {
      throw NodeFailure.invalid("factors of ranks \(a.sizes.count) and \(b.sizes.count)")
    }
    let c = call.has(2) && beta != 0 ? try call.value(2) : nil
    if case .network(let input) = a, case .host(let stored) = b, !transA {
      var weights = stored
      if alpha != 1 {
        weights = HostTensor(
          floats: try stored.floats().map { $0 * alpha }, sizes: stored.sizes)
      }
      let outputs = weights.sizes[transB ? 0 : 1]
      if c == nil {
        try dense(&call, input, weights, isTransposed: transB, bias: nil)
        return
      }
      if case .host(let bias)? = c, bias.count == outputs || bias.count == 1,
        bias.sizes.last ?? 1 == bias.count
      {
        var values = try bias.reshaped([bias.count]).expanded(to: [outputs]).floats()
        if beta != 1 { values = values.map { $0 * beta } }
        try dense(
          &call, input, weights, isTransposed: transB,
          bias: HostTensor(floats: values, sizes: [outputs]))
        return
      }
    }
    func turned(_ value: FileValue, _ transposed: Bool) throws -> FileValue {
      guard transposed else { return value }
      switch value {
      case .host(let host): return .host(try host.transposed([1, 0]))
      case .network(let tensor): return .network(try tensor.transposed([1, 0]))
      case .length: return value
      }
    }
    var result = try product(&call, try turned(a, transA), try turned(b, transB))
    if alpha != 1 {
      result = FileTensor(
        try call.apply(Scale(alpha), to: result.tensor), sizes: result.sizes,
        layout: result.layout, type: result.type)
    }
    if c != nil {
      var addend = try call.network(2)
      if beta != 1 {
        addend = FileTensor(
          try call.apply(Scale(beta), to: addend.tensor), sizes: addend.sizes,
          layout: addend.layout, type: addend.type)
      }
      let sizes = result.sizes
      result = try combined(&call, result, addend) { Add() }
      guard result.sizes == sizes else { throw NodeFailure.invalid("C has sizes \(addend.sizes)") }
    }
    call.set(result)
  }
}

extension FileTensor {
  /// The tensor with its axes in another order, in which only the layout changes.
  func transposed(_ order: [Int]) throws -> FileTensor {
    let sizes = order.map { self.sizes[$0] }
    let axes = self.sizes.indices.map { order.firstIndex(of: $0) }
    return relabelled(sizes: sizes, axes: axes)
  }
}
