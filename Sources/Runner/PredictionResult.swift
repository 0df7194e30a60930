/// A prediction with its times and intermediate results.
public struct PredictionResult<Prediction: Sendable, Kept: Sendable>: Sendable {
  /// The result of the network.
  public let prediction: Prediction
  /// The intermediate results, if the network keeps any.
  public let kept: Kept
  /// The time from the request to the result, including waiting.
  public let latency: Duration
  /// The part of the latency before the prediction received a slot.
  public let waited: Duration
  /// The position of the input in its stream or batch, including dropped inputs; 0 elsewhere.
  public let index: Int

  /// The same result with its prediction and its intermediate results in another form.
  package func replacing<P, K>(prediction: P, kept: K) -> PredictionResult<P, K> {
    PredictionResult<P, K>(
      prediction: prediction, kept: kept, latency: latency, waited: waited, index: index)
  }
}
