import ForgeGraph
import ForgeOperations
import ForgeShapes

extension Compiler {
  /// The error for a layer that failed, with the layer's name and source location.
  ///
  /// The error names an example if it was one of several.
  func predictionError(_ failure: LayerFailure, example: Int? = nil) -> PredictionError {
    let node = inference.layer(at: failure.layer)
    let (layer, place) = (node?.reference, node?.place)
    switch failure.cause {
    case let fault as IndexFault:
      return .invalidIndex(layer, place: place, fault, example: example)
    case let fault as PositionFault:
      return .wrongPosition(
        layer, place: place, fault, state: graph.states[fault.limit.state].name,
        example: example)
    default:
      return .customLayer(layer, place: place, cause: failure.cause)
    }
  }
}
