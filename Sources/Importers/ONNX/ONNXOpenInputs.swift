import Forge

extension OpenInput {
  /// An input of a graph.
  init(_ info: ONNXValueInfo, _ shape: [ONNXDimension]?, fileBatch: Int? = nil) {
    self.init(
      name: info.name, sizes: Self.sizes(shape, fileBatch: fileBatch),
      names: (shape ?? []).map(\.name))
  }

  /// The sizes that the file states, an open batch as 1, `nil` for those that are open; `nil` if it
  /// states none.
  static func sizes(_ shape: [ONNXDimension]?, fileBatch: Int?) -> [Int?]? {
    let isBatch = hasBatch(shape, fileBatch: fileBatch)
    return shape.map { dimensions in
      dimensions.enumerated().map { index, dimension in
        if index == 0, isBatch { return 1 }
        return dimension.size.flatMap { $0 > 0 ? $0 : nil }
      }
    }
  }

  /// Whether the first of several axes counts examples: it has no size, or that of the file's
  /// batch.
  static func hasBatch(_ shape: [ONNXDimension]?, fileBatch: Int?) -> Bool {
    guard let shape, shape.count > 1 else { return false }
    return fileBatch != nil || (shape[0].size ?? 0) <= 0
  }

  /// The inputs of a graph that are neither bound nor stated.
  static func all(of graph: ONNXGraph, _ options: ImportOptions) -> [OpenInput] {
    let known = Set(graph.initializers.map(\.name)).union(options.constants.keys)
    return graph.inputs.compactMap { info in
      guard !known.contains(info.name), options.sizes[info.name] == nil,
        case .tensor(_, let shape)? = info.type
      else { return nil }
      return OpenInput(info, shape)
    }
  }
}
