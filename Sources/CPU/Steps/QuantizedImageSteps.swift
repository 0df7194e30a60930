import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// Adds the sum or the product of two images of integers.
  mutating func addQuantizedPair(_ node: OperationGraph.Node, _ pair: QuantizedPair) throws {
    let first = try bytes(node.inputs[0], pair.first)
    let second = try bytes(node.inputs[1], pair.second)
    let target = byteResult(node.output, pair.output)
    var arguments = forge_quantized_binary_arguments()
    let operation =
      switch pair.function {
      case .add: FORGE_BYTES_ADD
      case .multiply: FORGE_BYTES_MULTIPLY
      }
    arguments.operation = Int32(operation.rawValue)
    (arguments.a_factor, arguments.b_factor) = pair.factors
    arguments.a_zero = pair.first.storedZero
    arguments.b_zero = pair.second.storedZero
    arguments.zero = pair.output.storedZero
    let range = pair.output.stored(pair.bounds)
    (arguments.low, arguments.high) = (range.lowerBound, range.upperBound)
    addStep(
      "integer \(pair.function)", kernels.quantized_binary, arguments,
      tiles: forge_quantized_binary_tiles, parts: tensor(target).height,
      reads: [\.a: first, \.b: second], writes: [\.out: target])
  }

  /// Adds a pooling of integers; the window of a global pooling is the whole image.
  mutating func addQuantizedPooling(
    _ node: OperationGraph.Node, _ pooling: QuantizedPooling
  ) throws {
    let source = try bytes(node.inputs[0], pooling.input)
    let target = byteResult(node.output, pooling.output)
    let image = tensor(source)
    let window = pooling.window(width: image.width, height: image.height)
    var arguments = forge_quantized_pooling_arguments()
    let kind =
      switch pooling.kind {
      case .maximum: FORGE_POOL_MAXIMUM
      case .averageInside: FORGE_POOL_AVERAGE_INSIDE
      case .averageAll: FORGE_POOL_AVERAGE_ALL
      }
    arguments.kind = Int32(kind.rawValue)
    arguments.set(window, input: image)
    arguments.factor = pooling.factor
    arguments.in_zero = pooling.input.storedZero
    arguments.zero = pooling.output.storedZero
    arguments.high = 255
    addStep(
      "integer pooling \(window.kernel)", kernels.quantized_pooling, arguments,
      tiles: forge_quantized_pooling_tiles, parts: tensor(target).height,
      reads: [\.in: source], writes: [\.out: target])
  }
}
