import ArgumentParser
import Forge

/// The argument for the precision of a network.
enum PrecisionArgument: String, ExpressibleByArgument, CaseIterable {
  case float32
  case halfWeights = "half-weights"
  case bfloat16
  case int8

  static let help: ArgumentHelp =
    "What dense layers and convolutions are computed in: float32, half-weights, bfloat16 or int8."

  /// The corresponding option of a compile.
  var precision: CompileOptions.Precision {
    switch self {
    case .float32: .float32
    case .halfWeights: .halfWeights
    case .bfloat16: .bfloat16
    case .int8: .int8
    }
  }

  /// The argument for the precision of a plan.
  init(_ precision: CompileOptions.Precision) {
    self =
      switch precision {
      case .float32: .float32
      case .halfWeights: .halfWeights
      case .bfloat16: .bfloat16
      case .int8: .int8
      }
  }
}
