import Forge
import ForgeOperations

/// One operation of the network to write: the operation, its operands and its result.
struct CoreMLOperation {
  let inputs: [OperationGraph.Value]
  let output: OperationGraph.Value
}

extension CoreMLGraphWriter {
  /// Writes an operation, from the only switch over operations for Core ML.
  ///
  /// - Throws: ``ExportRefusal`` for an operation that Core ML does not have.
  mutating func write(_ node: OperationGraph.Node) throws(ExportRefusal) {
    let call = CoreMLOperation(inputs: node.inputs, output: node.output)
    switch node.primitive {
    case .convolution(let geometry, let outputs, let groups):
      try convolution(call, geometry, outputs: outputs, groups: groups)
    case .depthwiseConvolution(let geometry, let multiplier):
      try depthwise(call, geometry, multiplier: multiplier)
    case .dense(let outputs): try dense(call, outputs: outputs)
    case .pooling(let kind, let geometry): try pooling(call, kind, geometry)
    case .globalPooling(let kind): try globalPooling(call, kind)
    case .poolingND(let window): try poolingND(call, window)
    case .interleavePixels(let step, let cut): try interleavePixels(call, step, cut: cut)
    case .depthToSpace(let block, let interleaved):
      try depthToSpace(call, block, interleaved: interleaved)
    case .spaceToDepth(let block): try spaceToDepth(call, block)
    case .normalize(let rule): try normalize(call, rule)
    case .localResponse(let size, let alpha, let beta, let bias):
      try localResponse(call, size: size, alpha: alpha, beta: beta, bias: bias)
    case .resample(let resampling): try resample(call, resampling)
    case .nonMaximumSuppression: throw ExportRefusal(what: "the selection of boxes")
    case .treeEnsemble: throw ExportRefusal(what: "decision trees")
    case .activation(let function): try activation(call, function)
    case .softmax(let logarithm): try softmax(call, logarithm: logarithm)
    case .binary(let function): try binary(call, function)
    case .affine: try affine(call)
    case .batchNormalization(let epsilon): try batchNormalization(call, epsilon: epsilon)
    case .pad(let edges): try pad(call, edges)
    case .crop(let edges): try crop(call, edges)
    case .concatenate(let axis): try concatenate(call, axis: axis)
    case .reshape: try reshape(call)
    case .permute(let order): try permute(call, order)
    case .gatherChannels(let order): try gather(call, axis: -1, indices: order, value: 0)
    case .resize(_, let mode): try resize(call, mode)
    case .identity: alias(call.output, try value(call.inputs[0]))
    case .unary(let function): try unary(call, function)
    case .select: try select(call)
    case .slice(let starts, let sizes, let steps):
      try slice(call, starts: starts, sizes: sizes, steps: steps)
    case .expand(let sizes): try expand(call, sizes)
    case .gather(let axis, let indices, let value):
      try gather(call, axis: axis, indices: indices, value: value)
    case .gatherRows(let axis, let isChecked):
      try gatherRows(call, axis: axis, isChecked: isChecked)
    case .gatherElements(let axis): try gatherElements(call, axis: axis)
    case .scatterElements(let axis, let combination):
      try scatterElements(call, axis: axis, combination)
    case .reduceRows(let kind): try reduceRows(call, kind)
    case .argumentRows(let smallest, let selectsLast):
      try argumentRows(call, smallest: smallest, selectsLast: selectsLast)
    case .topRows(let count, let smallest, let places):
      try topRows(call, count: count, smallest: smallest, places: places)
    case .cumulativeSum(let exclusive, let reversed):
      try cumulativeSum(call, exclusive: exclusive, reversed: reversed)
    case .matrixProduct: try matrixProduct(call)
    case .attention(let rule): try attention(call, rule)
    case .rotate(let rule): try rotate(call, rule)
    case .recurrent(let rule): try recurrent(call, rule)
    case .recurrentPart(_, let part): try recurrentPart(call, part)
    case .appendRows, .advance, .rowsFrom:
      throw ExportRefusal(what: "tables that are kept from one prediction to the next")
    case .quantize(let quantization): try quantize(call, quantization)
    case .dequantize(let quantization): try dequantize(call, quantization)
    case .quantizedProduct, .quantizedPair, .quantizedPooling, .lookup, .quantizedConcatenation,
      .dynamicRange, .dynamicQuantize, .dynamicProduct:
      throw ExportRefusal(what: "arithmetic on 8-bit integers")
    case .blockProduct: throw ExportRefusal(what: "products with 4-bit weights")
    case .custom:
      throw ExportRefusal(
        what: "arithmetic in Swift", remedy: "build the layer from Forge's layers or primitives")
    }
  }
}
