import ForgeOperations
import ForgeShapes

/// Inputs and outputs found by name or by `Tensor`.
extension Context {
  /// Writes the values of an input: `scale · x + bias` of each element.
  ///
  /// - Parameters:
  ///   - input: the name of the input, or the tensor that described it.
  ///   - elements: the elements, such as `[Float]`, `[UInt8]` or a buffer, of exactly the input's
  ///     size.
  ///   - example: the index of the example, from 0.
  ///   - scale: the factor of each element.
  ///   - bias: the number added after the multiplication.
  ///   - layout: the order of `elements`.
  /// - Throws: ``PredictionError`` when there is no such input or example, or the number of
  ///   elements is not the input's.
  @inlinable
  public func set<Elements: Collection>(
    _ input: some TensorReference, to elements: Elements, example: Int = 0, scale: Float = 1,
    bias: Float = 0, layout: ImageLayout = .channelsLast
  ) throws(PredictionError) where Elements.Element: TensorElement {
    let (target, channels) = try target(of: input, count: elements.count, example: example)
    elements.withContiguousElements {
      layout.write($0, channels: channels, scale: scale, bias: bias, to: target)
    }
  }

  /// Writes the values of an input and checks their sizes.
  ///
  /// - Parameters:
  ///   - input: the name of the input, or the tensor that described it.
  ///   - tensor: the values with the sizes of the input in this context.
  ///   - example: the index of the example, from 0.
  /// - Throws: ``PredictionError`` when there is no such input or example, or the sizes are not the
  ///   input's.
  public func set(
    _ input: some TensorReference, to tensor: TensorValues, example: Int = 0
  ) throws(PredictionError) {
    let index = try network.index(ofInput: input)
    let shape = Shape(sizes: memory.sizes(ofInput: index))
    guard tensor.shape == shape else {
      throw .wrongShape(network.inputNames[index], received: tensor.shape, needs: shape)
    }
    try set(input, to: tensor.values, example: example)
  }

  /// The values of an output or of a kept layer for the first example; `nil` if there is none.
  ///
  /// - Parameter output: the name, or the tensor that described it.
  public subscript(output: some TensorReference) -> TensorValues? { self[output, example: 0] }

  /// The values of an output or of a kept layer; `nil` if there is no such result or example.
  ///
  /// - Parameters:
  ///   - output: the name, or the tensor that described it.
  ///   - example: the index of the example, from 0.
  public subscript(output: some TensorReference, example example: Int) -> TensorValues? {
    guard (0..<maximumBatch).contains(example),
      let index = network.outputTable.index(of: output)
    else { return nil }
    return memory.tensor(ofOutput: index, example: example)
  }

  /// The position of an input, for ``withInput(_:_:)``.
  ///
  /// - Parameter input: the name, or the tensor that described it.
  /// - Returns: the position in the order of the model.
  /// - Throws: ``PredictionError`` when there is no such input.
  public func index(ofInput input: some TensorReference) throws(PredictionError) -> Int {
    try network.index(ofInput: input)
  }

  /// The position of an output or of a kept layer, for ``withOutput(_:_:)``.
  ///
  /// - Parameter output: the name, or the tensor that described it.
  /// - Returns: the position in the order of the model; kept layers follow the outputs.
  /// - Throws: ``PredictionError`` when there is no such output.
  public func index(ofOutput output: some TensorReference) throws(PredictionError) -> Int {
    try network.index(ofOutput: output)
  }

  /// Predicts one example in this context.
  ///
  /// Crops that were set before stay as they are, apart from those of `crops`, which stay set too.
  ///
  /// - Parameters:
  ///   - input: the values of the only input, or of each input by name, of the sizes of this
  ///     context; see ``PredictionInput``.
  ///   - crops: the part of its source that a ``Resize`` samples, by the layer's name.
  /// - Returns: the values of the only output, or all outputs and kept layers if the inputs are
  ///   named.
  /// - Throws: ``PredictionError`` when the context is in use or an input does not fit it,
  ///   otherwise as ``CompiledModel/predict(_:crops:)``.
  public func predict<Input: PredictionInput>(
    _ input: Input, crops: [String: CropRectangle] = [:]
  ) throws(PredictionError) -> Input.Output {
    let inputs = try network.checked(
      PredictionInputs(input, crops: crops), isSingle: Input.Output.isSingle,
      sizes: memory.executable.inputSizes)
    return try exclusively { memory throws(PredictionError) in
      try memory.write(inputs)
      try self.network.run(memory, batch: 1)
      memory.advance(batch: 1)
      return Input.Output(
        self.network.predictions(in: memory, kept: !Input.Output.isSingle))
    }
  }

  /// Computes the output of one example; after the first prediction it allocates nothing.
  ///
  /// - Parameters:
  ///   - input: the values of the only input.
  ///   - output: receives exactly the values of the only output.
  /// - Throws: ``PredictionError`` when the model has several inputs or outputs or the number of
  ///   input values does not fit, otherwise as ``predict(batch:)``.
  public func predict(_ input: [Float], into output: inout [Float]) throws(PredictionError) {
    try network.checkSingleInput()
    let count = try outputCount(inputCount: input.count)
    if output.count != count { output = Array(repeating: 0, count: count) }
    var span = output.mutableSpan
    try predict(input.span, into: &span)
  }

  /// The number of values of the first output for this many values of the only input.
  private func outputCount(inputCount: Int) throws(PredictionError) -> Int {
    guard let sizes = memory.executable.sequenceSizes,
      let length = try network.sequenceLength?.length(ofInput: 0, count: inputCount)
    else { return memory.count(ofOutput: 0) }
    return sizes.count(ofOutput: 0, length: length)
  }

  /// The memory of an input for one of the examples and its channels, when `count` values fit.
  @usableFromInline
  func target(
    of input: some TensorReference, count: Int, example: Int
  ) throws(PredictionError) -> (UnsafeMutableBufferPointer<Float>, channels: Int) {
    let index = try network.index(ofInput: input)
    return (
      try values(ofInput: index, count: count, example: example),
      memory.executable.inputSizes[index].last ?? 1
    )
  }
}
