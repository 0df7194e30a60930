import Forge

/// Functions of `keras.ops` on images and sequences.
enum KerasWindows {
  static let functions: [KerasFunction] = [
    KerasFunction("max_pool", activation: .none) { _ throws(KerasFault) in pool(isMaximum: true) },
    KerasFunction("average_pool", activation: .none) { _ throws(KerasFault) in
      pool(isMaximum: false)
    },
    KerasFunction("resize", activation: .none, build: resize),
  ]

  private static func pool(isMaximum: Bool) -> KerasStep {
    .one { call throws(KerasFault) in
      let input = try call.only()
      guard let size = try call.integers(call.value("pool_size", at: 1)), !size.isEmpty else {
        throw .unsupported("no pool_size")
      }
      let step = try call.integers(call.value("strides", at: 2)) ?? size
      let isSame: Bool
      switch call.value("padding", at: 3)?.json?.text ?? "valid" {
      case "same": isSame = true
      case "valid": isSame = false
      case let other: throw .unsupported("padding \"\(other.prefix(20))\"")
      }
      let format = call.value("data_format", at: 4)?.json?.text
      guard format == nil || format == "channels_last" else {
        throw .unsupported("data_format \"\(format?.prefix(20) ?? "")\"")
      }
      let axes = input.rank - 1
      guard 1...2 ~= axes, [1, axes].contains(size.count), [1, axes].contains(step.count) else {
        throw .unsupported("\(input.rank) axes besides the batch")
      }
      let (kernel, stride) = (
        (0..<axes).map { size[min($0, size.count - 1)] },
        (0..<axes).map { step[min($0, step.count - 1)] }
      )
      let pooling = KerasPoolings.pool(
        isMaximum: isMaximum, kernel, by: stride, isSame: isSame, name: call.name)
      return try call.apply(pooling, to: input)
    }
  }

  /// `keras.ops.image.resize`, whose arguments are those of the layer `Resizing`.
  private static func resize(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    guard let size = try layer.config.integers("size"), size.count == 2 else {
      throw .unsupported("a size that is not among its arguments")
    }
    let step = try KerasSamplings.resizing(layer, height: size[0], width: size[1])
    return KerasStep { call throws(KerasFault) in
      _ = call.value(
        "size", "interpolation", "antialias", "crop_to_aspect_ratio", "pad_to_aspect_ratio",
        "fill_mode", "fill_value", "data_format")
      return try step.run(call)
    }
  }
}
