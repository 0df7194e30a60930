extension Primitive {
  /// The user's own arithmetic, on single-precision copies of the operands.
  static func custom(
    _ operation: CustomOperation, on inputs: [ReferenceTensor], output: [Int]
  ) throws(ReferenceError) -> ReferenceTensor {
    var result = Array(repeating: Float(0), count: output.reduce(1, *))
    var span = result.mutableSpan
    do { try operation.body(inputs.map { CustomInput($0.floats) }, &span) } catch {
      throw .customBody(error)
    }
    return ReferenceTensor(unchecked: output, result.map(Double.init))
  }
}
