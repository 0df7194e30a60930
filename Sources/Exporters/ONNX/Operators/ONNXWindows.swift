import Forge
import ForgeOperations
import ForgeShapes

/// Poolings, and images whose pixels and channels change places.
extension ONNXGraphWriter {
  mutating func pooling(
    _ call: ONNXOperation, _ kind: PoolingKind, _ geometry: ConvolutionGeometry
  ) throws(ExportRefusal) {
    let pads = pads(geometry, from: call.inputs[0], to: call.output)
    let kernel = [geometry.kernel.height, geometry.kernel.width]
    guard zip(pads, kernel + kernel).allSatisfy({ $0 < $1 }) else {
      throw ExportRefusal(
        what: "a pooling whose padding is as large as its kernel",
        remedy: "put a padding layer before it")
    }
    var attributes: [(String, ONNXNodeRecord.Attribute)] = [
      ("kernel_shape", .ints(kernel)),
      ("strides", .ints([geometry.stride.height, geometry.stride.width])),
      ("pads", .ints(pads)),
    ]
    if geometry.dilation != .one {
      attributes.append(
        ("dilations", .ints([geometry.dilation.height, geometry.dilation.width])))
    }
    if kind != .maximum {
      attributes.append(("count_include_pad", .int(kind == .averageAll ? 1 : 0)))
    }
    let input = try name(of: call.inputs[0], in: .channelsFirst)
    let result = add(
      kind == .maximum ? "MaxPool" : "AveragePool", [input], outputs: 1,
      named: name(for: call.output), attributes)[0]
    set(call.output, .channelsFirst, result, isBatched: try isBatched(call.inputs))
  }

  mutating func globalPooling(
    _ call: ONNXOperation, _ kind: PoolingKind
  ) throws(ExportRefusal) {
    let input = try name(of: call.inputs[0], in: .channelsFirst)
    let result = add(
      kind == .maximum ? "GlobalMaxPool" : "GlobalAveragePool", [input],
      named: name(for: call.output))
    set(call.output, .channelsFirst, result, isBatched: try isBatched(call.inputs))
  }

  mutating func poolingND(
    _ call: ONNXOperation, _ window: PoolingWindow
  ) throws(ExportRefusal) {
    let rank = window.kernel.count
    guard rank <= 3 else { throw ExportRefusal(what: "a pooling over \(rank) axes") }
    let input = add(
      "Transpose", [try name(of: call.inputs[0], in: .plain)],
      ("perm", .ints([0, rank + 1] + Array(1...rank))))
    var attributes: [(String, ONNXNodeRecord.Attribute)] = [
      ("kernel_shape", .ints(window.kernel)), ("strides", .ints(window.strides)),
      ("pads", .ints(window.before + window.after)),
      ("ceil_mode", .int(window.rounding == .ceiling ? 1 : 0)),
    ]
    if window.dilations.contains(where: { $0 != 1 }) {
      attributes.append(("dilations", .ints(window.dilations)))
    }
    let pooled: String
    switch window.kind {
    case .maximum: pooled = add("MaxPool", [input], outputs: 1, named: nil, attributes)[0]
    case .maximumPlace:
      let places = add("MaxPool", [input], outputs: 2, named: nil, attributes)[1]
      // ONNX counts over examples and channels, too.
      let area = sizes(call.inputs[0]).dropLast().reduce(1, *)
      let placesInChannel = add("Mod", [places, integer(area)])
      pooled = add("Cast", [placesInChannel], ("to", .int(1)))
    case .averageInside, .averageAll:
      attributes.append(("count_include_pad", .int(window.kind == .averageAll ? 1 : 0)))
      pooled = add("AveragePool", [input], outputs: 1, named: nil, attributes)[0]
    case .lp(let p):
      attributes.append(("p", .int(p)))
      pooled = add("LpPool", [input], outputs: 1, named: nil, attributes)[0]
    }
    let result = add(
      "Transpose", [pooled], named: name(for: call.output),
      ("perm", .ints([0] + Array(2...rank + 1) + [1])))
    set(call.output, .plain, result, isBatched: try isBatched(call.inputs))
  }

  mutating func interleavePixels(
    _ call: ONNXOperation, _ step: Size, cut: Size
  ) throws(ExportRefusal) {
    let (height, width, channels) = image(call.inputs[0])
    var images: [String] = []
    for input in call.inputs { images.append(try name(of: input, in: .channelsFirst)) }
    let joined = images.count == 1 ? images[0] : add("Concat", images, ("axis", .int(1)))
    let isCut = cut.width > 0 || cut.height > 0
    var result = blocks(
      joined, [step.height, step.width, channels, height, width], order: [3, 4, 1, 5, 2],
      named: isCut ? nil : name(for: call.output),
      to: [channels, height * step.height, width * step.width])
    if isCut {
      result = add(
        "Slice",
        [
          result, integers([0, 0]),
          integers([height * step.height - cut.height, width * step.width - cut.width]),
          integers([2, 3]),
        ], named: name(for: call.output))
    }
    set(call.output, .channelsFirst, result, isBatched: try isBatched(call.inputs))
  }

  mutating func depthToSpace(
    _ call: ONNXOperation, _ block: Size, interleaved: Bool
  ) throws(ExportRefusal) {
    let input = try name(of: call.inputs[0], in: .channelsFirst)
    let (height, width, channels) = image(call.inputs[0])
    let outputChannels = channels / (block.width * block.height)
    let result: String
    if block.width == block.height {
      result = add(
        "DepthToSpace", [input], named: name(for: call.output),
        ("blocksize", .int(block.width)), ("mode", .text(interleaved ? "CRD" : "DCR")))
    } else {
      let sizes =
        interleaved
        ? [outputChannels, block.height, block.width, height, width]
        : [block.height, block.width, outputChannels, height, width]
      result = blocks(
        input, sizes, order: interleaved ? [1, 4, 2, 5, 3] : [3, 4, 1, 5, 2],
        named: name(for: call.output),
        to: [outputChannels, height * block.height, width * block.width])
    }
    set(call.output, .channelsFirst, result, isBatched: try isBatched(call.inputs))
  }

  mutating func spaceToDepth(_ call: ONNXOperation, _ block: Size) throws(ExportRefusal) {
    let input = try name(of: call.inputs[0], in: .channelsFirst)
    let (height, width, channels) = image(call.inputs[0])
    let result: String
    if block.width == block.height {
      result = add(
        "SpaceToDepth", [input], named: name(for: call.output),
        ("blocksize", .int(block.width)))
    } else {
      let (rows, columns) = (height / block.height, width / block.width)
      result = blocks(
        input, [channels, rows, block.height, columns, block.width], order: [3, 5, 1, 2, 4],
        named: name(for: call.output),
        to: [channels * block.width * block.height, rows, columns])
    }
    set(call.output, .channelsFirst, result, isBatched: try isBatched(call.inputs))
  }

  /// Splits axes, changes their order, and joins them.
  private mutating func blocks(
    _ input: String, _ sizes: [Int], order: [Int], named: String?, to joined: [Int]
  ) -> String {
    let split = add("Reshape", [input, integers([0] + sizes)])
    let turned = add("Transpose", [split], ("perm", .ints([0] + order)))
    return add("Reshape", [turned, integers([0] + joined)], named: named)
  }

  /// The height, width and channels of an image.
  private func image(_ value: OperationGraph.Value) -> (Int, Int, Int) {
    let valueSizes = sizes(value)
    return (valueSizes[0], valueSizes[1], valueSizes[2])
  }
}
