import ForgeShapes

/// The primitive operations that layers are lowered to.
///
/// They form a closed set, known to the compiler and every back end. Each case has an operation in
/// its own file, which states its operands, shape rule, arithmetic and properties. Parameters are
/// operands too. Their layouts are Forge's own (see `ParameterLayout`).
public enum Primitive: Sendable, Encodable {
  /// Cross-correlation of an image in groups of channels.
  case convolution(ConvolutionGeometry, outputs: Int, groups: Int)
  /// Convolution of each channel on its own.
  case depthwiseConvolution(ConvolutionGeometry, multiplier: Int)
  /// The product of a matrix and all elements.
  case dense(outputs: Int)
  /// The maximum or mean of a moving window.
  case pooling(PoolingKind, ConvolutionGeometry)
  /// The maximum or mean of each whole channel.
  case globalPooling(PoolingKind)
  /// A function of a window that moves over every axis but the last.
  case poolingND(PoolingWindow)
  /// The pixels of several images in turn, less `cut` columns and rows at the end.
  case interleavePixels(Size, cut: Size)
  /// Channels moved into blocks of pixels; the position in the block is their outer index, or with
  /// `interleaved` their inner one.
  case depthToSpace(Size, interleaved: Bool)
  /// Blocks of pixels moved into channels, whose outer index is the position in the block.
  case spaceToDepth(Size)
  /// Values less their mean over their deviation, or over their norm.
  case normalize(Normalization)
  /// Values over a power of the squares of their neighbors along the last axis.
  case localResponse(size: Int, alpha: Float, beta: Float, bias: Float)
  /// A tensor resampled along any of its axes.
  case resample(Resampling)
  /// The boxes of high score that overlap little.
  case nonMaximumSuppression(SuppressionRule)
  /// The votes of decision trees for each row of features, combined for each target.
  case treeEnsemble(TreeEnsembleRule)
  /// A function of each element.
  case activation(ActivationFunction)
  /// Softmax over the last axis, or its logarithm.
  case softmax(logarithm: Bool)
  /// An operation on two tensors with NumPy's broadcasting.
  case binary(BinaryOperator)
  /// `x·scale + shift` along the last axis.
  case affine
  /// `gamma·(x − mean)/√(variance + epsilon) + beta` along the last axis.
  case batchNormalization(epsilon: Float)
  /// Zeros around an image.
  case pad(Edges)
  /// Edges cut from an image.
  case crop(Edges)
  /// Tensors joined along an axis, counted from 0.
  case concatenate(axis: Int)
  /// The same elements with other sizes; one may be −1.
  case reshape([Int])
  /// Axis `i` of the output is axis `order[i]` of the input.
  case permute([Int])
  /// Channel `i` of the output is channel `order[i]` of the input.
  case gatherChannels([Int])
  /// A resampled image.
  case resize(ResizeTarget, ResizeMode)
  /// The input itself.
  case identity
  /// A function of each element.
  case unary(UnaryFunction)
  /// The second operand where the first is not 0, else the third; all have one shape.
  case select
  /// The elements from `starts` in steps, as many as `sizes` along each axis.
  case slice(starts: [Int], sizes: [Int], steps: [Int])
  /// Axes of size 1 repeated to larger sizes.
  case expand([Int])
  /// The entries of an axis at fixed indices; −1 stands for entries of `value`.
  case gather(axis: Int, indices: [Int], value: Float)
  /// The entries of an axis at the indices that the second operand holds.
  ///
  /// With `isChecked` an index that is not from 0 to the end of the axis ends the prediction with
  /// an error.
  case gatherRows(axis: Int, isChecked: Bool = false)
  /// The elements of the first operand along an axis, at the indices that the second operand holds.
  case gatherElements(axis: Int)
  /// The first operand, some of whose elements along an axis are replaced by those of the third, or
  /// combined with them, at the indices that the second operand holds.
  case scatterElements(axis: Int, ScatterCombination)
  /// The elements along the last axis reduced to one.
  case reduceRows(Reduction)
  /// The index of the largest or smallest element along the last axis.
  case argumentRows(smallest: Bool, selectsLast: Bool)
  /// The largest or smallest elements along the last axis, or their indices.
  case topRows(count: Int, smallest: Bool, places: Bool)
  /// The sums of the elements along the last axis up to each one.
  case cumulativeSum(exclusive: Bool, reversed: Bool)
  /// The products of matrices in two tensors.
  case matrixProduct
  /// Scaled dot-product attention of several heads.
  case attention(AttentionRule)
  /// A table, some of whose rows, from a computed position on, are those of an image of one row.
  case appendRows
  /// A position plus the columns of an image.
  case advance
  /// The rows of a table from a computed position on, as an image of one row with the columns of
  /// another.
  case rowsFrom
  /// Pairs of each head's channels turned by angles whose cosines and sines are operands.
  case rotate(RotationRule)
  /// Recurrent cells over a sequence.
  case recurrent(RecurrentRule)
  /// A part of the result of recurrent cells, whose first operand gives the sizes.
  case recurrentPart(RecurrentRule, RecurrentRule.Part)
  /// 8-bit integers for floats.
  case quantize(Quantization)
  /// The floats that 8-bit integers stand for.
  case dequantize(Quantization)
  /// A convolution or a dense layer of 8-bit integers.
  case quantizedProduct(QuantizedProduct)
  /// The sum or the product of two tensors of 8-bit integers.
  case quantizedPair(QuantizedPair)
  /// The maximum or mean of a moving window of 8-bit integers.
  case quantizedPooling(QuantizedPooling)
  /// A function of each integer of 8 bits, as a table.
  case lookup(ByteTable)
  /// 8-bit integers joined along the last axis, each operand through a table of its own.
  case quantizedConcatenation([ByteTable])
  /// The scale and the zero point of integers from 0 to 255 that cover 0 and every element.
  case dynamicRange
  /// Integers from 0 to 255 for real numbers, whose scale and zero point are an operand.
  case dynamicQuantize
  /// A product of integers whose scale and zero point are an operand.
  case dynamicProduct(DynamicProduct)
  /// A product of the pixels of an image with 4-bit weights.
  case blockProduct(BlockProduct)
  /// User-defined arithmetic on plain tensors.
  case custom(CustomOperation)

