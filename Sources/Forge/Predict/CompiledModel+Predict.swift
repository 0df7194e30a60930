import ForgeOperations
import ForgeShapes

extension CompiledModel {
  /// Predicts one example.
  ///
  /// ```swift
  /// let probabilities = try network.predict(pixels)  // [Float]
  /// let predictions = try network.predict(["image": pixels, "meta": values])
  /// let boxes = predictions["boxes"]?.values
  /// ```
  ///
  /// - Parameters:
  ///   - input: the values of the only input, or of each input by name; see ``PredictionInput``.
  ///   - crops: the part of its source that a ``Resize`` samples, by the layer's name.
  /// - Returns: the values of the only output, or all outputs and kept layers if the inputs are
  ///   named.
  /// - Throws: ``PredictionError`` when an input is missing, unknown or does not fit, `[Float]` is
  ///   to hold several outputs, a rectangle does not fit, there is not enough memory, an
  ///   ``Embedding`` is given a number that is not an id, a custom layer throws, or a check fails.
  public func predict<Input: PredictionInput>(
    _ input: Input, crops: [String: CropRectangle] = [:]
  ) throws(PredictionError) -> Input.Output {
    Input.Output(
      try predict(PredictionInputs(input, crops: crops), isSingle: Input.Output.isSingle))
  }

  /// Predicts one example of values in row-major order; see ``predict(_:crops:)``.
  ///
  /// - Parameter values: the values of the only input, of exactly its size.
  /// - Returns: the values of the only output in row-major order.
  /// - Throws: ``PredictionError``, as ``predict(_:crops:)``.
  public func predict(_ values: [Float]) throws(PredictionError) -> [Float] {
    [Float](try predict(PredictionInputs(values), isSingle: true))
  }

  /// Predicts one example of values with their sizes; see ``predict(_:crops:)``.
  ///
  /// - Parameters:
  ///   - tensor: the values of the only input with their sizes.
  ///   - crops: the part of its source that a ``Resize`` samples, by the layer's name.
  /// - Returns: the values of the only output in row-major order.
  /// - Throws: ``PredictionError``, as ``predict(_:crops:)``.
  public func predict(
    _ tensor: TensorValues, crops: [String: CropRectangle] = [:]
  ) throws(PredictionError) -> [Float] {
    [Float](try predict(PredictionInputs(tensor, crops: crops), isSingle: true))
  }

  /// Predicts one example of named inputs with their sizes; see ``predict(_:crops:)``.
  ///
  /// - Parameters:
  ///   - inputs: the values of each input by name.
  ///   - crops: the part of its source that a ``Resize`` samples, by the layer's name.
  /// - Returns: all outputs and kept layers.
  /// - Throws: ``PredictionError``, as ``predict(_:crops:)``.
  public func predict(
    _ inputs: [String: TensorValues], crops: [String: CropRectangle] = [:]
  ) throws(PredictionError) -> Predictions {
    try predict(PredictionInputs(inputs, crops: crops), isSingle: false)
  }

  /// Predicts one example of values in memory that the caller owns.
  ///
  /// - Parameter values: the values of the only input in row-major order, of exactly its size.
  /// - Returns: the values of the only output in row-major order.
  /// - Throws: ``PredictionError``, as ``predict(_:crops:)``.
  public func predict(_ values: Span<Float>) throws(PredictionError) -> [Float] {
    try values.withUnsafeBufferPointer { buffer throws(PredictionError) in
      try predict(buffer, scale: 1)
    }
  }

