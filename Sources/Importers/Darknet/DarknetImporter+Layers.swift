import Forge

/// The layers without weights.
extension DarknetImporter {
  func pooling(_ section: DarknetSection, isMaximum: Bool) throws(ImportError) -> Tensor {
    let stride = try positive(section, "stride", 1)
    let size = try positive(section, "size", stride)
    let strides = (
      x: try positive(section, "stride_x", stride), y: try positive(section, "stride_y", stride)
    )
    // The total of both sides, of which the smaller half is at the top and left.
    let padding = try section.int("padding", size - 1)
    let edges = Padding.explicit(
      top: padding / 2, left: padding / 2, bottom: padding - padding / 2,
      right: padding - padding / 2)
    let layer: any Layer =
      isMaximum
      ? MaxPooling(kernel: (size, size), stride: strides, padding: edges, name: section.name)
      : AveragePooling(kernel: (size, size), stride: strides, padding: edges, name: section.name)
    return current.chained(to: layer)
  }

  func route(_ section: DarknetSection) throws(ImportError) -> Tensor {
    guard let layers = try section.ints("layers"), !layers.isEmpty else {
      throw section.error(.invalidNode, "the option layers is missing")
    }
    let groups = try positive(section, "groups", 1)
    let group = try section.int("group_id", 0)
    var parts: [Tensor] = []
    for number in layers {
      let part = try result(number, for: section)
      let channels = try sizes(of: part, for: section).channels
      guard channels.isMultiple(of: groups), 0..<groups ~= group else {
        throw section.error(
          .invalidNode, "the groups do not divide the channels",
          received: "group \(group) of \(groups), \(channels) channels")
      }
      let count = channels / groups
      parts.append(part.channels(from: group * count, count: count))
    }
    return parts.count == 1 ? parts[0] : parts --> Concatenate(name: section.name)
  }

  func shortcut(_ section: DarknetSection) throws(ImportError) -> Tensor {
    guard let layers = try section.ints("from"), !layers.isEmpty else {
      throw section.error(.invalidNode, "the option from is missing")
    }
    let x = current
    let needed = try sizes(of: x, for: section)
    var operands = [x]
    for number in layers {
      var operand = try result(number, for: section)
      let (width, height, channels) = try sizes(of: operand, for: section)
      guard width == needed.width, height == needed.height else {
        throw .unsupported(
          [
            UnsupportedNode(
              type: "[shortcut]",
              detail: "\(width)×\(height) onto \(needed.width)×\(needed.height) pixels",
              name: section.name)
          ], path: section.path)
      }
      // Only the channels that both have are added.
      if channels > needed.channels {
        operand = operand.channels(from: 0, count: needed.channels)
      } else if channels < needed.channels {
        let missing = needed.channels - channels
        operand = operand.paddedChannels(missing)
      }
      operands.append(operand)
    }
    let sum = operands --> Add(name: section.name)
    let function = activation(section)
    return function == .linear ? sum : sum --> Activation(function)
  }

  /// `[sam]` and `[scale_channels]`: the product of an earlier layer and this one's input.
  func scaling(_ section: DarknetSection) throws(ImportError) -> Tensor {
    guard section.has("from") else {
      throw section.error(.invalidNode, "the option from is missing")
    }
    let other = try result(try section.int("from", 0), for: section)
    let product = [other, current] --> Multiply(name: section.name)
    let function = activation(section)
    return function == .linear ? product : product --> Activation(function)
  }

  func upsample(_ section: DarknetSection) throws(ImportError) -> Tensor {
    let stride = try positive(section, "stride", 2)
    let scale = try section.float("scale", 1)
    let result = current --> UpSampling(size: (stride, stride), name: section.name)
    return scale == 1 ? result : result --> Scale(scale)
  }

  func reorganization(_ section: DarknetSection) throws(ImportError) -> Tensor {
    let stride = try positive(section, "stride", 1)
    let x = current
    let (width, height, channels) = try sizes(of: x, for: section)
    let area = stride.multipliedSaturated(by: stride)
    guard width.isMultiple(of: stride), height.isMultiple(of: stride),
      channels.isMultiple(of: area)
    else {
      throw .unsupported(
        [
          UnsupportedNode(
            type: "[reorg]",
            detail: "stride \(stride) for \(width)×\(height)×\(channels) (width×height×channels)",
            name: section.name)
        ], path: section.path)
    }
    return x --> SpaceToDepth(block: stride, order: .darknet, name: section.name)
  }

