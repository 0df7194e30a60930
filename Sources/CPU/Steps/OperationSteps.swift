import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  mutating func addSteps(for node: OperationGraph.Node) throws {
    switch node.primitive {
    case .convolution, .depthwiseConvolution, .dense:
      try addConvolution()
    case .pooling(let kind, let geometry):
      try addPooling(node, kind, geometry)
    case .globalPooling(let kind):
      let sizes = graph.imageSizes(of: node.inputs[0])
      let whole = ConvolutionGeometry(kernel: Size(width: sizes[1], height: sizes[0]))
      try addPooling(node, kind, whole)
    case .poolingND(let window):
      try addPoolingND(node, window)
    case .interleavePixels(let step, _):
      try addInterleaving(node, step)
    case .depthToSpace(let block, let interleaved):
      try addDepthToSpace(node, block, interleaved: interleaved)
    case .spaceToDepth(let block):
      try addSpaceToDepth(node, block)
    case .normalize(let rule):
      try addNormalization(node, rule)
    case .localResponse(let size, let alpha, let beta, let bias):
      try addLocalResponse(node, size: size, alpha: alpha, beta: beta, bias: bias)
    case .resample(let resampling):
      try addResampling(node, resampling)
    case .nonMaximumSuppression(let rule):
      try addSuppression(node, rule)
    case .treeEnsemble(let rule):
      try addTreeEnsemble(node, rule)
    case .activation(let function):
      try addActivation(node, function)
    case .softmax(let logarithm):
      try addSoftmax(node, logarithm: logarithm)
    case .binary(let operation):
      try addBinary(node, operation)
    case .affine, .batchNormalization:
      try addAffine(node)
    case .pad(let edges):
      try addPad(node, edges)
    case .crop(let edges):
      try addCrop(node, edges)
    case .concatenate(let axis):
      try addConcatenation(node, axis: axis)
    case .reshape, .identity:
      try addReshape(node)
    case .permute(let order):
      try addPermute(node, order: order)
    case .gatherChannels(let order):
      try addGather(node, order: order)
    case .resize(let target, let mode):
      try addResize(node, target, mode)
    case .unary(let function):
      try addUnary(node, function)
    case .select:
      try addSelect(node)
    case .slice(let starts, _, let steps):
      try addSlice(node, starts: starts, steps: steps)
    case .expand:
      try addExpand(node)
    case .gather(let axis, let indices, let value):
      try addGather(node, axis: axis, indices: indices, value: value)
    case .gatherRows(let axis, let isChecked):
      try addGatherRows(node, axis: axis, isChecked: isChecked)
    case .gatherElements(let axis):
      try addGatherElements(node, axis: axis)
    case .scatterElements(let axis, let combination):
      try addScatterElements(node, axis: axis, combination)
    case .reduceRows(let kind):
      try addReduceRows(node, kind)
    case .argumentRows(let smallest, let selectsLast):
      try addArgumentRows(node, smallest: smallest, selectsLast: selectsLast)
    case .topRows(let count, let smallest, let places):
      try addTopRows(node, count: count, smallest: smallest, places: places)
    case .cumulativeSum(let exclusive, let reversed):
      try addCumulativeSum(node, exclusive: exclusive, reversed: reversed)
    case .matrixProduct:
      try addMatrixProduct(node)
    case .attention(let rule):
      try addAttention(node, rule)
    case .appendRows:
      try addAppendedRows(node)
    case .advance:
      try addAdvance(node)
    case .rowsFrom:
      try addRowsFrom(node)
    case .rotate(let rule):
      try addRotation(node, rule)
    case .recurrent(let rule):
      try addRecurrence(node, rule)
    case .recurrentPart(let rule, let part):
      try addRecurrentPart(node, rule, part)
    case .quantize(let quantization):
      try addQuantization(node, quantization)
    case .dequantize(let quantization):
      try addDequantization(node, quantization)
    case .quantizedProduct(let product):
      try addQuantizedProduct(node, product)
    case .quantizedPair(let pair):
      try addQuantizedPair(node, pair)
    case .quantizedPooling(let pooling):
      try addQuantizedPooling(node, pooling)
    case .lookup(let table):
      try addLookup(node, table)
    case .quantizedConcatenation(let tables):
      try addQuantizedConcatenation(node, tables)
    case .dynamicRange:
      try addDynamicRange(node)
    case .dynamicQuantize:
      try addDynamicQuantization(node)
    case .dynamicProduct(let product):
      try addDynamicProduct(node, product)
    case .blockProduct(let product):
      try addBlockProduct(node, product)
    case .custom(let operation):
      try addCustom(node, operation)
    }
  }
}
