/// A prediction with what is known about it.
public struct PredictionResult<Prediction: Sendable, Kept: Sendable>: Sendable {
  /// What the network gave.
  public let prediction: Prediction
  /// Intermediate results, of networks that keep some.
  public let kept: Kept
  /// The time from the request to the result, waiting included.
  public let latency: Duration
  /// The part of the latency before the prediction had a slot.
  public let waited: Duration
  /// The position of the input in its stream or batch, dropped ones counted; 0 elsewhere.
  public internal(set) var index = 0

  init(prediction: Prediction, kept: Kept, latency: Nanoseconds, waited: Nanoseconds) {
    self.prediction = prediction
    self.kept = kept
    self.latency = .nanoseconds(latency)
    self.waited = .nanoseconds(waited)
  }
}
