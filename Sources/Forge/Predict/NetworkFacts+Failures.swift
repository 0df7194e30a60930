import ForgeGraph
import ForgeOperations
import ForgeShapes

extension NetworkFacts {
  /// The error for a layer that failed, with the layer's name and source location.
  ///
  /// The error names an example if it was one of several.
  func predictionError(_ failure: LayerFailure, example: Int? = nil) -> PredictionError {
    let found = self.layer(at: failure.layer)
    let (layer, place) = (found?.reference, found?.place)
    switch failure.cause {
    case let fault as IndexFault:
      return .invalidIndex(layer, place: place, fault, example: example)
    case let fault as PositionFault:
      return .wrongPosition(
        layer, place: place, fault, state: stateNames[fault.limit.state],
        example: example)
    default:
      return .customLayer(layer, place: place, cause: failure.cause)
    }
  }
}
