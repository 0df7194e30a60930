import ForgeOperations
import ForgeShapes

extension CompiledModel {
  /// Predicts one example of a model with one input and returns its first output.
  ///
  /// - Parameter values: the input in row-major order (height, width, channels of an image), of
  ///   exactly its size.
  /// - Returns: the values of the first output in row-major order.
  /// - Throws: ``PredictionError`` when the model has several inputs or one of unknown size, the
  ///   number of values is not the input's, there is no memory, a custom layer throws, or a check
  ///   fails.
  public func predict(_ values: [Float]) throws(PredictionError) -> [Float] {
    try predict(values, batch: 1)
  }

  /// Predicts `batch` consecutive examples and returns the first output of each.
  ///
  /// - Parameters:
  ///   - values: the examples one after the other, each in row-major order.
  ///   - batch: the number of examples, up to ``maximumBatch``.
  /// - Returns: the values of the first output, one example after the other.
  /// - Throws: ``PredictionError`` when the batch or the number of values does not fit, else as for
  ///   one example.
  public func predict(_ values: [Float], batch: Int) throws(PredictionError) -> [Float] {
    try checkSingleInput()
    let executable = try executable(for: try shapes(named: [:]))
    guard batch > 0 else { throw .emptyBatch }
    try check(batch: batch)
    try check(count: values.count, input: 0, executable: executable, batch: batch)
    return try withMemory(executable, batch: batch) { memory throws(PredictionError) in
      _ = memory.input(0).update(fromContentsOf: values)
      memory.resetCrops()
      try self.run(memory, batch: batch)
      return Array(memory.output(0).prefix(executable.outputSizes[0].reduce(batch, *)))
    }
  }

  /// Predicts examples given as separate arrays and returns the first output of each.
  ///
  /// Any number of examples is allowed: they are split into batches of ``maximumBatch``.
  ///
  /// - Parameter examples: the inputs, at least one.
  /// - Returns: the first output of each, in order.
  /// - Throws: ``PredictionError`` when there is no example or one has the wrong number of values,
  ///   else as for one example.
  public func predict(batch examples: [[Float]]) throws(PredictionError) -> [[Float]] {
    guard !examples.isEmpty else { throw .emptyBatch }
    try checkSingleInput()
    let executable = try executable(for: try shapes(named: [:]))
    for example in examples {
      try check(count: example.count, input: 0, executable: executable, batch: 1)
    }
    let count = executable.outputSizes[0].reduce(1, *)
    var results: [[Float]] = []
    results.reserveCapacity(examples.count)
    for start in stride(from: 0, to: examples.count, by: maximumBatch) {
      let part = examples[start..<min(start + maximumBatch, examples.count)]
      let outputs = try predict(Array(part.joined()), batch: part.count)
      results += (0..<part.count).map { Array(outputs[$0 * count..<($0 + 1) * count]) }
    }
    return results
  }

  /// Predicts one example with its own size, for models that take images of any size.
  ///
  /// - Parameters:
  ///   - input: the values with their sizes.
  ///   - crops: the part of its source that a ``Resize`` samples, by the layer's name.
  /// - Returns: the values of the first output in row-major order.
  /// - Throws: ``PredictionError`` when the model has several inputs, sizes or rectangles do not
  ///   fit, there is no memory, a custom layer throws, or a check fails.
  public func predict(
    _ input: TensorValues, crops: [String: CropRectangle] = [:]
  ) throws(PredictionError) -> [Float] {
    try checkSingleInput()
    let predictions = try predict([inputNames[0]: input], crops: crops)
    return predictions.outputs[outputNames[0]]?.values ?? []
  }

  /// Predicts one example of any number of inputs and returns all outputs and kept layers by name.
  ///
  /// - Parameters:
  ///   - inputs: the values of each input by name.
  ///   - crops: the part of its source that a ``Resize`` samples, by the layer's name.
  /// - Returns: the outputs and the kept layers.
  /// - Throws: ``PredictionError`` when an input is missing, unknown or does not fit, a rectangle
  ///   does not fit, there is no memory, a custom layer throws, or a check fails.
  public func predict(
    _ inputs: [String: TensorValues], crops: [String: CropRectangle] = [:]
  ) throws(PredictionError) -> Predictions {
    try checkInputNames(inputs.keys)
    for (name, declared) in zip(inputNames, inputShapes) where inputs[name] == nil {
      throw .missingInput(name, declared)
    }
    let executable = try executable(for: try shapes(named: inputs.mapValues(\.shape)))
    var values: [[Float]] = []
    for (index, name) in inputNames.enumerated() {
      let given = inputs[name]?.values ?? []
      try check(count: given.count, input: index, executable: executable, batch: 1)
      values.append(given)
    }
    return try withMemory(executable, batch: 1) { memory throws(PredictionError) in
      for (index, values) in values.enumerated() {
        _ = memory.input(index).update(fromContentsOf: values)
      }
      memory.resetCrops()
      for (name, crop) in crops { try memory.crop(name, to: crop) }
      try self.run(memory, batch: 1)
      return Predictions(
        outputs: self.tensors(0..<self.compiler.ownOutputCount, in: memory),
        kept: self.kept(in: memory))
    }
  }

  /// Checks that the model has an input of each name.
  func checkInputNames(_ names: some Sequence<String>) throws(PredictionError) {
    if let unknown = names.filter({ !inputNames.contains($0) }).min() {
      throw .unknownName(unknown, what: "input", known: inputNames)
    }
  }

  /// Checks that the model has one input.
  func checkSingleInput() throws(PredictionError) {
    guard inputNames.count == 1 else { throw .inputCount(inputNames.count, what: "inputs") }
  }

  /// Checks the number of examples.
  func check(batch: Int) throws(PredictionError) {
    guard (1...maximumBatch).contains(batch) else {
      throw .wrongBatch(
        batch, maximum: maximumBatch, remedy: "compile(options: .init(maximumBatch: …))")
    }
  }

  /// Checks the number of values for an input.
  func check(
    count: Int, input: Int, executable: any Executable, batch: Int
  ) throws(PredictionError) {
    let sizes = executable.inputSizes[input]
    let needed = sizes.reduce(1, *) * batch
    guard count == needed else {
      throw .wrongValueCount(
        count, input: inputNames[input], needs: needed, shape: Shape(sizes: sizes), batch: batch)
    }
  }

  /// The kept outputs of one of the examples, by name.
  func kept(in memory: PredictionMemory, example: Int = 0) -> [String: TensorValues] {
    tensors(compiler.ownOutputCount..<outputNames.count, in: memory, example: example)
  }

  private func tensors(
    _ outputs: Range<Int>, in memory: PredictionMemory, example: Int = 0
  ) -> [String: TensorValues] {
    Dictionary(
      outputs.map { (outputNames[$0], memory.tensor(ofOutput: $0, example: example)) },
      uniquingKeysWith: { _, last in last })
  }
}
