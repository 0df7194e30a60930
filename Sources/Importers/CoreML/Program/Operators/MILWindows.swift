import Forge

extension MILOperators {
  /// Convolutions and poolings.
  static let windows: [String: Operation] = [
    "conv": { call in
      let weights = try call.value("weight")
      guard weights.sizes.count >= 3 else {
        throw NodeFailure.invalid("weights \(weights.sizes)")
      }
      var attributes = try window(call, rank: weights.sizes.count - 2)
      attributes["group"] = .int(try call.int("groups", 1))
      call.set(
        try call.node("Conv", [try call.value(), weights, try call.optional("bias")], attributes))
    },
    "conv_transpose": transposedConvolve,
    "max_pool": { try pool(&$0, "MaxPool") },
    "avg_pool": { call in
      let excludes = try call.bool("exclude_padding_from_average", false)
      try pool(&call, "AveragePool", ["count_include_pad": .flag(!excludes)])
    },
    "l2_pool": { try pool(&$0, "LpPool", ["p": .int(2)]) },
  ]

  /// The strides, dilations and paddings of a window, as ONNX states them.
  private static func window(
    _ call: MILCall, rank: Int
  ) throws -> [String: NodeAttribute] {
    var attributes: [String: NodeAttribute] = [:]
    if let strides = try call.ints("strides") { attributes["strides"] = .ints(strides) }
    if let dilations = try call.ints("dilations") { attributes["dilations"] = .ints(dilations) }
    switch try call.text("pad_type", "valid") {
    case "valid": attributes["auto_pad"] = .string("VALID")
    case "same": attributes["auto_pad"] = .string("SAME_UPPER")
    case "same_lower": attributes["auto_pad"] = .string("SAME_LOWER")
    case "custom": attributes["pads"] = .ints(try pads(call, rank: rank))
    case let other: throw NodeFailure.unsupported("pad_type \"\(other)\"")
    }
    return attributes
  }

  /// The paddings in ONNX's order, 0 if none are stated.
  private static func pads(_ call: MILCall, rank: Int) throws -> [Int] {
    let pads = try call.ints("pad") ?? Array(repeating: 0, count: 2 * rank)
    guard pads.count == 2 * rank else {
      throw NodeFailure.invalid("\(pads.count) pads of \(rank) dimensions")
    }
    return NodeAttribute.beforeThenAfter(pads)
  }

  private static func pool(
    _ call: inout MILCall, _ type: String, _ further: [String: NodeAttribute] = [:]
  ) throws {
    guard let kernel = try call.ints("kernel_sizes") else {
      throw NodeFailure.invalid("no operand kernel_sizes")
    }
    var attributes = try window(call, rank: kernel.count)
    attributes["kernel_shape"] = .ints(kernel)
    attributes["ceil_mode"] = .flag(try call.bool("ceil_mode", false))
    attributes.merge(further) { $1 }
    try call.map(type, attributes)
  }

  private static func transposedConvolve(_ call: inout MILCall) throws {
    let (input, weights) = (try call.value(), try call.value("weight"))
    let rank = weights.sizes.count - 2
    guard rank >= 1, input.sizes.count == rank + 2 else {
      throw NodeFailure.invalid("weights \(weights.sizes) on \(input.sizes)")
    }
    var attributes = try window(call, rank: rank)
    attributes["group"] = .int(try call.int("groups", 1))
    let isSame = try call.text("pad_type", "valid").hasPrefix("same")
    if let shape = try call.ints("output_shape"), !isSame {
      // The paddings stay, and the stated sizes say how much is added at the ends.
      guard shape.count == rank + 2 else { throw NodeFailure.invalid("output_shape \(shape)") }
      var stated = [Int](repeating: 0, count: 2 * rank)
      if attributes["auto_pad"] == nil { stated = try pads(call, rank: rank) }
      let strides = try call.ints("strides") ?? Array(repeating: 1, count: rank)
      let dilations = try call.ints("dilations") ?? Array(repeating: 1, count: rank)
      guard strides.count == rank, dilations.count == rank else {
        throw NodeFailure.invalid("strides \(strides) and dilations \(dilations)")
      }
      var added = [Int](repeating: 0, count: rank)
      for axis in 0..<rank {
        let size = input.sizes[axis + 2] - 1
        let reach = (weights.sizes[axis + 2] - 1).multipliedSaturated(by: dilations[axis])
        let full = size.multipliedSaturated(by: strides[axis]).addingSaturated(reach)
          .addingSaturated(1)
        let limit = 1 << 30
        guard (1...limit).contains(full), (1...limit).contains(shape[axis + 2]),
          (0...limit).contains(stated[axis]), (0...limit).contains(stated[axis + rank])
        else { throw NodeFailure.invalid("output_shape \(shape)") }
        let remaining = full - stated[axis] - stated[axis + rank]
        if shape[axis + 2] >= remaining {
          added[axis] = shape[axis + 2] - remaining
        } else {
          stated[axis + rank] += remaining - shape[axis + 2]
        }
      }
      attributes["auto_pad"] = nil
      attributes["pads"] = .ints(stated)
      attributes["output_padding"] = .ints(added)
    }
    call.set(
      try call.node("ConvTranspose", [input, weights, try call.optional("bias")], attributes))
  }
}
