import Forge

extension ONNXOperators {
  /// Operators on images whose channels ONNX Runtime has put in blocks.
  ///
  /// Here such an image has its channels in order, as many as fill its blocks; only the stored
  /// weights have to be put back in order.
  static let microsoftBlocked: [ONNXOperator] = [
    blocked("ReorderInput") { call in
      var image = try call.value(0)
      if call.node.int("channels_last") != 0 {
        image = try call.part("Transpose", [image], ["perm": .ints([0, 3, 1, 2])])
      }
      guard image.sizes.count == 4 else { throw NodeFailure.invalid("an image of \(image.sizes)") }
      let missing =
        ONNXChannelBlocks.rounded(image.sizes[1], try block(call)) - image.sizes[1]
      guard missing > 0 else { return image }
      return try call.part("Pad", [image, .integers([0, 0, 0, 0, 0, missing, 0, 0])])
    },
    blocked("ReorderOutput") { call in
      var image = try call.value(0)
      let channels = call.node.int("channels")
      guard image.sizes.count == 4, (1...image.sizes[1]).contains(channels) else {
        throw NodeFailure.invalid("\(channels) channels of \(image.sizes)")
      }
      if channels < image.sizes[1] {
        image = try call.part(
          "Slice", [image, .integers([0]), .integers([channels]), .integers([1])])
      }
      guard call.node.int("channels_last") != 0 else { return image }
      return try call.part("Transpose", [image], ["perm": .ints([0, 2, 3, 1])])
    },
    ONNXOperator(
      "Conv", domain: ONNXChannelBlocks.domain,
      import: { call in
        let weights = FileValue.host(try weights(call))
        let sum = try call.result(as: "Conv", [try call.value(0), weights, call.optional(2)])
        call.set(try addedAndActivated(&call, sum))
      },
      fold: .none, bounds: nil, length: .refused, sizes: .none, examples: .apart(imagesAndSum)),
    pooling("MaxPool"), pooling("AveragePool"), pooling("GlobalAveragePool"),
    pooling("GlobalMaxPool"),
    blocked("Upsample") { call in
      guard let scales = call.node.ints("scales"), scales.count == 4, scales.prefix(2) == [1, 1],
        scales.allSatisfy({ (1...(1 << 20)).contains($0) })
      else { throw NodeFailure.invalid("scales \(call.node.ints("scales") ?? [])") }
      let values = HostTensor(floats: scales.map { Float($0) }, sizes: [4])
      let isNearest = call.node.string("mode", "nearest") == "nearest"
      let coordinates = call.node.string("coordinate_transformation_mode", "asymmetric")
      return try call.part(
        "Resize", [try call.value(0), nil, .host(values)],
        [
          "mode": .string(isNearest ? "nearest" : "linear"), "nearest_mode": .string("floor"),
          "coordinate_transformation_mode": .string(isNearest ? "asymmetric" : coordinates),
        ])
    },
  ]

  /// An operator on images with one result.
  private static func blocked(
    _ type: String, _ result: @escaping @Sendable (inout ONNXCall) throws -> FileValue
  ) -> ONNXOperator {
    ONNXOperator(
      type, domain: ONNXChannelBlocks.domain, import: { call in call.set(try result(&call)) },
      fold: .none, bounds: nil, length: .refused, sizes: .none, examples: .apart(imagesAndSum))
  }

  /// A pooling as ONNX's own.
  private static func pooling(_ type: String) -> ONNXOperator {
    blocked(type) { call in try call.result(as: type, [try call.value(0)]) }
  }

  private static func block(_ call: ONNXCall) throws -> Int {
    guard let size = call.channelBlock else {
      throw NodeFailure.unsupported(
        "channels in blocks of 8 or 16, which the file does not state: save it at level extended")
    }
    return size
  }

  /// The weights of a convolution in ONNX's order: [outputs, inputs, height, width].
  ///
  /// They lie as [outputs / block][inputs / block][height][width][input][output], or without blocks
  /// of inputs, where each group or the image has fewer channels than a block.
  private static func weights(_ call: ONNXCall) throws -> HostTensor {
    let block = try block(call)
    guard let stored = call.host(1) else {
      throw NodeFailure.unsupported("weights computed at run time")
    }
    let sizes = stored.sizes
    guard sizes.count == 4, sizes.allSatisfy({ $0 > 0 }), sizes[0].isMultiple(of: block) else {
      throw NodeFailure.invalid("weights of \(sizes) in blocks of \(block)")
    }
    let hasInputBlocks = sizes[1].isMultiple(of: block)
    guard hasInputBlocks || sizes[1] < block else {
      throw NodeFailure.invalid("weights of \(sizes) in blocks of \(block)")
    }
    let inputs = hasInputBlocks ? block : 1
    return
      try stored
      .reshaped([sizes[0] / block, sizes[1] / inputs, sizes[2], sizes[3], inputs, block])
      .transposed([0, 5, 1, 4, 2, 3]).reshaped(sizes)
  }
}
