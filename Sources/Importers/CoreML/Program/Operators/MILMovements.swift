import Forge

extension MILOperators {
  /// Operations that move, repeat or leave out elements.
  static let movements: [String: Operation] = [
    "reshape": { call in
      call.set(try call.node("Reshape", [try call.value(), try call.value("shape")]))
    },
    "transpose": { call in
      let rank = try call.value().sizes.count
      let order = try (try call.ints("perm") ?? []).map { try ONNXCall.axis($0, rank: rank) }
      try call.map("Transpose", ["perm": .ints(order)])
    },
    "expand_dims": { try $0.map("Unsqueeze", ["axes": .ints(try $0.ints("axes") ?? [])]) },
    "squeeze": { call in
      try call.map("Squeeze", try call.ints("axes").map { ["axes": .ints($0)] } ?? [:])
    },
    "flatten2d": { try $0.map("Flatten", ["axis": .int(try $0.int("axis", 1))]) },
    "concat": { call in
      var values = try call.values()
      // Numbers without axes, such as sizes, become a vector.
      if values.allSatisfy({ $0.sizes.isEmpty }) {
        values = try values.map { try call.node("Unsqueeze", [$0], ["axes": .ints([0])]) }
      }
      let rank = values.first?.sizes.count ?? 0
      let axis = try ONNXCall.axis(try call.int("axis"), rank: rank)
      guard try call.bool("interleave", false), values.count > 1 else {
        call.set(try call.node("Concat", values, ["axis": .int(axis)]))
        return
      }
      // One element of each in turn.
      guard let first = values.first, values.allSatisfy({ $0.sizes == first.sizes }) else {
        throw NodeFailure.unsupported("interleaved tensors of several sizes")
      }
      let stacked = try call.stack(values, axis: axis + 1)
      var sizes = first.sizes
      sizes[axis] = sizes[axis].multipliedSaturated(by: values.count)
      call.set(try call.node("Reshape", [stacked, .integers(sizes)]))
    },
    "stack": { call in
      let values = try call.values()
      let rank = (values.first?.sizes.count ?? 0) + 1
      let axis = try ONNXCall.axis(try call.int("axis"), rank: rank)
      call.set(try call.stack(values, axis: axis))
    },
    "split": { call in
      let input = try call.value()
      let axis = try ONNXCall.axis(try call.int("axis"), rank: input.sizes.count)
      let count = call.operation.outputs.count
      var attributes: [String: NodeAttribute] = ["axis": .int(axis)]
      if let sizes = try call.ints("split_sizes") {
        guard sizes.count == count else {
          throw NodeFailure.invalid("\(count) outputs of parts \(sizes)")
        }
        attributes["split"] = .ints(sizes)
      } else {
        let stated = try call.int("num_splits")
        guard stated == count, stated > 0, input.sizes[axis].isMultiple(of: stated) else {
          throw NodeFailure.invalid("\(stated) parts of \(input.sizes[axis])")
        }
      }
      let parts = try call.nodes("Split", [input], attributes, outputs: count)
      for (index, part) in parts.enumerated() { call.set(part, output: index) }
    },
    "slice_by_index": slice,
    "slice_by_size": { call in
      let input = try call.value()
      guard let begin = try call.ints("begin"), let size = try call.ints("size"),
        begin.count == input.sizes.count, size.count == begin.count
      else { throw NodeFailure.invalid("begin and size of a tensor \(input.sizes)") }
      let starts = zip(begin, input.sizes).map { $0 < 0 ? $0.addingSaturated($1) : $0 }
      let ends = zip(starts, size).map { $1 == -1 ? Int.max : $0.addingSaturated($1) }
      for (axis, end) in ends.enumerated() {
        let isInside = end == .max || end <= input.sizes[axis]
        guard starts[axis] >= 0, size[axis] >= -1, isInside else {
          throw NodeFailure.invalid("begin \(begin) and size \(size) of a tensor \(input.sizes)")
        }
      }
      try call.map("Slice", ["starts": .ints(starts), "ends": .ints(ends)])
    },
    "reverse": { call in
      let input = try call.value()
      let axes = try call.ints("axes") ?? Array(input.sizes.indices)
      call.set(try call.reversed(input, axes: axes))
    },
    "crop": { call in
      let input = try call.value()
      guard let rows = try call.ints("crop_height"), let columns = try call.ints("crop_width"),
        rows.count == 2, columns.count == 2, (rows + columns).allSatisfy({ (0...(1 << 30)) ~= $0 }),
        input.sizes.count >= 2
      else { throw NodeFailure.invalid("the crop of a tensor \(input.sizes)") }
      let sizes = input.sizes.suffix(2)
      let ends = zip(sizes, [rows[1], columns[1]]).map { max($0 - $1, 0) }
      try call.map(
        "Slice",
        [
          "axes": .ints([-2, -1]), "starts": .ints([rows[0], columns[0]]), "ends": .ints(ends),
        ])
    },
    "pad": pad,
    "tile": { call in
      call.set(try call.node("Tile", [try call.value(), try call.value("reps")]))
    },
    "depth_to_space": { try $0.map("DepthToSpace", ["blocksize": .int(try $0.int("block_size"))]) },
    "space_to_depth": { try $0.map("SpaceToDepth", ["blocksize": .int(try $0.int("block_size"))]) },
    "pixel_shuffle": { call in
      let factor = try call.int("upscale_factor")
      try call.map("DepthToSpace", ["blocksize": .int(factor), "mode": .string("CRD")])
    },
    "pixel_unshuffle": { call in
      let factor = try call.int("downscale_factor")
      try call.map("SpaceToDepth", ["blocksize": .int(factor), "mode": .string("CRD")])
    },
  ]

  /// A slice as in Python; masks say where a begin or an end is left out, and which axes go.
  private static func slice(_ call: inout MILCall) throws {
    guard let starts = try call.ints("begin"), let ends = try call.ints("end") else {
      throw NodeFailure.invalid("no begin or end")
    }
    func mask(_ key: String) throws -> [Bool] { try call.ints(key)?.map { $0 != 0 } ?? [] }
    call.set(
      try call.slice(
        try call.value(), starts: starts, ends: ends, steps: try call.ints("stride") ?? [],
        startMasks: try mask("begin_mask"), endMasks: try mask("end_mask"),
        squeezed: try mask("squeeze_mask")))
  }

  /// A padding of the last axes, stated axis by axis.
  private static func pad(_ call: inout MILCall) throws {
    let input = try call.value()
    guard let pads = try call.ints("pad"), pads.count.isMultiple(of: 2),
      pads.count <= 2 * input.sizes.count
    else { throw NodeFailure.invalid("the pads of a tensor \(input.sizes)") }
    let axes = (input.sizes.count - pads.count / 2)..<input.sizes.count
    let mode: String
    switch try call.text("mode", "constant") {
    case "constant": mode = "constant"
    case "reflect": mode = "reflect"
    case "replicate": mode = "edge"
    case let other: throw NodeFailure.unsupported("mode \"\(other)\"")
    }
    let value = mode == "constant" ? try call.optional("constant_val") : nil
    call.set(
      try call.node(
        "Pad", [input, nil, value, .integers(Array(axes))],
        ["pads": .ints(NodeAttribute.beforeThenAfter(pads)), "mode": .string(mode)]))
  }
}
