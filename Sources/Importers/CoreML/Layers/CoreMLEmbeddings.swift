import Forge
import ForgeMessages

/// Vectors for ids.
enum CoreMLEmbeddings {
  /// The vectors replace the channels, of which there is one: [sequence, 1, 1, 1] in the first
  /// versions.
  static func embed(_ call: inout CoreMLCall, _ layer: CoreMLEmbedding) throws {
    try embed(
      &call, axis: -3, vocabulary: layer.vocabulary, channels: layer.channels, layer.weights,
      bias: layer.hasBias_p ? layer.bias : nil)
  }

  /// The vectors replace the last axis, which has size 1.
  static func embedLast(_ call: inout CoreMLCall, _ layer: CoreMLEmbeddingND) throws {
    try embed(
      &call, axis: -1, vocabulary: layer.vocabulary, channels: layer.channels, layer.weights,
      bias: layer.hasBias_p ? layer.bias : nil)
  }

  private static func embed(
    _ call: inout CoreMLCall, axis: Int64, vocabulary: UInt64, channels: UInt64,
    _ stored: CoreMLWeights, bias: CoreMLWeights?
  ) throws {
    let (vocabulary, channels) = (try CoreMLCall.size(vocabulary), try CoreMLCall.size(channels))
    let ids = try call.network()
    let axis = try CoreMLCall.axis(axis, rank: ids.rank)
    guard ids.sizes[axis...].allSatisfy({ $0 == 1 }) else {
      throw NodeFailure.invalid("ids of sizes \(ids.sizes)")
    }
    // The file has a column for each id.
    let weights = try stored.tensor([channels, vocabulary]).transposed([1, 0])
    call.parameter(.weights, weights)
    let front = Array(ids.sizes[..<axis])
    let list = ids.tensor(as: Array(0..<axis))
    var result = try call.apply(
      Embedding(vocabulary: vocabulary, channels: channels, name: call.name), to: list)
    if let bias {
      result = try call.apply(Scale(bias: try bias.tensor([channels]).floats()), to: result)
    }
    call.set(
      FileTensor(
        result, sizes: front + [channels] + ids.sizes[(axis + 1)...], layout: Array(0...axis)))
  }
}
