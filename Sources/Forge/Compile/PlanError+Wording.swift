import ForgeGraph
import ForgeShapes

extension Compiler.PlanError {
  /// The problem for an error of a compile.
  func problem(_ compiler: Compiler) -> Problem {
    switch self {
    case .unfit(let error, let layer):
      let node = compiler.inference.nodes.first { $0.position == layer && !$0.isInput }
      return Problem(
        place: node?.place, layer: node?.reference, headline: error.headline,
        details: error.details)
    case .parameters(let cause):
      return Problem(headline: "a parameter could not be read", cause: cause)
    case .noKernels:
      return Problem(headline: "the instruction set is not there")
    }
  }

  /// The error for a prediction with inputs of a new size.
  func predictionError(_ compiler: Compiler) -> PredictionError {
    switch self {
    case .unfit: PredictionError(.wrongShape, problem(compiler))
    case .parameters, .noKernels: PredictionError(.parameters, problem(compiler))
    }
  }
}
