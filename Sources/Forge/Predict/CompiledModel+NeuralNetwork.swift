import ForgeRunner

extension CompiledModel: NeuralNetwork {
  /// A context for one example.
  public func makeSlot() throws -> Context {
    try Context(self)
  }

  /// Writes the values of the single input.
  ///
  /// - Parameters:
  ///   - input: the values in row-major order, of exactly the input's size.
  ///   - slot: the context of this prediction.
  /// - Throws: ``PredictionError`` when the number of values is not the input's.
  public func encode(_ input: [Float], into slot: Context) throws {
    try slot.write(input)
  }

  /// Computes the outputs.
  ///
  /// - Parameter slot: the context of this prediction.
  /// - Throws: ``PredictionError`` as ``Context/predict(batch:)``.
  public func run(_ slot: Context) throws {
    try slot.predict()
  }

  /// Reads the values of the first output.
  ///
  /// - Parameter slot: the context of this prediction.
  /// - Returns: the values in row-major order.
  public func fetch(from slot: Context) -> [Float] {
    slot.values(ofOutput: 0)
  }
}
