import Forge

extension MILOperators {
  /// Attention.
  static let attention: [String: Operation] = [
    "scaled_dot_product_attention": { call in
      let queries = try call.value("query")
      let rank = queries.sizes.count
      let batch = Array(queries.sizes.dropLast(2))
      guard rank >= 3 else { throw NodeFailure.invalid("queries \(queries.sizes)") }
      // ONNX has two axes before the positions.
      func wide(_ value: FileValue) throws -> FileValue {
        guard rank != 4 else { return value }
        let sizes = Array(value.sizes.suffix(2))
        guard value.sizes.count == rank, Array(value.sizes.dropLast(2)) == batch else {
          throw NodeFailure.unsupported("tensors \(queries.sizes) and \(value.sizes)")
        }
        let target = FileValue.integers([1, batch.reduce(1, *)] + sizes)
        return try call.node("Reshape", [value, target])
      }
      let mask = try call.optional("attn_mask")
      let inputs = [
        try wide(queries), try wide(try call.value("key")), try wide(try call.value("value")),
        try mask.map { $0.sizes.count > 2 ? try wide($0) : $0 },
      ]
      let result = try call.node("Attention", inputs)
      guard rank != 4 else {
        call.set(result)
        return
      }
      let sizes = batch + result.sizes.suffix(2)
      call.set(try call.node("Reshape", [result, .integers(sizes)]))
    }
  ]
}
