import Forge

extension ONNXOperators {
  /// The embeddings of BERT, of ONNX Runtime's domain.
  static let microsoftEmbeddings: [ONNXOperator] = [
    ONNXOperator(
      "EmbedLayerNormalization", domain: microsoft, import: embed, fold: .none, bounds: nil,
      length: .followed, sizes: .none,
      examples: .apart { node in
        let first = ONNXOpenAxis(axis: 0)
        guard node.place(0) == first else { throw ONNXOpenNode.Mixes() }
        for index in node.call.inputs.indices.dropFirst() where node.call.has(index) {
          switch index {
          case 1, 7: guard node.place(index) == first else { throw ONNXOpenNode.Mixes() }
          case 8:
            guard try node.place(8) == first || (node.place(8) == nil && node.sizes(8)[0] == 1)
            else { throw ONNXOpenNode.Mixes() }
          default: guard node.place(index) == nil else { throw ONNXOpenNode.Mixes() }
          }
        }
        return node.all(first)
      })
  ]

  private static func embed(_ call: inout ONNXCall) throws {
    let ids = try call.value(0)
    guard ids.sizes.count == 2 else { throw NodeFailure.invalid("ids of \(ids.sizes)") }
    let name = call.layerName
    func rows(
      _ call: inout ONNXCall, _ table: Int, _ ids: FileValue, _ what: String
    ) throws
      -> FileValue
    {
      try call.part(
        "Gather", [try call.value(table), ids], ["axis": .int(0)], name: "\(name)/\(what)")
    }
    var sum = try rows(&call, 2, ids, "words")
    let places =
      if let stated = call.optional(8) {
        try rows(&call, 3, stated, "positions")
      } else {
        try firstRows(&call, 3, like: ids)
      }
    sum = try call.part("Add", [sum, places], name: "\(name)/positions/Add")
    if let segments = call.optional(1) {
      let segmentRows = try rows(&call, 4, segments, "segments")
      sum = try call.part("Add", [sum, segmentRows], name: "\(name)/segments/Add")
    }
    guard sum.sizes.prefix(2) == ids.sizes.prefix(2) else {
      throw NodeFailure.invalid("embeddings of \(sum.sizes) for ids of \(ids.sizes)")
    }
    call.set(
      try call.part(
        "LayerNormalization", [sum, try call.value(5), try call.value(6)],
        ["epsilon": .float(call.node.float("epsilon", 1e-12))], name: call.outputName))
    call.set(sum, output: 2)
    if call.node.has(output: 1) { call.set(try counts(&call, ids), output: 1) }
  }

  /// The first rows of a table, one for each position of a sequence.
  private static func firstRows(
    _ call: inout ONNXCall, _ index: Int, like ids: FileValue
  ) throws -> FileValue {
    let table = try call.value(index)
    let (count, length) = (ids.sizes[1], try ids.lengthSizes()[1])
    guard table.sizes.count == 2, table.sizes[0] >= count else {
      throw NodeFailure.invalid("\(count) positions of a table of \(table.sizes)")
    }
    guard length.constant == nil, let maximum = ids.maximumLength else {
      return try call.part(
        "Slice", [table, .integers([0]), .integers([count]), .integers([0])])
    }
    let all = try call.followed(index, maximum: maximum)
    return .network(
      try ONNXLengths.cut(
        all, [ONNXLengths.Cut(axis: 0, start: LengthSize(0), end: length)], maximum))
  }

  /// How many numbers of each row of the mask are 1; zeros without a mask.
  private static func counts(_ call: inout ONNXCall, _ ids: FileValue) throws -> FileValue {
    let mask = call.optional(7)
    guard mask.map({ $0.sizes == ids.sizes }) ?? true else {
      throw NodeFailure.invalid("a mask of \(mask?.sizes ?? []) for ids of \(ids.sizes)")
    }
    let tensor = try call.network(mask == nil ? 0 : 7)
    // The zeros are computed from the ids, so that each example has its own.
    let ones =
      mask == nil
      ? try call.apply(Scale(0), to: tensor.tensor)
      : try call.apply(Compare(.equal, than: [1]), to: tensor.tensor)
    let rows = FileTensor(ones, sizes: tensor.sizes, layout: tensor.layout)
    var sum = try reduced(&call, rows, .sum, axes: [1], keepsDimensions: false)
    sum.type = .int32
    return .network(sum)
  }
}
