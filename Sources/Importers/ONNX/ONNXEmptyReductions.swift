import Forge

/// Reductions of tensors without elements, whose results are known while importing.
enum ONNXEmptyReductions {
  /// The fold to the result of a reduction of nothing; it leaves tensors with elements to others.
  static func fold(_ neutral: Float) -> ONNXFolding.Fold {
    { call, hosts in
      guard let host = hosts.first, host.count == 0 else { return false }
      let stated = try call.ints("axes", input: 1) ?? []
      guard !stated.isEmpty || call.node.int("noop_with_empty_axes") == 0 else { return false }
      let axes = try stated.map { try ONNXCall.axis($0, rank: host.sizes.count) }
      let isReduced = { (axis: Int) in axes.isEmpty || axes.contains(axis) }
      let keeps = call.node.int("keepdims", 1) != 0
      let sizes = host.sizes.indices.compactMap { axis in
        isReduced(axis) ? (keeps ? 1 : nil) : host.sizes[axis]
      }
      guard let count = Shape.product(of: sizes), count <= 1 << 24 else {
        throw NodeFailure.unsupported("a constant of \(sizes)")
      }
      let single = HostTensor(floats: [neutral], sizes: [])
      // Integers have no infinities: their smallest and largest number take the place.
      let value = try single.cast(to: host.type == .bool ? .uint8 : host.type)
      ONNXFolding.set(&call, try value.cast(to: host.type).expanded(to: sizes))
      return true
    }
  }
}
