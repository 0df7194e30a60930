import Forge

/// Which keys each query of an attention sees in Keras.
///
/// A key is hidden by the attention's own mask, by the masks of queries, keys and values, or by a
/// position after that of the query. A query all of whose keys are hidden has the mean of all
/// values, because Keras lowers their scores to one number; where Keras has dropout in the
/// attention, version 3 multiplies the weights by the mask, and the mean is 0.
struct KerasAttentionMask {
  /// [queries][keys] or a part of it; `nil` if the attention has no mask.
  let tensor: Tensor?
  /// What the tensor is.
  let kind: AttentionRule.Mask
  /// Whether the attention hides later keys itself, because the mask does not.
  let isCausal: Bool

  /// So low that scores are lost beside it.
  private static let low: Float = -1e30
  /// The most elements of a stored mask of later keys.
  private static let maximumCount = 1 << 22

  /// Joins all reasons to hide a key.
  ///
  /// - Parameters:
  ///   - arguments: those of the call.
  ///   - call: the call of the attention.
  /// - Throws: ``KerasFault``.
  init(_ arguments: KerasArguments, _ call: KerasCall) throws(KerasFault) {
    let query = try arguments.tensor("query"), value = try arguments.tensor("value")
    let key = try arguments.tensor("key")
    func isHidden(_ mask: Tensor) throws(KerasFault) -> Tensor {
      try call.apply(Compare(.equal, than: [0]), to: mask)
    }
    var reasons: [Tensor] = []
    if let mask = try arguments.tensor("attention_mask") {
      reasons.append(try isHidden(mask.tensor))
    }
    // MultiHeadAttention takes the mask of the queries from them, whatever the call says.
    let queryMask =
      call.layer.kind == "MultiHeadAttention"
      ? query?.mask : try KerasMask.stated(arguments, call, "query_mask") ?? query?.mask
    if let mask = queryMask {
      reasons.append(try call.apply(Reshape(to: [-1, 1]), to: try isHidden(mask)))
    }
    for mask in [
      try KerasMask.stated(arguments, call, "value_mask") ?? value?.mask,
      try KerasMask.stated(arguments, call, "key_mask") ?? key?.mask,
    ].compactMap(\.self) {
      reasons.append(try call.apply(Reshape(to: [1, -1]), to: try isHidden(mask)))
    }
    var isCausal = try arguments.flag("use_causal_mask")
    if isCausal, !reasons.isEmpty, let later = try Self.later(query, key ?? value, call) {
      reasons.append(later)
      isCausal = false
    }
    self.isCausal = isCausal
    guard var hidden = reasons.first else {
      (tensor, kind) = (nil, .none)
      return
    }
    for other in reasons.dropFirst() { hidden = try call.apply(Maximum(), to: hidden, other) }
    let dropout = try call.layer.config.number("dropout", default: 0)
    if dropout > 0, call.layer.generation > 2 {
      (tensor, kind) = (try isHidden(hidden), .visible)
    } else {
      (tensor, kind) = (try call.apply(Multiply(constant: [Self.low]), to: hidden), .added)
    }
  }

  /// 1 for each key behind the position of the query; `nil` if the sizes vary or are large.
  static func later(
    _ query: KerasTensor?, _ key: KerasTensor?, _ call: KerasCall
  ) throws(KerasFault) -> Tensor? {
    guard let query, let key, query.tensor.lengths.maximum == nil,
      key.tensor.lengths.maximum == nil,
      let queries = query.sizes.first.flatMap(\.self), let keys = key.sizes.first.flatMap(\.self),
      queries > 0, keys <= maximumCount / queries
    else { return nil }
    let values = (0..<queries).flatMap { query in (0..<keys).map { Float($0 > query ? 1 : 0) } }
    return try call.apply(Constant(values, shape: Shape([queries, keys])), to: [])
  }
}