  func softmax(_ section: DarknetSection) throws(ImportError) -> Tensor {
    var x = current
    let (width, height, channels) = try sizes(of: x, for: section)
    let groups = try positive(section, "groups", 1)
    let temperature = try section.float("temperature", 1)
    guard temperature > 0, (1 / temperature).isFinite else {
      throw section.error(
        .invalidNode, "the temperature must be positive", received: "\(temperature)")
    }
    if temperature != 1 { x = x --> Scale(1 / temperature) }
    if try section.int("spatial", 0) != 0 { return x --> Softmax(name: section.name) }
    guard groups > 1 || width > 1 || height > 1 else { return x --> Softmax(name: section.name) }
    let count = channels * height * width
    guard count.isMultiple(of: groups) else {
      throw section.error(
        .invalidNode, "the groups do not divide the values",
        received: "\(groups) groups, \(count) values")
    }
    // Groups are runs of channels-first memory.
    return x --> Permute(order: [2, 0, 1]) --> Reshape(to: [1, groups, count / groups])
      --> Softmax() --> Reshape(to: [channels, height, width])
      --> Permute(order: [1, 2, 0], name: section.name)
  }

  func detection(
    _ section: DarknetSection
  ) throws(ImportError) -> (output: Tensor, detection: DarknetDetection) {
    let classes = try section.int("classes", 20)
    let isRegion = section.type == "region"
    let count = try section.int("num", 1)
    guard 0...ConvolutionGeometry.maximumArgument ~= classes, 1...4096 ~= count else {
      throw section.error(
        .invalidNode, "the number of classes or anchors is out of range",
        received: "classes=\(classes), num=\(count)")
    }
    let numbers = try section.floats("anchors") ?? []
    // Darknet's own default is half a cell or pixel.
    let all = (0..<count).map { index in
      2 * index + 1 < numbers.count
        ? DarknetDetection.Anchor(width: numbers[2 * index], height: numbers[2 * index + 1])
        : DarknetDetection.Anchor(width: 0.5, height: 0.5)
    }
    let given = isRegion ? nil : try section.ints("mask")
    let mask = given ?? Array(0..<count)
    guard mask.allSatisfy(all.indices.contains) else {
      throw section.error(
        .invalidNode, "the mask names an anchor that does not exist", received: "\(mask)",
        needs: "numbers from 0 to \(count - 1)")
    }
    let usesSoftmax = try section.int("softmax", 0) != 0
    let usesNewCoordinates = try section.int("new_coords", 0) != 0
    let point = DarknetDetection.Point(rawValue: section.string("yolo_point", "center"))
    let kind = DarknetDetection.Kind(rawValue: section.type) ?? .yolo
    let detection = DarknetDetection(
      output: section.name, kind: kind, anchors: mask.map { all[$0] }, mask: mask,
      classes: classes, scaleXY: isRegion ? 1 : try section.float("scale_x_y", 1),
      usesSoftmax: isRegion && usesSoftmax,
      usesNewCoordinates: kind == .yolo && usesNewCoordinates,
      point: kind == .gaussianYOLO ? point ?? .center : .center, inputSize: inputSize)
    let needed = mask.count * detection.valuesPerAnchor
    let channels = try sizes(of: current, for: section).channels
    guard channels == needed else {
      throw section.error(
        .invalidNode, "the channels are not those of the boxes", received: "\(channels) channels",
        needs: "\(needed): \(mask.count) anchors of \(detection.valuesPerAnchor) values")
    }
    return (named(current, section.name), detection)
  }
}

extension Tensor {
  /// Consecutive channels of an image of known size.
  fileprivate func channels(from start: Int, count: Int) -> Tensor {
    guard let sizes = shape?.sizes, sizes.count == 3, count != sizes[2] else { return self }
    return self --> Slice(starts: [start], ends: [start + count], axes: [2])
  }

  /// The image with channels of zeros behind its own.
  fileprivate func paddedChannels(_ count: Int) -> Tensor {
    self --> Pad(before: [0, 0, 0], after: [0, 0, count])
  }
}