  /// The operation of the case, from the only switch over operations outside a back end.
  package var operation: any PrimitiveOperation {
    switch self {
    case .convolution(let geometry, let outputs, let groups):
      ConvolutionOperation(geometry: geometry, outputs: outputs, groups: groups)
    case .depthwiseConvolution(let geometry, let multiplier):
      DepthwiseConvolutionOperation(geometry: geometry, multiplier: multiplier)
    case .dense(let outputs): DenseOperation(outputs: outputs)
    case .pooling(let kind, let geometry): PoolingOperation(kind: kind, geometry: geometry)
    case .globalPooling(let kind): GlobalPoolingOperation(kind: kind)
    case .poolingND(let window): PoolingNDOperation(window: window)
    case .interleavePixels(let step, let cut): InterleavePixelsOperation(step: step, cut: cut)
    case .depthToSpace(let block, let interleaved):
      DepthToSpaceOperation(block: block, interleaved: interleaved)
    case .spaceToDepth(let block): SpaceToDepthOperation(block: block)
    case .normalize(let rule): NormalizeOperation(rule: rule)
    case .localResponse(let size, let alpha, let beta, let bias):
      LocalResponseOperation(size: size, alpha: alpha, beta: beta, bias: bias)
    case .resample(let resampling): ResampleOperation(resampling: resampling)
    case .nonMaximumSuppression(let rule): SuppressionOperation(rule: rule)
    case .treeEnsemble(let rule): TreeEnsembleOperation(rule: rule)
    case .activation(let function): ActivationOperation(function: function)
    case .softmax(let logarithm): SoftmaxOperation(logarithm: logarithm)
    case .binary(let operation): BinaryOperation(operation: operation)
    case .affine: ScaleOperation()
    case .batchNormalization(let epsilon): BatchNormalizationOperation(epsilon: epsilon)
    case .pad(let edges): PadOperation(edges: edges)
    case .crop(let edges): CropOperation(edges: edges)
    case .concatenate(let axis): ConcatenateOperation(axis: axis)
    case .reshape(let sizes): ReshapeOperation(sizes: sizes)
    case .permute(let order): PermuteOperation(order: order)
    case .gatherChannels(let order): GatherChannelsOperation(order: order)
    case .resize(let target, let mode): ResizeOperation(target: target, mode: mode)
    case .identity: IdentityOperation()
    case .unary(let function): UnaryOperation(function: function)
    case .select: SelectOperation()
    case .slice(let starts, let sizes, let steps):
      SliceOperation(starts: starts, sizes: sizes, steps: steps)
    case .expand(let sizes): ExpandOperation(sizes: sizes)
    case .gather(let axis, let indices, let value):
      GatherOperation(axis: axis, indices: indices, value: value)
    case .gatherRows(let axis, let isChecked):
      GatherRowsOperation(axis: axis, isChecked: isChecked)
    case .gatherElements(let axis): GatherElementsOperation(axis: axis)
    case .scatterElements(let axis, let combination):
      ScatterElementsOperation(axis: axis, combination: combination)
    case .reduceRows(let kind): ReduceRowsOperation(kind: kind)
    case .argumentRows(let smallest, let selectsLast):
      ArgumentRowsOperation(smallest: smallest, selectsLast: selectsLast)
    case .topRows(let count, let smallest, let places):
      TopRowsOperation(count: count, smallest: smallest, places: places)
    case .cumulativeSum(let exclusive, let reversed):
      CumulativeSumOperation(exclusive: exclusive, reversed: reversed)
    case .matrixProduct: MatrixProductOperation()
    case .attention(let rule): AttentionOperation(rule: rule)
    case .appendRows: AppendRowsOperation()
    case .advance: AdvanceOperation()
    case .rowsFrom: RowsFromOperation()
    case .rotate(let rule): RotateOperation(rule: rule)
    case .recurrent(let rule): RecurrentOperation(rule: rule)
    case .recurrentPart(let rule, let part): RecurrentPartOperation(rule: rule, part: part)
    case .quantize(let quantization): QuantizeOperation(quantization: quantization)
    case .dequantize(let quantization): DequantizeOperation(quantization: quantization)
    case .quantizedProduct(let product): QuantizedProductOperation(product: product)
    case .quantizedPair(let pair): QuantizedPairOperation(pair: pair)
    case .quantizedPooling(let pooling): QuantizedPoolingOperation(pooling: pooling)
    case .lookup(let table): LookupOperation(table: table)
    case .quantizedConcatenation(let tables): QuantizedConcatenationOperation(tables: tables)
    case .dynamicRange: DynamicRangeOperation()
    case .dynamicQuantize: DynamicQuantizeOperation()
    case .dynamicProduct(let product): DynamicProductOperation(product: product)
    case .blockProduct(let product): BlockProductOperation(product: product)
    case .custom(let operation): operation
    }
  }

