import ForgeOperations
import ForgeShapes

/// The keys and values of a stream that attention keeps from one prediction to the next.
struct KeyValueCache {
  /// The states of the layer.
  private let keys, values: Lowering.Value
  /// The number of positions before the present prediction.
  let position: Lowering.Value
  /// The most positions of a stream.
  let length: Int

  /// Declares the states `keys`, `values` and `position` of a layer, for this many channels.
  init(
    length: Int, keyChannels: Int, valueChannels: Int, in lowering: inout Lowering
  ) throws(ShapeError) {
    keys = try lowering.state(
      "keys", shape: Shape(sizes: [length, keyChannels]), isAppendedTo: true)
    values = try lowering.state(
      "values", shape: Shape(sizes: [length, valueChannels]), isAppendedTo: true)
    position = try lowering.state("position", shape: Shape(sizes: [1]))
    self.length = length
  }

  /// Checks the arguments that a cache needs.
  static func validate(_ length: Int, _ rule: AttentionRule) throws(ShapeError) {
    try ArgumentRule.positive(length, "cacheLength")
    guard rule.causalOffset == 0 else { throw .cacheNeedsCausal() }
  }

  /// Appends the keys and values of new positions, and returns what their queries see.
  ///
  /// All three are images of one row, [1][positions][channels]. A mask has a place for each
  /// position of the cache.
  func attention(
    _ rule: AttentionRule, queries: Lowering.Value, keys newKeys: Lowering.Value,
    values newValues: Lowering.Value, masks: [Lowering.Value], in lowering: inout Lowering
  ) throws(ShapeError) -> Lowering.Value {
    let allKeys = try lowering.apply(.appendRows, to: [keys, newKeys, position])
    try lowering.setState(keys, to: allKeys)
    let allValues = try lowering.apply(.appendRows, to: [values, newValues, position])
    try lowering.setState(values, to: allValues)
    let means = try lowering.apply(
      .attention(rule.withPosition), to: [queries, allKeys, allValues] + masks + [position])
    try lowering.setState(position, to: try lowering.apply(.advance, to: [position, newKeys]))
    return means
  }
}

/// The position of a part of a stream, and the most positions of the stream.
struct StreamPosition {
  /// The number of positions before the part.
  let value: Lowering.Value
  /// The most positions of the stream.
  let limit: Int
}
