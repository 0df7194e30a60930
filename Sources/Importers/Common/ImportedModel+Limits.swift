import Forge

extension ImportedModel {
  /// The bytes of parameters that a file may ask for, beyond ``parametersPerByte`` of its own.
  private static let leastParameterBytes = 1 << 26
  /// The bytes of parameters for each byte of the files: the narrowest have less than a bit, and
  /// layers may share them.
  private static let parametersPerByte = 32
  /// The most parameters of a description without weights.
  private static let mostRandomParameters = 160_000_000

  /// The model with the limits of its predictions, after a check of the number of its parameters.
  ///
  /// - Parameters:
  ///   - options: the limits, and the sizes of inputs that the caller states.
  ///   - hasWeights: whether the file holds the parameters.
  ///   - path: the file, for messages.
  /// - Returns: the model with the limits.
  /// - Throws: ``ImportError`` of kind `tooLarge`.
  func limited(
    _ options: ImportOptions, hasWeights: Bool = true, path: String?
  ) throws(ImportError) -> ImportedModel {
    let limits = options.limits
    // A tensor of the file may be packed once for each layer that reads it.
    let count = model.statedParameterCount
    let parameterBytes = count.multipliedSaturated(by: MemoryLayout<Float>.size)
    let most =
      hasWeights
      ? Self.leastParameterBytes.addingSaturated(
        ImportBudget.bytesOfFiles.multipliedSaturated(by: Self.parametersPerByte))
      : Self.mostRandomParameters * MemoryLayout<Float>.size
    guard parameterBytes <= max(most, limits.foldedBytes) else {
      throw .beyondBudget(
        "the network has more parameters than the file may ask for",
        ImportError.counted(count, "parameter"),
        needs: "at most \(most / MemoryLayout<Float>.size)", limit: "foldedBytes", path: path)
    }
    var stated = 0
    for (name, sizes) in options.sizes where !options.assumedInputs.contains(name) {
      let elements = sizes.reduce(1) { $0.multipliedSaturated(by: $1.maximum) }
      stated = stated.addingSaturated(max(elements, 0))
    }
    var result = self
    result.model.limits = PredictionLimits(
      bytes: limits.predictionBytes
        .addingSaturated(parameterBytes.multipliedSaturated(by: 64))
        .addingSaturated(stated.multipliedSaturated(by: 1 << 10)),
      work: limits.predictionWork
        .addingSaturated(count.multipliedSaturated(by: 1 << 17))
        .addingSaturated(stated.multipliedSaturated(by: 1 << 20)),
      path: path)
    return result
  }
}
