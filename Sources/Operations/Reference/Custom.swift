extension Primitive {
  /// The user's own arithmetic, on single-precision copies of the operands.
  static func custom(
    _ operation: CustomOperation, on inputs: [ReferenceTensor], output: [Int]
  ) throws(ReferenceError) -> ReferenceTensor {
    var buffers: [UnsafeBufferPointer<Float>] = []
    let result = UnsafeMutableBufferPointer<Float>.allocate(capacity: output.reduce(1, *))
    result.initialize(repeating: 0)
    defer {
      for buffer in buffers { buffer.deallocate() }
      result.deallocate()
    }
    for input in inputs {
      let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: input.count)
      _ = buffer.initialize(from: input.floats)
      buffers.append(UnsafeBufferPointer(buffer))
    }
    do { try operation.body(buffers, result) } catch { throw .customBody(error) }
    return ReferenceTensor(unchecked: output, result.map(Double.init))
  }
}
