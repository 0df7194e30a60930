import ForgeGraph
import ForgeOperations

extension CompiledModel {
  /// Lets convolutions and dense layers multiply 8-bit integers where that is faster on this
  /// machine and the outputs stay near enough.
  ///
  /// The samples show which range each tensor takes. A number `x` becomes
  /// `round(x / scale) + zeroPoint` within 0 to 255, with the range of all samples spread over
  /// these integers; the weights of each output become −127 to 127. What is found is measured: the
  /// network is compiled once for each layer, to find how far it makes the outputs stray.
  /// ```swift
  /// let quantized = try network.quantized(calibration: photos, bound: 0.02)
  /// print(quantized)  // layer, type, error, time
  /// ```
  /// Networks of trained weights on photos stray by 0.01 to 0.1. Samples should be of the kind that
  /// the network will see, some dozens of them.
  ///
  /// - Parameters:
  ///   - samples: inputs in any form of ``PredictionInput``.
  ///   - bound: the largest ‖quantized − real‖₂ / ‖real‖₂ of an output, over all samples.
  ///   - method: how ranges follow from the samples.
  ///   - onlyFaster: whether layers that take no less time on integers stay real.
  /// - Returns: the network of integers with its table.
  /// - Throws: ``QuantizationError`` when there is no sample, an argument is out of range, a sample
  ///   does not fit, or a tensor is not finite.
  public func quantized<Sample: PredictionInput>(
    calibration samples: some Sequence<Sample>, bound: Double = 0.01,
    method: CalibrationMethod = .minimumAndMaximum, onlyFaster: Bool = true
  ) throws(QuantizationError) -> QuantizedNetwork {
    try QuantizationSearch(
      self, samples.map { PredictionInputs($0) }, bound: bound, method
    ).result(onlyFaster: onlyFaster)
  }
}

extension Model {
  /// Compiles the model with its own parameters and quantizes it; see
  /// ``CompiledModel/quantized(calibration:bound:method:onlyFaster:)``.
  ///
  /// - Parameters:
  ///   - samples: inputs in any form of ``PredictionInput``.
  ///   - bound: the largest ‖quantized − real‖₂ / ‖real‖₂ of an output, over all samples.
  ///   - method: how ranges follow from the samples.
  ///   - options: the options of the compile.
  /// - Returns: the network of integers with its table.
  /// - Throws: ``QuantizationError``, including when the model does not compile.
  public func quantized<Sample: PredictionInput>(
    calibration samples: some Sequence<Sample>, bound: Double = 0.01,
    method: CalibrationMethod = .minimumAndMaximum, options: CompileOptions = CompileOptions()
  ) throws(QuantizationError) -> QuantizedNetwork {
    let network: CompiledModel
    do throws(CompileError) { network = try compile(options: options) } catch {
      throw .compile(error)
    }
    return try network.quantized(calibration: samples, bound: bound, method: method)
  }
}
