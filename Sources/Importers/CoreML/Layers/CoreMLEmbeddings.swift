import Forge

extension CoreMLLayerType {
  /// Vectors for ids, with fields of `EmbeddingLayerParams` and `EmbeddingNDLayerParams`.
  static let embeddings: [CoreMLLayerType] = [
    // The vectors replace the channels, of which there is one: [sequence, 1, 1, 1] in the first
    // versions.
    CoreMLLayerType("embedding", field: 150) { try embed(&$0, axis: -3, hasBias: 10) },
    // The vectors replace the last axis, which has size 1.
    CoreMLLayerType("embeddingND", field: 1040) { try embed(&$0, axis: -1, hasBias: 3) },
  ]

  private static func embed(_ call: inout CoreMLCall, axis: Int, hasBias: Int) throws {
    let (vocabularyField, channelsField, weights, bias) = (1, 2, 20, 21)
    let vocabulary = try call.size(vocabularyField)
    let channels = try call.size(channelsField)
    let ids = try call.value()
    let axis = try ONNXCall.axis(axis, rank: ids.sizes.count)
    let (front, back) = (Array(ids.sizes[..<axis]), Array(ids.sizes[(axis + 1)...]))
    guard ids.sizes[axis...].allSatisfy({ $0 == 1 }) else {
      throw NodeFailure.invalid("ids of sizes \(ids.sizes)")
    }
    // The file has a column for each id.
    let columns = try call.weights(weights).tensor([channels, vocabulary])
    var result = try call.node("Gather", [try ids.reshaped(to: front)]) { node in
      let places = try node.network(0)
      let (name, layout) = (node.layerName, FileTensor.fileLayout(front))
      node.parameter(.weights, of: name, columns, layout: .axes([.outputs, .inputs]))
      let vectors = try node.apply(
        Embedding(vocabulary: vocabulary, channels: channels, name: name),
        to: places.tensor(as: layout))
      node.set(FileTensor(vectors, sizes: front + [channels], layout: layout + [front.count]))
    }
    if try call.fields.bool(hasBias) {
      result = try call.node(
        "Add", [result, .host(try call.weights(bias).tensor([channels]))])
    }
    call.set(try result.reshaped(to: front + [channels] + back))
  }
}
