import Forge
import ForgeSystem

/// Buckets of distances between a query and a key: small distances each have their own, larger ones
/// share them by their logarithm, up to a most.
///
/// Source: Raffel and others, Exploring the Limits of Transfer Learning, 2019.
struct DistanceBuckets: Sendable {
  /// The number of buckets of both directions.
  var count = 32
  /// The distance from which on all share the last bucket.
  var most = 128
  /// Whether a query sees keys after it, which have half of the buckets.
  var looksAhead = true

  /// The bucket of a key's number less that of the query.
  func bucket(of distance: Int) -> Int {
    let side = looksAhead ? count / 2 : count
    let exact = side / 2
    let start = looksAhead && distance > 0 ? side : 0
    let size = looksAhead ? abs(distance) : max(0, -distance)
    if size < exact { return start + size }
    // In single precision, as the library computes it.
    let ratio = logf(Float(size) / Float(exact)) / Float(log(Double(most) / Double(exact)))
    return start + min(exact + Int(ratio * Float(side - exact)), side - 1)
  }

  /// The place of a bias for each distance in a file that has one for each bucket.
  ///
  /// The layer has a row for each distance, from the least to the largest; where no query sees keys
  /// after it, from 0 on.
  func place(of spec: ParameterSpec) -> TensorPlace {
    let rows = spec.sizes[0]
    let distances = looksAhead ? (0..<rows).map { $0 - rows / 2 } : (0..<rows).map { -$0 }
    return TensorPlace(
      names: ["\(spec.layer).weight"], rows: .chosen(distances.map(bucket)))
  }
}

extension TextInputs {
  /// A bias for each head and distance, [heads][length][length], with −10³⁰ for padding.
  ///
  /// - Parameters:
  ///   - heads: the number of heads.
  ///   - name: the layer of the biases, which has a row for each distance.
  /// - Returns: the mask, to be added to the scores.
  func distanceBias(heads: Int, name: String) -> Tensor {
    let most = maximumLength - 1
    let bias =
      (distances + Float(most))
      --> Embedding(vocabulary: 2 * most + 1, channels: heads, name: name)
      --> Permute(order: [2, 0, 1])
    return visible.map { bias + ($0 - 1) * 1e30 } ?? bias
  }
}

extension StepInputs {
  /// A bias for each head and each token of a text, [heads][1][``maximumLength``].
  ///
  /// - Parameters:
  ///   - heads: the number of heads.
  ///   - name: the layer of the biases, which has a row for each distance.
  /// - Returns: the mask, to be added to the scores.
  func distanceBias(heads: Int, name: String) -> Tensor {
    let places = Constant((0..<maximumLength).map { -Float($0) }, shape: [maximumLength])
    // Causality hides the tokens after this one, whatever their bias is.
    return places + position --> Activation(.relu)
      --> Embedding(vocabulary: maximumLength, channels: heads, name: name)
      --> Permute(order: [1, 0]) --> ExpandDims(axes: [1])
  }
}
