import ForgeLayers
import ForgeShapes

/// A model as a step: its layers are repeated on other tensors, which replace its inputs.
///
/// The repeated layers keep their names and so share their parameters with the model's other uses.
/// Metadata and the source of parameters belong to the model on the left.
/// ```swift
/// let features = input --> backbone
/// let distance = [left, right] --> siamese
/// let outputs = detector(input)  // a model of several outputs
/// ```
extension Model: GraphStep {
  /// Returns the outputs of the model's layers, repeated on other tensors.
  ///
  /// A wrong number or shape of inputs is a mistake, which `compile` and `check` report.
  ///
  /// - Parameter inputs: a tensor for each input of the model, in order.
  /// - Returns: as many tensors as the model has outputs.
  public func outputs(for inputs: [Tensor]) -> [Tensor] {
    if let misfit = misfit(of: inputs) { return outputs.map { _ in misfit } }
    var repeated: [ObjectIdentifier: Tensor] = [:]
    for (declared, input) in zip(self.inputs, inputs) {
      repeated[ObjectIdentifier(declared)] = input
    }
    var uses: [Int: Int] = [:]
    let tensors = Inference.reached(from: outputs).sorted { $0.order < $1.order }
    for tensor in tensors where repeated[ObjectIdentifier(tensor)] == nil {
      // Operands come first, as they are older.
      let operands = tensor.inputs.compactMap { repeated[ObjectIdentifier($0)] }
      repeated[ObjectIdentifier(tensor)] = tensor.repeated(on: operands, uses: &uses)
    }
    return outputs.compactMap { repeated[ObjectIdentifier($0)] }
  }

  /// Returns the outputs of the model's layers, repeated on other tensors.
  ///
  /// ```swift
  /// let outputs = detector(input)
  /// ```
  ///
  /// - Parameter inputs: a tensor for each input of the model, in order.
  /// - Returns: as many tensors as the model has outputs.
  public func callAsFunction(_ inputs: Tensor...) -> [Tensor] { outputs(for: inputs) }

  /// The mistake of applying the model to `inputs`, if there is one.
  private func misfit(of inputs: [Tensor]) -> Tensor? {
    guard var error = inputError(inputs) else { return nil }
    error.place = place
    return Tensor(.foreign("Model", error), inputs: inputs)
  }

  private func inputError(_ inputs: [Tensor]) -> ShapeError? {
    let flaw = Inference(self).problems.first { ($0.layer?.position ?? 0) == 0 }
    if let flaw { return .flawedModel(flaw) }
    if inputs.count != self.inputs.count {
      return .wrongModelInputs(inputs.count, needs: self.inputs.count)
    }
    for (index, (declared, input)) in zip(self.inputs, inputs).enumerated() {
      guard let needed = declared.shape, let received = input.shape else { continue }
      if !needed.admits(received) {
        return .modelInputMisfit(
          received, needs: needed, position: index + 1, of: inputs.count)
      }
    }
    return nil
  }
}
