import Forge

/// Operations that rearrange or join tensors; their axes and sizes include the batch.
enum KerasShapeOperations {
  static let functions: [KerasFunction] = [
    KerasFunction("reshape", activation: .none, build: reshape),
    KerasFunction("transpose", activation: .none, build: transpose),
    KerasFunction("concatenate", "concat", activation: .none, build: concatenate),
    KerasFunction("expand_dims", activation: .none, build: expandDims),
    KerasFunction("squeeze", activation: .none, build: squeeze),
    KerasFunction("flatten", activation: .none, build: flatten),
    blocks("depth_to_space") { DepthToSpace(block: $0, name: $1) },
    blocks("space_to_depth") { SpaceToDepth(block: $0, name: $1) },
  ]

  private static func reshape(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    .one { call throws(KerasFault) in
      guard let sizes = try call.integers(call.value("newshape", "shape", at: 1)),
        sizes.count >= 2, sizes[0] == -1 || sizes[0] == 1
      else { throw .unsupported("sizes that do not begin with the batch") }
      let exampleSizes = Array(sizes.dropFirst())
      guard sizes[0] == 1 || !exampleSizes.contains(-1) else {
        throw .unsupported("two sizes of -1")
      }
      return try KerasRearrangements.reshape(to: exampleSizes).only(call)
    }
  }

  private static func flatten(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    KerasRearrangements.flatten
  }

  private static func transpose(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    .one { call throws(KerasFault) in
      guard let axes = try call.integers(call.value("axes", "perm", at: 1)), axes.first == 0 else {
        throw .unsupported("an order that moves the batch")
      }
      let rank = axes.count
      let dims = axes.dropFirst().map { $0 < 0 ? $0 + rank : $0 }
      return try KerasRearrangements.permute(dims: dims).only(call)
    }
  }

  private static func concatenate(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    .one { call throws(KerasFault) in
      let axis = try call.integer(call.value("axis", at: 1), default: -1)
      return try KerasMerges.concatenation(axis: axis).only(call)
    }
  }

  private static func expandDims(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    .one { call throws(KerasFault) in
      let input = try call.only()
      var sizes = try input.knownSizes("known sizes for expand_dims")
      guard let axes = try call.integers(call.value("axis", at: 1)), axes.count == 1 else {
        throw .unsupported("several axes")
      }
      let axis = axes[0] < 0 ? axes[0] + sizes.count + 1 : axes[0] - 1
      guard 0...sizes.count ~= axis else { throw .unsupported("axis \(axes[0])") }
      sizes.insert(1, at: axis)
      return try KerasRearrangements.relabel(to: sizes).only(call)
    }
  }

  private static func squeeze(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    .one { call throws(KerasFault) in
      let input = try call.only()
      let sizes = try input.knownSizes("known sizes for squeeze")
      let axes = try call.integers(call.value("axis", at: 1))
      var dropped: Set<Int> = []
      for axis in axes ?? [] {
        let exampleAxis = axis < 0 ? axis + sizes.count : axis - 1
        guard sizes.indices.contains(exampleAxis), sizes[exampleAxis] == 1 else {
          throw .unsupported("axis \(axis)")
        }
        dropped.insert(exampleAxis)
      }
      let rest = sizes.indices.filter { axes == nil ? sizes[$0] != 1 : !dropped.contains($0) }
      guard !rest.isEmpty else { throw .unsupported("a result without axes besides the batch") }
      return try KerasRearrangements.relabel(to: rest.map { sizes[$0] }).only(call)
    }
  }

  /// Blocks of pixels that become channels, or channels that become blocks.
  private static func blocks(
    _ name: String, _ layer: @escaping @Sendable (_ block: Int, _ name: String) -> any Layer
  ) -> KerasFunction {
    KerasFunction(name, activation: .none) { _ throws(KerasFault) in
      .one { call throws(KerasFault) in
        let format = call.value("data_format", at: 2)?.json?.text
        guard format == nil || format == "channels_last" || format == "NHWC" else {
          throw .unsupported("data_format \"\(format?.prefix(20) ?? "")\"")
        }
        let block = try call.integer(call.value("block_size", at: 1), default: 0)
        return try call.apply(layer(block, call.name), to: try call.only(rank: 3))
      }
    }
  }
}
