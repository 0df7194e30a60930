import ForgeOperations

/// Why a network was not quantized.
public enum QuantizationError: Error, Sendable {
  /// There was no sample.
  case noSamples
  /// An argument is out of range.
  case wrongArgument(String, received: String, needs: String)
  /// A tensor held NaN or an infinity for a sample.
  case notFinite(tensor: String)
  /// A sample could not be predicted.
  case prediction(PredictionError)
  /// A network of integers could not be compiled.
  case compile(CompileError)
}

extension QuantizationError: CustomStringConvertible {
  /// What went wrong, and what helps.
  public var description: String {
    switch self {
    case .noSamples: "there is no sample to calibrate with"
    case .wrongArgument(let name, let received, let needs):
      "the argument \(name) is out of range\n  received  \(received)\n  needs     \(needs)"
    case .notFinite(let tensor):
      "\"\(tensor.printable)\" is not finite for a sample, so it has no range"
    case .prediction(let error): "a sample cannot be predicted: \(error)"
    case .compile(let error): "the network of integers cannot be compiled: \(error)"
    }
  }
}