  /// A short name for messages and reports.
  package var name: String { operation.name }

  /// The properties that rewrites and back ends rely on.
  package var traits: OperationTraits { operation.traits }

  /// The shape of the output for the shapes of the operands, in which sizes may be unknown.
  ///
  /// - Throws: `ShapeError` naming the violated rule.
  public func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    guard !operands.isEmpty else {
      throw ShapeError(.wrongInputCount, "an operation needs an input")
    }
    return try operation.outputShape(for: operands)
  }

  /// The shape of the output, after checking everything that kernels rely on.
  ///
  /// Custom layers use the primitives through ``Lowering``. Arguments, the number of operands and
  /// the sizes of parameters are therefore checked here and not only by Forge's layers.
  ///
  /// - Throws: ``ShapeError`` naming the violated rule.
  package func checkedShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    for operand in operands { _ = try SizeRule.bounded(operand) }
    let operation = operation
    guard operation.traits.operands.contains(operands.count) else {
      throw ShapeError(
        .wrongInputCount, "\(name) has the wrong number of operands",
        received: "\(operands.count)", needs: operation.traits.operandText)
    }
    try operation.validate(operands)
    return try SizeRule.bounded(try operation.outputShape(for: operands))
  }

  /// The definition of each case: its result in double precision, computed with plain loops.
  ///
  /// Every kernel is checked against it. It is written to be read, not to be fast.
  ///
  /// - Parameters:
  ///   - operands: the operands in the order the case states.
  ///   - crops: source rectangles of resizes by the name of their slot; the whole image if absent.
  ///   - roundsToFloats: whether an operation of several steps rounds the results of those steps
  ///     that a plan of separate operations would store.
  /// - Returns: the result, with the sizes that the shape rule states.
  /// - Throws: ``ReferenceError`` when the operands do not fit the operation.
  package func reference(
    on operands: [ReferenceTensor], crops: [String: CropRectangle] = [:],
    roundsToFloats: Bool = false
  ) throws(ReferenceError) -> ReferenceTensor {
    let operation = operation
    let traits = operation.traits
    guard traits.operands.contains(operands.count) else {
      let exactly = traits.operands.count == 1 ? "exactly " : ""
      throw .wrongInputCount(name, operands.count, needs: exactly + traits.operandText)
    }
    let shape: Shape
    do { shape = try outputShape(for: operands.map(\.shape)) } catch { throw .shape(error) }
    guard let sizes = shape.sizes else { throw .unknownShape(shape) }
    return try operation.reference(
      ReferenceCall(
        operands: operands, output: sizes, crops: crops, roundsToFloats: roundsToFloats))
  }
}

extension PrimitiveOperation {
  /// Checks that an operand has exactly as many values as the operation reads.
  func check(
    _ tensor: ReferenceTensor, _ what: String, sizes: Int...
  ) throws(ReferenceError) {
    guard Shape.product(of: sizes) == tensor.count else {
      throw .wrongElementCount(what, tensor.count, sizes: sizes)
    }
  }

  /// The error for an operand with a wrong number of values.
  func operandSize(_ index: Int, _ shape: Shape, needs: String) -> ShapeError {
    ShapeError(
      .shapeMismatch, "operand \(index) of \(name) has the wrong size",
      received: shape.sizeText, needs: needs)
  }
}
