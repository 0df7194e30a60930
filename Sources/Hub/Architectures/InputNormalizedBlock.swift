import Forge

/// A block that normalizes what its two parts read, as networks for pictures and sound have it.
struct InputNormalizedBlock {
  var heads: Int
  var hidden: Int
  var activation: HubActivation
  var epsilon: Float
  var isCausal = false
  /// Whether a product of its own gates the second part.
  var isGated = false
  /// Whether each part has a factor for each channel.
  var isScaled = false
  /// The names of the attention, the two normalizations and the products.
  var attention, norm1, norm2, expand, reduce: String
  /// The names of the product that gates, and of the factors.
  var gate = "", scale1 = "", scale2 = ""

  /// Builds the block on a tensor and a mask.
  func callAsFunction(_ x: Tensor, _ mask: Tensor? = nil) -> Tensor {
    let channels = x.shape?.dimensions.last.flatMap { $0 } ?? heads
    let layer = MultiHeadAttention(
      heads: heads, keyChannels: max(1, channels / max(1, heads)), isCausal: isCausal,
      mask: mask == nil ? .none : .visible, name: attention)
    let normed = x --> LayerNormalization(epsilon: epsilon, name: norm1)
    let attended = mask.map { [normed, $0] --> layer } ?? (normed --> layer)
    let a = x + scaled(attended, scale1, channels)
    let b = a --> LayerNormalization(epsilon: epsilon, name: norm2)
    var expanded = activation.rest(
      b
        --> LastAxisDense(
          neurons: hidden, activation: activation.fused, name: isGated ? gate : expand))
    if isGated { expanded = expanded * (b --> LastAxisDense(neurons: hidden, name: expand)) }
    let reduced = expanded --> LastAxisDense(neurons: channels, name: reduce)
    return a + scaled(reduced, scale2, channels)
  }

  private func scaled(_ x: Tensor, _ name: String, _ channels: Int) -> Tensor {
    isScaled ? x * Tensor.learnedRow(channels, name: name) : x
  }
}

extension Tensor {
  /// A vector of the weights, [1][channels].
  static func learnedRow(_ channels: Int, name: String) -> Tensor {
    Constant([0], shape: [1]) --> Embedding(vocabulary: 1, channels: channels, name: name)
  }
}
