import ForgeShapes

/// Binding the caller's memory for one prediction, instead of the context's.
///
/// ```swift
/// let context = try RealtimeContext(network)
/// let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: 320)
/// let levels = UnsafeMutableBufferPointer<Float>.allocate(capacity: 11)
/// samples.initialize(repeating: 0)
/// context.bindInput(0, to: UnsafeBufferPointer(samples))
/// context.bindOutput(0, to: levels)
/// try context.predict()  // reads samples, writes levels
/// ```
extension RealtimeContext {
  /// Lets the next prediction read an input from memory of the caller, without a copy.
  ///
  /// The values are as ``withInput(_:_:)`` describes them, exactly as many as the batch of the
  /// prediction has. Any alignment that suits a `Float` will do. The memory must stay valid and
  /// unchanged until the prediction has ended; it is forgotten then, even if the prediction throws.
  /// The context's own memory of the input keeps its values for predictions without a binding.
  ///
  /// Two kinds of inputs are copied nevertheless: those that overlap a bound output, so that
  /// processing in place is possible, and those that hold integers, which are checked first.
  ///
  /// - Parameters:
  ///   - index: the input in the order of the model.
  ///   - values: the memory.
  /// - Returns: whether there is such an input.
  @discardableResult
  public func bindInput(_ index: Int, to values: UnsafeBufferPointer<Float>) -> Bool {
    // The steps of a plan write to no input.
    inputs.bind(index, to: UnsafeMutableBufferPointer(mutating: values))
  }

  /// Lets the next prediction write an output to memory of the caller, without a copy.
  ///
  /// The values are as ``withOutput(_:_:)`` describes them, exactly as many as the batch of the
  /// prediction has. The memory must stay valid until the prediction has ended; it is forgotten
  /// then. If the prediction throws, it may have been written in part. The context's own memory of
  /// the output keeps its values.
  ///
  /// - Parameters:
  ///   - index: the output in the order of the model; kept layers follow.
  ///   - values: the memory, which must not overlap that of another output.
  /// - Returns: whether there is such an output.
  @discardableResult
  public func bindOutput(_ index: Int, to values: UnsafeMutableBufferPointer<Float>) -> Bool {
    outputs.bind(index, to: values)
  }

  /// Lets the steps of a prediction use the bound memory.
  func useBound(batch: Int) throws(PredictionError) {
    if let index = inputs.firstMisfit(batch: batch) { throw misfit(ofInput: index, batch: batch) }
    if let index = outputs.firstMisfit(batch: batch) {
      throw misfit(ofOutput: index, batch: batch)
    }
    for index in outputs.indices {
      if let bound = outputs.bound(index), let other = outputs.firstOverlap(bound, before: index) {
        throw overlap(other, index)
      }
    }
    inputs.useBound { outputs.firstOverlap($0, before: outputs.indices.upperBound) != nil }
    outputs.useBound { _ in false }
  }

  /// Returns to the memory of the context.
  func unbind() {
    inputs.unbind()
    outputs.unbind()
  }

  // Errors are made apart from predictions, so that `Scripts/check realtime` finds no reference
  // counting in them.

  @inline(never)
  private func misfit(ofInput index: Int, batch: Int) -> PredictionError {
    .wrongValueCount(
      inputs.bound(index)?.count ?? 0, input: network.inputNames[index],
      needs: inputs.count(index, batch: batch), shape: Shape(sizes: memory.sizes(ofInput: index)),
      batch: batch)
  }

  @inline(never)
  private func misfit(ofOutput index: Int, batch: Int) -> PredictionError {
    .wrongOutputCount(
      outputs.bound(index)?.count ?? 0, output: network.outputNames[index],
      needs: outputs.count(index, batch: batch))
  }

  @inline(never)
  private func overlap(_ first: Int, _ second: Int) -> PredictionError {
    .overlappingOutputs(network.outputNames[first], network.outputNames[second])
  }
}

extension PredictionError {
  static func overlappingOutputs(_ first: String, _ second: String) -> PredictionError {
    PredictionError(
      .overlappingOutputs, "two outputs are bound to overlapping memory",
      received: "\"\(first)\" and \"\(second)\"", remedy: "bind separate memory to each output")
  }
}