  /// Predicts one example of elements of any type and layout: each becomes `scale · x + bias`.
  ///
  /// ```swift
  /// let probabilities = try network.predict(bytes, scale: 1 / 255, layout: .channelsFirst)
  /// ```
  ///
  /// - Parameters:
  ///   - elements: the elements of the only input, such as `[UInt8]` or a buffer.
  ///   - scale: the factor of each element.
  ///   - bias: the number added after the multiplication.
  ///   - layout: the order of `elements`.
  /// - Returns: the values of the only output in row-major order.
  /// - Throws: ``PredictionError``, as ``predict(_:crops:)``.
  @inlinable
  public func predict<Elements: Collection>(
    _ elements: Elements, scale: Float, bias: Float = 0, layout: ImageLayout = .channelsLast
  ) throws(PredictionError) -> [Float] where Elements.Element: TensorElement {
    try predict(
      elements.floats(
        scale: scale, bias: bias, layout: layout, channels: inputShapes.first?.channels ?? 1))
  }

  /// Predicts `batch` consecutive examples.
  ///
  /// - Parameters:
  ///   - values: the examples one after the other, each in row-major order.
  ///   - batch: the number of examples, up to ``maximumBatch``.
  /// - Returns: the values of the only output, one example after the other.
  /// - Throws: ``PredictionError`` when the batch or the number of values does not fit, otherwise
  ///   as for one example.
  public func predict(_ values: [Float], batch: Int) throws(PredictionError) -> [Float] {
    try checkSingleOutput()
    try checkSingleInput()
    let executable = try executable(for: try shapes(named: [:]))
    guard batch > 0 else { throw .emptyBatch }
    try check(batch: batch)
    if let sequenceLength, !sequenceLength.axes[0].isEmpty {
      return try predict(sequences: values, batch: batch)
    }
    try check(count: values.count, input: 0, sizes: executable.inputSizes[0], batch: batch)
    return try withMemory { reusable throws(PredictionError) in
      let memory = try self.memory(executable, batch: batch, in: reusable)
      _ = memory.input(0).update(fromContentsOf: values)
      memory.resetCrops()
      memory.state.reset()
      try self.run(memory, batch: batch)
      return Array(memory.output(0).prefix(executable.outputSizes[0].reduce(batch, *)))
    }
  }

  /// Predicts consecutive sequences of one length.
  private func predict(
    sequences values: [Float], batch: Int
  ) throws(PredictionError) -> [Float] {
    let count = values.count / batch
    guard values.count.isMultiple(of: batch) else {
      throw .wrongValueCount(
        values.count, input: inputNames[0], needs: (count + 1) * batch,
        shape: Shape(sizes: [count + 1]), batch: batch)
    }
    let examples = (0..<batch).map { Array(values[$0 * count..<($0 + 1) * count]) }
    return try predict(batch: examples).flatMap(\.self)
  }

  /// Predicts any number of examples, one after the other, each with its own sizes and crops.
  ///
  /// All examples are checked before the first is predicted.
  ///
  /// - Parameter examples: the inputs, at least one; see ``PredictionInput``.
  /// - Returns: the results, in order.
  /// - Throws: ``PredictionError`` when there is no example or one does not fit, otherwise as for
  ///   one example.
  public func predict<Input: PredictionInput>(
    batch examples: [Input]
  ) throws(PredictionError) -> [Input.Output] {
    guard !examples.isEmpty else { throw .emptyBatch }
    try checkIndependence(of: examples.count)
    let isSingle = Input.Output.isSingle
    var checkedExamples: [CheckedInputs] = []
    for example in examples {
      checkedExamples.append(try checked(example.predictionInputs, isSingle: isSingle))
    }
    return try withMemory { memory throws(PredictionError) in
      var outputs: [Input.Output] = []
      outputs.reserveCapacity(examples.count)
      for (index, inputs) in checkedExamples.enumerated() {
        outputs.append(
          Input.Output(
            try self.predictions(
              inputs, in: memory, kept: !isSingle, example: examples.count > 1 ? index : nil)))
      }
      return outputs
    }
  }

  /// Predicts one example; kept layers are not read for a caller who takes a single output.
  private func predict(
    _ inputs: PredictionInputs, isSingle: Bool
  ) throws(PredictionError) -> Predictions {
    let inputs = try checked(inputs, isSingle: isSingle)
    return try withMemory { memory throws(PredictionError) in
      try self.predictions(inputs, in: memory, kept: !isSingle)
    }
  }
}
